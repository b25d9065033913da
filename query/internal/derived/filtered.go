package derived

import (
	declared "github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/figures"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/sketch"
)

// Sums that are known of what passes filters: always, of sessions, and of a breakdown's rows.
var (
	knownOfEvents   = declared.SetOf(declared.PageViews, declared.Events)
	knownOfValues   = declared.SetOf(declared.Values, declared.ValueMicros)
	knownOfRows     = declared.SetOf(declared.Sessions, declared.Bounces, declared.DurationMs)
	knownOfSessions = knownOfRows | declared.SetOf(declared.Engaged)
)

// OfPassing derives the figures of sums.
func OfPassing(s *passing.Sums, scope filters.Scope) figures.FilteredFigures {
	known := knownOfEvents | knownOfValues
	if scope == filters.ScopeSessions {
		known |= knownOfSessions
	}
	all := declared.Sums{Counts: [...]int64{declared.PageViews: s.PageViews, declared.Events: s.Events, declared.Values: s.Values,
		declared.Sessions: s.Sessions, declared.Bounces: s.Bounces, declared.Engaged: s.Engaged, declared.DurationMs: s.DurationMs,
		declared.LastCount: 0}}
	all.AddMicros(declared.ValueMicros, s.ValueMicros)
	return filtered(&all, s.Visitors, known)
}

// OfValue are the figures of a row of a breakdown.
func OfValue(k *sketch.Counts, d sketch.Dimension, scope filters.Scope) figures.FilteredFigures {
	known := knownOfEvents
	if scope == filters.ScopeSessions {
		known |= knownOfRows
	}
	if d == sketch.EventName {
		known |= knownOfValues
	}
	all := declared.Sums{Counts: [...]int64{declared.PageViews: k.PageViews, declared.Events: k.Events, declared.Values: k.Values,
		declared.Sessions: k.Sessions, declared.Bounces: k.Bounces, declared.DurationMs: k.DurationMs, declared.LastCount: 0}}
	all.AddMicros(declared.ValueMicros, k.Sum)
	return filtered(&all, k.Visitors, known)
}

// filtered derives the figures of known sums.
func filtered(s *declared.Sums, visitors *sketch.Uniques, known declared.Set) figures.FilteredFigures {
	f := figures.FilteredFigures{UniqueVisitors: numbers.Clamp(visitors.Estimate(), s.Counts[declared.Events]),
		VisitorsError: visitors.StandardError()}
	derive(&f, filteredFields, s, known)
	return f
}
