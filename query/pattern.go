package query

import "github.com/footfall/footfall/internal/sites"

// Pattern selects the events of a funnel's step: page views by their page, or events by type, name or both.
type Pattern struct {
	On   string `json:"on"`             // page or event
	How  string `json:"how,omitempty"`  // for pages: exact, prefix, contains or regexp
	Text string `json:"text,omitempty"` // for pages: the text that the page is compared with
	Type string `json:"type,omitempty"` // for events; "": any
	Name string `json:"name,omitempty"` // for events; "": any
}

func patternOf(p sites.Pattern) Pattern {
	return Pattern{On: string(p.On), How: string(p.How), Text: p.Text, Type: p.Type, Name: p.Name}
}

// String spells the pattern as --step takes it, such as page-prefix:/shop/.
func (p Pattern) String() string {
	return sites.Pattern{On: sites.PatternOn(p.On), How: sites.PatternHow(p.How), Text: p.Text, Type: p.Type, Name: p.Name}.String()
}
