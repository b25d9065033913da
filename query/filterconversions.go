package query

import (
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/passing"
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

// countsOfSums derives all figures of sums. goals are those that conversions are of; nil: they were not looked for.
func countsOfSums(s *passing.Sums, scope Scope, goals *passing.GoalScan) FilteredTopCounts {
	c := FilteredTopCounts{FilteredFigures: derived.OfPassing(s, scope)}
	if scope != ScopeSessions || goals == nil {
		return c
	}
	c.Conversions, c.ConvertedSessions, c.EligibleSessions = new(s.Conversions), new(s.Converted), new(s.Sessions+s.Missed)
	if c.ConversionValue = new(numbers.Decimal(s.Worth)); goals.Rated() {
		c.ConversionRate = numbers.Ratio(s.Converted, s.Sessions+s.Missed)
	}
	return c
}
