package query

import (
	"context"
	"strconv"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// early reports whether no hour of the range is over. The earlier range has all of its first hour then, and the two do not compare.
func (q *statsQuestion) early() bool {
	now := q.t.Now().UnixMilli()
	return q.span.From <= now && now < q.t.Clock.Hour(q.span.From).To
}

// other reports whether the range is compared with one that was named.
func (q *statsQuestion) other() bool {
	return q.against != "" && q.against != AgainstPrevious && q.against != AgainstYear
}

// named returns the named range that this one is compared with, for cursors; nil: none was named.
func (q *statsQuestion) named() *[2]int64 {
	if !q.compare || !q.other() {
		return nil
	}
	return &[2]int64{q.before.From, q.before.To}
}

// dating reads instants by the question's calendar.
func (q *statsQuestion) dating() calendar.Dating {
	if q.cal.Own != nil {
		return q.t.Clock.Dating(q.t.Now())
	}
	return calendar.DatingIn(q.t.Now(), q.cal.Loc)
}

// shorten has the earlier range end where the range does that is still running. The cursor of the first page names that end for all
// pages.
func (q *statsQuestion) shorten(ctx context.Context) error {
	now := q.t.Now().UnixMilli()
	if !q.compare || q.resumed || q.other() || !q.span.Has(now) {
		return nil
	}
	whole := q.before.To
	defer func() { q.toDate = q.before.To < whole }()
	q.before.To = min(whole, q.cal.Until(now, q.pairing.Shift, q.t.Clock))
	if q.cal.By == Hour || q.before.To == whole {
		return nil
	}
	// Are there still hours of the day to be cut?
	days := q.cal.Days()
	day := days.Bucket(q.before.To - 1).Span
	part, left := day.In(q.before), sitetable.NewTotal()
	for _, err := range q.t.RowsOf(days, part, part, left).All(ctx) {
		if err != nil {
			return err
		}
	}
	if left.Incomplete {
		q.before.To = min(whole, day.To)
	}
	return nil
}

// after returns what is left of the range after the bucket that a cursor names.
func (q *statsQuestion) after(c sitetable.Cursor) (calendar.Span, error) {
	start, err := strconv.ParseInt(c.Key, 10, 64)
	if err == nil && start < q.span.To {
		b, rest := q.cal.Bucket(start), q.span
		if q.t.Desc {
			rest.To = b.From
		} else {
			rest.From = b.To
		}
		if b.From == start && b.To > q.span.From {
			return rest, nil
		}
	}
	return calendar.Span{}, &ParamError{Param: "cursor", Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
}
