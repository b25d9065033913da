package filters

import (
	"slices"

	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/ranges"
)

// Scope is what filters select.
type Scope string

// The scopes.
const (
	// ScopeSessions is that of filters by what a session's earliest event says, by its entry or exit page, or by a goal that it reaches.
	// Figures of sessions are known.
	ScopeSessions Scope = "sessions"
	// ScopeEvents is that of filters with at least one by page, event, type or a property. It selects events alone, so figures of sessions are
	// unknown.
	ScopeEvents Scope = "events"
)

// ScopeOf returns the scope of filters.
func ScopeOf(conditions []Condition) Scope {
	if slices.ContainsFunc(conditions, Condition.OfEvents) {
		return ScopeEvents
	}
	return ScopeSessions
}

// RefuseEvents refuses filters that select events, as a [ranges.ParamError]. why says why they have no answer.
func RefuseEvents(conditions []Condition, why string) error {
	for _, c := range conditions {
		if c.OfEvents() {
			return &ranges.ParamError{Param: "where", Value: readable.Shortened(c.String()),
				Remedy: why + ": filter by another dimension than page, event, type or a property"}
		}
	}
	return nil
}
