package show

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/query"
)

func (a funnelsView) notes() []string { return remarks(a.Site, a.SiteKnown, 0, a.Cursor) }

func (a funnelsView) sheets() []sheet {
	s := sheet{title: "Funnels of site " + a.Site, none: "None.", columns: []column{{"funnelId", "Funnel", false},
		{"name", "Name", false}, {"steps", "Steps", true}, {"windowMs", "Window", true}, {"strict", "Strict", false},
		{"version", "Version", true},
		{"createdAt", "", false}, {"changedAt", "Changed (UTC)", false}, {"changedBy", "By", false}}}
	for _, f := range a.Funnels {
		s.rows = append(s.rows, []cell{textCell(f.FunnelID), textCell(f.Name), intCell(len(f.Steps)), windowCell(f.WindowMs), boolCell(f.Strict),
			intCell(f.Version), timeCell(&f.CreatedAt, toMinute), timeCell(&f.ChangedAt, toMinute), textCell(f.ChangedBy)})
	}
	return []sheet{s}
}

func (a funnelView) notes() []string { return nil }

func (a funnelView) sheets() []sheet {
	s := sheet{title: funnelTitle(a.Funnel, a.Site), columns: []column{{"step", "Step", true}, {"match", "What", false}}}
	for i, p := range a.Steps {
		s.rows = append(s.rows, []cell{intCell(i + 1), patternCell(p)})
	}
	return []sheet{s}
}

// title says which funnel it is, on a line.
func funnelTitle(f query.Funnel, site string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Funnel %s of site %s", f.FunnelID, site)
	if f.Name != "" {
		fmt.Fprintf(&b, ", %s", f.Name)
	}
	fmt.Fprintf(&b, ": within %v", time.Duration(f.WindowMs)*time.Millisecond)
	if f.Strict {
		b.WriteString(", strict")
	}
	fmt.Fprintf(&b, ", version %d", f.Version)
	return b.String()
}

func (a funnelReportView) notes() []string {
	bots := "excluded"
	if a.IncludesBots {
		bots = "included"
	}
	notes := []string{fmt.Sprintf("Raw events read: %d; events of bots (%s): %d; read units: %g.", a.EventsRead, bots, a.BotEvents,
		a.ReadUnits)}
	if a.EventsMissing > 0 {
		notes = append(notes, fmt.Sprintf("Stats count %s more than there are raw events: those of erased visitors, and events that were "+
			"sent again much later under the same id, which are one raw event.", plural.Count(a.EventsMissing, "event", "events")))
	}
	if a.Filter != nil && a.Filter.Cost != nil { // Limited credentials do not hear what it costs.
		c := a.Filter.Cost
		notes = append(notes, fmt.Sprintf("Only events with these values count. Estimated before: %d raw events for %.0f read units.",
			c.EventsEstimated, c.ReadUnitsEstimated))
	}
	return notes
}

func (a funnelReportView) sheets() []sheet {
	where := ""
	if a.Filter != nil {
		where = whereText(*a.Filter)
	}
	s := sheet{title: funnelTitle(a.Funnel, a.Site) + where + ", " + spanText(&a.From, &a.To), columns: []column{{"step", "Step", true},
		{"match", "What", false},
		{"visitors", "Visitors", true}, {"shareOfFirst", "Of the first", true}, {"shareOfPrevious", "Of the previous", true},
		{"dropOff", "Lost", true}, {"medianMs", "Median time", true}}}
	for _, x := range a.Steps {
		s.rows = append(s.rows, []cell{intCell(x.Step), patternCell(x.Match), intCell(x.Visitors), percentCell(x.OfFirst),
			percentCell(x.OfBefore),
			intCell(x.DropOff), durationCell(x.MedianMs)})
	}
	return []sheet{s}
}

func patternCell(p query.Pattern) cell { return textCell(p.String()) }

// windowCell shows a window as it was given.
func windowCell(ms int64) cell {
	return cell{strconv.FormatInt(ms, 10), (time.Duration(ms) * time.Millisecond).String()}
}
