package filters

import "slices"

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
