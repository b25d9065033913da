package query

import (
	"reflect"
	"time"
)

// FilteredPrevious is the earlier range that a range of filtered figures is compared with. Its fields are those of Previous.
type FilteredPrevious struct {
	From     time.Time        `json:"from"`
	To       time.Time        `json:"to"`     // exclusive
	Totals   *FilteredFigures `json:"totals"` // null: only the cost was asked for
	Change   *FilteredChanges `json:"change"` // from these totals to those of the range
	DataFrom *time.Time       `json:"dataFrom,omitempty"`
	ToDate   bool             `json:"toDate,omitempty"`
	ByBucket bool             `json:"byBucket"`
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

// Since returns how f differs from the earlier figures before.
func (f FilteredFigures) Since(before FilteredFigures) FilteredChanges {
	var changes FilteredChanges
	compare(&f, &before, &changes, filteredChangesFields)
	return changes
}

// previous is the earlier range, without figures; nil: there is none.
func (q *filteredStats) previous() *FilteredPrevious {
	if !q.compare {
		return nil
	}
	p := &FilteredPrevious{From: q.cal.Instant(q.before.From), To: q.cal.Instant(q.before.To), ByBucket: q.paired, ToDate: q.toDate}
	if q.uncovered(q.before.From) {
		p.DataFrom = new(q.cal.Instant(q.begin.First))
	}
	return p
}

// sumUp fills in the totals, and how those of the range differ, as that of Previous does.
func (p *FilteredPrevious) sumUp(now, before FilteredFigures, early bool) {
	change := now.Since(before)
	if early || p.DataFrom != nil {
		withoutRelative(&change)
	}
	p.Totals, p.Change = &before, &change
}

// withoutRelative takes the relative changes out of changes, a pointer to a struct of them.
func withoutRelative(changes any) {
	fields := reflect.ValueOf(changes).Elem()
	for i := range fields.NumField() {
		fields.Field(i).FieldByName("Relative").SetZero()
	}
}
