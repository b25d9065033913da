package query

import (
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/sketch"
)

// FilteredFigures are the figures of what passes filters. They are those of Figures of the same names; null is unknown: see FilterReport.
type FilteredFigures struct {
	PageViews      int64    `json:"pageViews"`
	Events         int64    `json:"events"` // page views included
	UniqueVisitors uint64   `json:"uniqueVisitors"`
	VisitorsError  float64  `json:"uniqueVisitorsError"` // relative standard error of UniqueVisitors; 0: they are exact
	Sessions       *int64   `json:"sessions"`
	Bounces        *int64   `json:"bounces"`
	BounceRate     *float64 `json:"bounceRate"`
	Engaged        *int64   `json:"engaged"`
	EngagementRate *float64 `json:"engagementRate"`
	DurationMs     *int64   `json:"durationMs"`
	AvgDurationMs  *int64   `json:"avgDurationMs"`
	PerSession     *float64 `json:"pagesPerSession"`
	Values         *int64   `json:"values"`
	ValueSum       *string  `json:"valueSum"`
	// Uncertain is how many events the figures may lack at most, and UncertainSessions how many sessions. Of raw events both are 0.
	Uncertain         uint64 `json:"maxUndercount"`
	UncertainSessions int64  `json:"maxUndercountOfSessions"`
}

// FilterSource is what filtered figures were computed from.
type FilterSource string

// The sources.
const (
	FromBreakdowns FilterSource = "breakdowns"
	FromEvents     FilterSource = "events"
)

// FilterReport says how filters were answered.
type FilterReport struct {
	Where  []string     `json:"where"`            // the filters; what is counted passes all
	Locked []string     `json:"locked,omitempty"` // those of Where that the credential has; cost and eventsMissing are left out then
	Scope  Scope        `json:"scope"`
	Source FilterSource `json:"source"`
	Cost   *FilterCost  `json:"cost"` // of raw events; null: breakdowns answered
	// EventsMissing is how many more events stats have counted in the whole hours that were read than there are raw events.
	EventsMissing int64 `json:"eventsMissing"`
}

// FilteredBucket is a bucket with the figures of what passes filters. Its fields are those of Bucket.
type FilteredBucket struct {
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"` // exclusive
	Partial    bool      `json:"clippedByRange"`
	InProgress bool      `json:"inProgress"`
	FilteredFigures
	Previous *FilteredBucket  `json:"previous,omitempty"`
	Change   *FilteredChanges `json:"change,omitempty"`
}

// Sums that are known of what passes filters: always, of sessions, and of a breakdown's rows.
var (
	knownOfEvents   = figures.SetOf(figures.PageViews, figures.Events)
	knownOfValues   = figures.SetOf(figures.Values, figures.ValueMicros)
	knownOfRows     = figures.SetOf(figures.Sessions, figures.Bounces, figures.DurationMs)
	knownOfSessions = knownOfRows | figures.SetOf(figures.Engaged)
)

// figures derives the figures of sums.
func (s *filterSums) figures(scope Scope) FilteredFigures {
	known := knownOfEvents | knownOfValues
	if scope == ScopeSessions {
		known |= knownOfSessions
	}
	all := figures.Sums{Counts: [...]int64{figures.PageViews: s.pageViews, figures.Events: s.events, figures.Values: s.values,
		figures.Sessions: s.sessions, figures.Bounces: s.bounces, figures.Engaged: s.engaged, figures.DurationMs: s.durationMs,
		figures.LastCount: 0}}
	all.AddMicros(figures.ValueMicros, s.valueMicros)
	return filteredFigures(&all, s.visitors, known)
}

// rowFigures are the figures of a row of a breakdown.
func rowFigures(k *sketch.Counts, d sketch.Dimension, scope Scope) FilteredFigures {
	known := knownOfEvents
	if scope == ScopeSessions {
		known |= knownOfRows
	}
	if d == sketch.EventName {
		known |= knownOfValues
	}
	all := figures.Sums{Counts: [...]int64{figures.PageViews: k.PageViews, figures.Events: k.Events, figures.Values: k.Values,
		figures.Sessions: k.Sessions, figures.Bounces: k.Bounces, figures.DurationMs: k.DurationMs, figures.LastCount: 0}}
	all.AddMicros(figures.ValueMicros, k.Sum)
	return filteredFigures(&all, k.Visitors, known)
}

// filteredFigures derives the figures of known sums.
func filteredFigures(s *figures.Sums, visitors *sketch.Uniques, known figures.Set) FilteredFigures {
	f := FilteredFigures{UniqueVisitors: clamp(visitors.Estimate(), s.Counts[figures.Events]), VisitorsError: visitors.StandardError()}
	derive(&f, filteredFields, s, known)
	return f
}
