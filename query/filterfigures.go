package query

import (
	"time"

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

// figures derives the figures of sums.
func (s *filterSums) figures(scope Scope) FilteredFigures {
	f := FilteredFigures{PageViews: s.pageViews, Events: s.events, UniqueVisitors: clamp(s.visitors.Estimate(), s.events),
		VisitorsError: s.visitors.StandardError(), Values: new(s.values), ValueSum: new(decimal(s.valueMicros))}
	if scope == ScopeSessions {
		f.setSessions(s.sessions, s.bounces, s.durationMs)
		f.Engaged, f.EngagementRate = new(s.engaged), ratio(s.engaged, s.sessions)
	}
	return f
}

// setSessions sets the figures of sessions.
func (f *FilteredFigures) setSessions(sessions, bounces, durationMs int64) {
	f.Sessions, f.Bounces, f.BounceRate = new(sessions), new(bounces), ratio(bounces, sessions)
	f.DurationMs, f.AvgDurationMs, f.PerSession = new(durationMs), average(durationMs, sessions), ratio(f.PageViews, sessions)
}

// rowFigures are the figures of a row of a breakdown.
func rowFigures(k *sketch.Counts, d sketch.Dimension, scope Scope) FilteredFigures {
	f := FilteredFigures{PageViews: k.PageViews, Events: k.Events, UniqueVisitors: clamp(k.Visitors.Estimate(), k.Events),
		VisitorsError: k.Visitors.StandardError()}
	if scope == ScopeSessions {
		f.setSessions(k.Sessions, k.Bounces, k.DurationMs)
	}
	if d == sketch.EventName {
		f.Values, f.ValueSum = new(k.Values), new(decimal(k.Sum))
	}
	return f
}
