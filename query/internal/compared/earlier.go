package compared

import (
	"context"
	"strconv"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
)

// Early reports whether no hour of the range is over. The earlier range has all of its first hour then, and the two do not compare.
func (q *Question) Early() bool {
	now := q.Table.Now().UnixMilli()
	return q.Span.From <= now && now < q.Table.Clock.Hour(q.Span.From).To
}

// other reports whether the range is compared with one that was named.
func (q *Question) other() bool {
	return q.against != "" && q.against != ranges.AgainstPrevious && q.against != ranges.AgainstYear
}

// Named returns the named range that this one is compared with, for cursors; nil: none was named.
func (q *Question) Named() *[2]int64 {
	if !q.Compare || !q.other() {
		return nil
	}
	return &[2]int64{q.Before.From, q.Before.To}
}

// dating reads instants by the question's calendar.
func (q *Question) dating() calendar.Dating {
	if q.Cal.Own != nil {
		return q.Table.Clock.Dating(q.Table.Now())
	}
	return calendar.DatingIn(q.Table.Now(), q.Cal.Loc)
}

// Shorten has the earlier range end where the range does that is still running. The cursor of the first page names that end for all
// pages.
func (q *Question) Shorten(ctx context.Context) error {
	now := q.Table.Now().UnixMilli()
	if !q.Compare || q.Resumed || q.other() || !q.Span.Has(now) {
		return nil
	}
	whole := q.Before.To
	defer func() { q.ToDate = q.Before.To < whole }()
	q.Before.To = min(whole, q.Cal.Until(now, q.Pairing.Shift, q.Table.Clock))
	if q.Cal.By == ranges.Hour || q.Before.To == whole {
		return nil
	}
	// Are there still hours of the day to be cut?
	days := q.Cal.Days()
	day := days.Bucket(q.Before.To - 1).Span
	part, left := day.In(q.Before), sitetable.NewTotal()
	for _, err := range q.Table.RowsOf(days, part, part, left).All(ctx) {
		if err != nil {
			return err
		}
	}
	if left.Incomplete {
		q.Before.To = min(whole, day.To)
	}
	return nil
}

// after returns what is left of the range after the bucket that a cursor names.
func (q *Question) after(c sitetable.Cursor) (calendar.Span, error) {
	start, err := strconv.ParseInt(c.Key, 10, 64)
	if err == nil && start < q.Span.To {
		b, rest := q.Cal.Bucket(start), q.Span
		if q.Table.Desc {
			rest.To = b.From
		} else {
			rest.From = b.To
		}
		if b.From == start && b.To > q.Span.From {
			return rest, nil
		}
	}
	return calendar.Span{}, &ranges.ParamError{Param: "cursor", Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
}
