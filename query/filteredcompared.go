package query

import (
	"time"

	"github.com/footfall/footfall/query/internal/derived"
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

// previous is the earlier range, without figures; nil: there is none.
func (q *filteredStats) previous() *FilteredPrevious {
	if !q.Compare {
		return nil
	}
	p := &FilteredPrevious{From: q.Cal.Instant(q.Before.From), To: q.Cal.Instant(q.Before.To), ByBucket: q.Paired, ToDate: q.ToDate}
	if q.Uncovered(q.Before.From) {
		p.DataFrom = new(q.Cal.Instant(q.Begin.First))
	}
	return p
}

// sumUp fills in the totals, and how those of the range differ, as that of Previous does.
func (p *FilteredPrevious) sumUp(now, before FilteredFigures, early bool) {
	change := now.Since(before)
	if early || p.DataFrom != nil {
		derived.WithoutRelative(&change)
	}
	p.Totals, p.Change = &before, &change
}
