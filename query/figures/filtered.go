package figures

// FilteredFigures are the figures of what passes filters. They are those of Figures of the same names; null is unknown.
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

// FilteredChanges are the changes between two [FilteredFigures], each under the name of its figure.
type FilteredChanges struct {
	PageViews      Change[int64]    `json:"pageViews"`
	Events         Change[int64]    `json:"events"`
	UniqueVisitors Change[int64]    `json:"uniqueVisitors"`
	Sessions       Change[*int64]   `json:"sessions"`
	Bounces        Change[*int64]   `json:"bounces"`
	BounceRate     Change[*float64] `json:"bounceRate"`
	Engaged        Change[*int64]   `json:"engaged"`
	EngagementRate Change[*float64] `json:"engagementRate"`
	DurationMs     Change[*int64]   `json:"durationMs"`
	AvgDurationMs  Change[*int64]   `json:"avgDurationMs"`
	PerSession     Change[*float64] `json:"pagesPerSession"`
	Values         Change[*int64]   `json:"values"`
	ValueSum       Change[*string]  `json:"valueSum"`
}
