package query

import (
	"time"

	"github.com/footfall/footfall/query/internal/derived"
)

// Previous is the earlier range that a range is compared with: see [Align]. If the range is not over, the earlier one ends after as much
// of its last day, rounded up to a whole hour, because figures are stored by the hour. If the hours of that day have expired, it ends
// with the day. Until the first hour of the range is over, relative changes from these totals are null.
type Previous struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"` // exclusive
	// Totals and Change are on the first page only, as the totals of the range are; null on others.
	Totals     *Figures `json:"totals"`
	Incomplete bool     `json:"dataExpired"` // as in StatsAnswer
	Change     *Changes `json:"change"`      // from these totals to those of the range
	// DataFrom is the first day with data of the site, if the range begins before all of that day is counted; nil: it does not. Then the range
	// is not comparable as a whole, and relative changes since it are null, as are those of buckets that begin as early. A first day is taken
	// for a part of a day, unless it has something in its first hour.
	DataFrom *time.Time `json:"dataFrom,omitempty"`
	// ToDate says that the range is not over, and that the earlier one ends after as much of it.
	ToDate bool `json:"toDate,omitempty"`
	// ByBucket says that buckets are compared one by one. There is a row then for each bucket that has anything in either range. Hours and
	// days are always compared, with those of the same time or number. Weeks, months and years are if both ranges have as many.
	ByBucket bool `json:"byBucket"`
}

// sumUp fills in the totals, and how those of the range differ, which is early in its first hour or not.
func (p *Previous) sumUp(now, before Figures, early bool) {
	change := now.Since(before)
	if early || p.DataFrom != nil {
		derived.WithoutRelative(&change)
	}
	p.Totals, p.Change = &before, &change
}
