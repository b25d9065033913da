package query

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/sinks/int128"
)

// FilteredConversions are the conversions of sessions that pass filters. A session has those of all that was read of it, also after the
// range unless FilterParams.Within is set. They are null if figures of sessions are unknown.
type FilteredConversions struct {
	Conversions       *int64 `json:"conversions"`       // of the goals of FilteredTopAnswer.Goals
	ConvertedSessions *int64 `json:"convertedSessions"` // that have reached any of them
	// EligibleSessions are those that pass all filters but those of the form goal=ID.
	EligibleSessions *int64 `json:"eligibleSessions"`
	// ConversionRate is ConvertedSessions by EligibleSessions. null as well: there are none, or the range begins before the first goal did.
	ConversionRate  *float64 `json:"conversionRate"`
	ConversionValue *string  `json:"conversionValue"` // what the conversions are worth: exact, a decimal
}

// FilteredTopCounts are the figures of a value among what passes filters.
type FilteredTopCounts struct {
	FilteredFigures
	FilteredConversions
}

// conversionSums are the sums over the conversions of sessions.
type conversionSums struct {
	conversions, converted int64
	worth                  int128.Int // in millionths
	missed                 int64      // sessions that pass all filters but those of the form goal=ID
}

// missedSessions are the numbers of sessions that missed the goal that a filter asks for, by their values. Most values may be of no session
// that passes: they have no row.
type missedSessions map[string]int64

// maxMissedValues bounds the values of such sessions, those of all lists that are read together. A million take some 100 MB.
const maxMissedValues = 1_000_000

// addTo adds the sessions to the values that have anything that passes.
func (m missedSessions) addTo(values topSums) {
	for value, sums := range values {
		sums.missed += m[value]
	}
}

// tooManyMissed is the error of a list whose rates do not fit in memory.
func tooManyMissed(dimension string) error {
	return &ParamError{Param: "dimension", Value: dimension,
		Remedy: fmt.Sprintf("sessions that miss the goal have more than %d values in the range: ask for a "+
			"shorter one, or add a filter", maxMissedValues)}
}

// counts derives all figures of sums. goals are those that conversions are of; nil: they were not looked for.
func (s *filterSums) counts(scope Scope, goals *goalScan) FilteredTopCounts {
	c := FilteredTopCounts{FilteredFigures: s.figures(scope)}
	if scope != ScopeSessions || goals == nil {
		return c
	}
	c.Conversions, c.ConvertedSessions, c.EligibleSessions = new(s.conversions), new(s.converted), new(s.sessions+s.missed)
	if c.ConversionValue = new(decimal(s.worth)); goals.rated() {
		c.ConversionRate = ratio(s.converted, s.sessions+s.missed)
	}
	return c
}

// nothing reports whether nothing passes the filters.
func (s *filterSums) nothing() bool { return s.events == 0 && s.sessions == 0 }

// choose has the conversions of sessions be those of the goals that filters ask for, or of all active ones if none does.
func (g *goalScan) choose(p FilterParams) {
	g.within = p.Within
	asked := slices.ContainsFunc(p.Where, Condition.converts)
	for i := range g.goals {
		goal := &g.goals[i]
		goal.chosen = goal.Active && (!asked || slices.Contains(p.Where, Condition{GoalDimension, Is, goal.ID}))
	}
}

// converts reports whether a filter selects sessions that reach a goal.
func (c Condition) converts() bool { return c.ofGoal() && c.Op == Is }

// chosen are the ids of the goals that conversions of sessions are of.
func (g *goalScan) chosen() []string {
	ids := []string{}
	if g == nil {
		return ids
	}
	for _, goal := range g.goals {
		if goal.chosen {
			ids = append(ids, goal.ID)
		}
	}
	return ids
}

// rated reports whether one of the goals has been there since the range began.
func (g *goalScan) rated() bool {
	return slices.ContainsFunc(g.goals, func(goal scannedGoal) bool {
		return goal.chosen && (goal.Since == nil || goal.Since.UnixMilli() <= g.span.From)
	})
}

// addTo adds the conversions of a session to what it counts in.
func (g *goalScan) addTo(s *filterSession) {
	n, worth := int64(0), int128.Int{}
	for _, r := range s.reached {
		if g.goals[r.goal].chosen && (!g.within || g.span.Has(r.at)) {
			n++
			worth = worth.Plus(int128.From(r.micros))
		}
	}
	if n == 0 {
		return
	}
	for _, sums := range s.counted {
		sums.conversions += n
		sums.converted++
		sums.worth = sums.worth.Plus(worth)
	}
}
