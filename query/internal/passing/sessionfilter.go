package passing

import (
	"context"
	"slices"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// SessionFilter returns a function that reports whether a session's item passes filters. A filter by a goal asks whether the session has
// reached it at any time. A session whose first values are unknown or erased is not one without a value: an empty
// value does not select it.
func SessionFilter(ctx context.Context, t sitetable.Table, where []filters.Condition) (func(sinks.Item) bool, error) {
	var dimensions []Dimension
	if len(where) > 0 {
		p := filters.Params{Where: where, Saved: where} // Some may be of a segment: filters that exclude each other leave nothing.
		if err := p.Check(); err != nil {
			return nil, err
		}
	}
	if err := filters.RefuseEvents(where, "it selects events, not sessions"); err != nil {
		return nil, err
	}
	where = slices.Clone(where)
	for i, c := range where {
		dimensions = append(dimensions, DimensionOf(c.Dimension))
		where[i].Values = Counted(c)
	}
	goals, err := goalsAsked(ctx, t, where, true)
	if err != nil {
		return nil, err
	}
	return func(it sinks.Item) bool {
		s, err := state.SessionOf(it)
		if err != nil {
			return true // What reads the session reports the damage.
		}
		for i, c := range where {
			value, known := "", !s.Erased
			switch d := dimensions[i]; {
			case d.whole == filters.GoalDimension:
				if !c.MatchesAny(func(id string) bool { return s.Reached.Has(goals[id].N) }) {
					return false
				}
				continue
			case d.whole == filters.EntryDimension:
				value = s.Entry.Page
			case d.whole == filters.ExitDimension:
				value = s.Exit.Page
			case s.First != nil:
				value = s.First[d.d]
			case s.Booked == state.NotBooked: // Else its earliest event says nothing.
				known = false
			}
			if !known && c.Has("") || !c.Matches(value) {
				return false
			}
		}
		return true
	}, nil
}
