package figures

import "time"

// Figures are the figures of a bucket or a range. Events, page views and values belong to the bucket of their event time. Sessions,
// and the figures derived from them, belong to the bucket in which the session started. A rate is null if its divisor is 0.
type Figures struct {
	PageViews int64 `json:"pageViews"`
	Events    int64 `json:"events"` // page views included
	// UniqueVisitors is the number of distinct visitors, exact or estimated, and at most Events. It is null if the visitors of some
	// hours have expired before the counts.
	UniqueVisitors *uint64 `json:"uniqueVisitors"`
	// VisitorsError is the relative standard error of UniqueVisitors, 0.01 for 1 %; 0: they are exact, or unknown.
	VisitorsError float64 `json:"uniqueVisitorsError"`
	// NewVisitors are the visitors who were new in the bucket. It is null unless the site has counted new visitors since the bucket began,
	// or some were counted in the bucket: before the switch was turned off, or after it was turned on. Of several sites it is the sum, and
	// null unless all that have anything in the bucket have counted them since it began. ReturningVisitors are the others: UniqueVisitors
	// minus NewVisitors, and at least 0. They are null if the visitors are unknown, or if new ones were not counted since the bucket
	// began. ReturningError is their relative standard error; 0: they are exact, or unknown.
	NewVisitors *int64 `json:"newVisitors"`
	// NewSince is when the site began to count new visitors, if that lies within the bucket or range: NewVisitors are those since then, and
	// compare with nothing. It is absent if NewVisitors are unknown, or not since a known instant.
	NewSince          *time.Time `json:"newVisitorsSince,omitempty"`
	ReturningVisitors *uint64    `json:"returningVisitors"`
	ReturningError    float64    `json:"returningVisitorsError"`
	Sessions          int64      `json:"sessions"`
	Bounces           int64      `json:"bounces"`
	BounceRate        *float64   `json:"bounceRate"` // bounces divided by sessions, 0 to 1
	Engaged           int64      `json:"engaged"`
	EngagementRate    *float64   `json:"engagementRate"` // engaged divided by sessions, 0 to 1
	DurationMs        int64      `json:"durationMs"`     // sum over all sessions
	AvgDurationMs     *int64     `json:"avgDurationMs"`  // per session, bounces included
	PagesPerSession   *float64   `json:"pagesPerSession"`
	Values            int64      `json:"values"`   // events that had a value
	ValueSum          string     `json:"valueSum"` // their exact sum, a decimal
	// ValueMin and ValueMax are the least and the greatest value, decimals. They are null if no event had a value, if hours have expired
	// as for UniqueVisitors, or if Values includes those of bots.
	ValueMin *string `json:"valueMin"`
	ValueMax *string `json:"valueMax"`
	// Conversions is how often sessions reached any goal. A conversion belongs to the bucket of its event time.
	Conversions      int64 `json:"conversions"`
	ForeignEvents    int64 `json:"foreignEvents"`    // of Events: those with a url on none of the site's domains
	OverBudgetEvents int64 `json:"overBudgetEvents"` // of Events: those beyond the site's budget, in no session or breakdown
	// ExcludedEvents and ExcludedPageViews are those of pages that the site excludes. No other figure includes them.
	ExcludedEvents    int64 `json:"excludedEvents"`
	ExcludedPageViews int64 `json:"excludedPageViews"`
	// BotEvents and BotPageViews are those of bots. No other figure includes bots, unless IncludeBots is set: then Events, PageViews,
	// Values and ValueSum do.
	BotEvents    int64 `json:"botEvents"`
	BotPageViews int64 `json:"botPageViews"`
}

// Change is how a figure differs from an earlier one. Absolute is the difference in the figure's own unit; null if either figure is
// unknown. Relative is the difference divided by the absolute value of the earlier figure, to six places, so 0.5 is half as much
// again; it is also null if the earlier figure is 0.
type Change[N any] struct {
	Absolute N        `json:"absolute"`
	Relative *float64 `json:"relative"`
}

// Changes are the changes between two [Figures], each under the name of its figure.
type Changes struct {
	PageViews         Change[int64]    `json:"pageViews"`
	Events            Change[int64]    `json:"events"`
	UniqueVisitors    Change[*int64]   `json:"uniqueVisitors"`
	NewVisitors       Change[*int64]   `json:"newVisitors"`
	ReturningVisitors Change[*int64]   `json:"returningVisitors"`
	Sessions          Change[int64]    `json:"sessions"`
	Bounces           Change[int64]    `json:"bounces"`
	BounceRate        Change[*float64] `json:"bounceRate"`
	Engaged           Change[int64]    `json:"engaged"`
	EngagementRate    Change[*float64] `json:"engagementRate"`
	DurationMs        Change[int64]    `json:"durationMs"`
	AvgDurationMs     Change[*int64]   `json:"avgDurationMs"`
	PagesPerSession   Change[*float64] `json:"pagesPerSession"`
	Values            Change[int64]    `json:"values"`
	ValueSum          Change[string]   `json:"valueSum"` // a decimal, exact
	ValueMin          Change[*string]  `json:"valueMin"`
	ValueMax          Change[*string]  `json:"valueMax"`
	Conversions       Change[int64]    `json:"conversions"`
	ForeignEvents     Change[int64]    `json:"foreignEvents"`
	OverBudgetEvents  Change[int64]    `json:"overBudgetEvents"`
	ExcludedEvents    Change[int64]    `json:"excludedEvents"`
	ExcludedPageViews Change[int64]    `json:"excludedPageViews"`
	BotEvents         Change[int64]    `json:"botEvents"`
	BotPageViews      Change[int64]    `json:"botPageViews"`
}
