package alerts

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/footfall/footfall/internal/figures"
)

// A Rule is the condition of an alert. Parse makes one.
type Rule struct {
	Subject
	Stops   bool  // nothing is counted where it is unusual; otherwise a bound is crossed
	Above   bool  // more than the bound; otherwise less
	Percent int64 // the bound, in percent of the usual; 0: Bound
	Bound   int64 // the bound itself
	AtLeast int64 // of a rule about more than the usual: how much there must be
	Hours   int   // that are added up; 0: any of windows
}

// A Subject is what is counted: one of its fields is set.
type Subject struct {
	Figure    string // a count of figures.Answers, by its name in JSON
	Goal      string // conversions of the goal of this id
	Dimension string // sessions of any value of the dimension
}

// The bounds of rules that name none: see the synthetic year in year_test.go.
const (
	dropPercent  = 75
	spikePercent = 200
	surgePercent = 300
	leastCount   = 50 // fewer are a visitor or two of a small site
)

// Counts are the names of the figures that rules may be about: whole numbers, which can be added up over hours.
func Counts() (names []string) {
	for _, f := range figures.Answers {
		if f.Kind == figures.Total && f.Unit == figures.Count || f.Name == visitors {
			names = append(names, f.Name)
		}
	}
	return names
}

// visitors are no sum, but may be added up over hours, as far as rules need them.
const visitors = "uniqueVisitors"

// Dimensions are the names of the dimensions that rules may be about: those that sessions have.
func Dimensions() (names []string) {
	for _, d := range figures.Dimensions {
		if d.Field != "" && d.Name != "event" {
			names = append(names, d.Name)
		}
	}
	return names
}

// String spells the subject as Parse reads it.
func (s Subject) String() string {
	switch {
	case s.Goal != "":
		return "goal " + quoted(s.Goal)
	case s.Dimension != "":
		return s.Dimension
	}
	return s.Figure
}

// quoted is the id as one word. Parse reads none that has a quote.
func quoted(id string) string {
	if strings.ContainsFunc(id, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("<>%,", c) }) {
		return `"` + id + `"`
	}
	return id
}

// String spells the rule as Parse reads it, the short way.
func (r Rule) String() string {
	of := r.Subject.String()
	if verb := r.verb(); verb != "" {
		return of + " " + verb
	}
	sign := "<"
	if r.Above {
		sign = ">"
	}
	text := fmt.Sprintf("%s %s %d", of, sign, r.Bound)
	if r.Percent > 0 {
		text = fmt.Sprintf("%s %s %d %% of usual", of, sign, r.Percent)
	}
	if r.AtLeast > 0 {
		text += fmt.Sprintf(" and at least %d", r.AtLeast)
	}
	if r.Hours > 0 && (r.Percent > 0 || r.Hours > 1) {
		text += fmt.Sprintf(" for %d hours", r.Hours)
	}
	return text
}

// verb is the word for a rule with the bounds that it stands for; "": there is none.
func (r Rule) verb() string {
	for _, v := range verbs {
		if of := v.rule; r.Subject.Dimension == "" || v.ofDimension {
			if of.Subject = r.Subject; of == r {
				return v.word
			}
		}
	}
	return ""
}

// verbs are words for rules.
var verbs = []struct {
	word        string
	ofDimension bool // it is also said of dimensions
	rule        Rule
}{
	{"drops", false, Rule{Percent: dropPercent}},
	{"spikes", false, Rule{Above: true, Percent: spikePercent, AtLeast: leastCount}},
	{"stops", false, Rule{Stops: true}},
	{"surges", true, Rule{Above: true, Percent: surgePercent, AtLeast: leastCount}},
}
