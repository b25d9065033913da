package query

import (
	"context"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// newSessionFilter returns a function that reports whether a session's item passes filters. A filter by a goal asks whether the session has
// reached it at any time. A session whose first values are unknown or erased is not one without a value: an empty
// value does not select it.
func newSessionFilter(ctx context.Context, t sitetable.Table, where []Condition) (func(sinks.Item) bool, error) {
	var dimensions []filterDimension
	if len(where) > 0 {
		if err := checkConditions(where); err != nil {
			return nil, err
		}
	}
	for _, c := range where {
		if c.ofEvents() {
			return nil, &ParamError{Param: "where", Value: shortened(c.String()),
				Remedy: "it selects events, not sessions: filter by another dimension than page, " +
					"event, type or a property"}
		}
		dimensions = append(dimensions, filterDimensionOf(c.Dimension))
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
			case d.whole == EntryDimension:
				value = s.Entry.Page
			case d.whole == ExitDimension:
				value = s.Exit.Page
			case d.whole == GoalDimension:
				if s.Reached.Has(goals[c.Value].Number) {
					value = c.Value
				}
			case s.First != nil:
				value = s.First[d.d]
			case s.Booked == state.NotBooked: // Else its earliest event says nothing.
				known = false
			}
			if !known && c.Value == "" || !c.matches(value) {
				return false
			}
		}
		return true
	}, nil
}

// sessionsAsked is what a cursor of sessions belongs to.
func sessionsAsked(p SessionsParams) []string {
	asked := []string{"sessions", p.Site, p.User, p.Visitor}
	for _, c := range p.Where {
		asked = append(asked, c.String())
	}
	return asked
}

// only restricts the list to items that pass.
func (l *itemRefs) only(passes func(sinks.Item) bool) {
	keep := l.keep
	l.keep = func(it sinks.Item, at []sitetable.Position) bool { return passes(it) && (keep == nil || keep(it, at)) }
}
