package compared

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
)

// Params ask for a range in buckets. They are those of query.StatsParams.
type Params struct {
	Site     string
	From, To time.Time
	By, Unit ranges.By
	Zone     *time.Location
	Compare  bool
	Against  string
	Align    ranges.Align
	Fill     bool
	ranges.Paging
}

// A Question is a range in buckets, and the earlier one that it is compared with.
type Question struct {
	Table   sitetable.Table
	Name    string // as in cursors
	Limit   int
	Cal     calendar.Calendar
	Asked   calendar.Span // the range as it was given, the first page's
	Span    calendar.Span // widened
	Compare bool
	Fill    bool
	unit    ranges.By
	against string
	align   ranges.Align
	Before  calendar.Span // what it is compared with; empty: nothing
	ToDate  bool          // Before was cut where the range is, which is not over
	Begin   sitetable.Beginning
	Paired  bool // row by row
	Pairing calendar.Pairing
	Resumed bool
	Rest    calendar.Span // of Span, after the page before
}

// New checks what is asked.
func New(p Params, t sitetable.Table) (q Question, err error) {
	if p.By != "" {
		if err := p.By.Check(); err != nil {
			return q, err
		}
	}
	if p.Unit != "" && !slices.Contains([]ranges.By{ranges.Day, ranges.Days, ranges.Week, ranges.Month, ranges.Year}, p.Unit) {
		return q, &ranges.ParamError{Param: "unit", Value: string(p.Unit), Remedy: "choose day, days, week, month or year, or leave it empty"}
	}
	if err := p.Align.Check(); err != nil {
		return q, err
	}
	if q.Limit, err = p.Rows(); err != nil {
		return q, err
	}
	c, resumed, err := sitetable.DecodeCursor(p.Cursor)
	if err != nil {
		return q, err
	}
	if q.Resumed = resumed; resumed {
		q.Asked = calendar.Span{From: c.From, To: c.To}
	} else if q.Asked, err = t.Bounded(p.From, p.To); err != nil {
		return q, err
	}
	q.Table, q.Cal, q.Compare = t, calendar.Calendar{By: p.By, Loc: p.Zone}, p.Compare
	q.Table.Desc, q.Fill, q.unit, q.align, q.against = p.Desc, p.Fill, p.Unit, p.Align, p.Against
	if p.Zone == nil {
		q.Cal = t.Clock.InOwn(p.By, q.Asked.To-1)
	}
	if p.By == "" {
		q.Cal.By = calendar.SizeFor(q.Asked, q.Cal.Loc, p.Unit)
	}
	q.Name = sitetable.Fingerprint(p.Desc, "stats", p.Site, string(q.Cal.By), q.Cal.Loc.String(), strconv.FormatBool(p.Compare),
		string(p.Unit), string(p.Align), p.Against, strconv.FormatBool(p.Fill))
	if resumed {
		if err := c.Check(p.Cursor, q.Name); err != nil {
			return q, err
		}
	}
	if err := q.cut(c.Earlier); err != nil {
		return q, err
	}
	q.Rest = q.Span
	if resumed {
		if c.Before > q.Before.From && c.Earlier == nil {
			q.ToDate = c.Before < q.Before.To
			q.Before.To = min(q.Before.To, c.Before)
		}
		q.Rest, err = q.after(c)
	}
	return q, err
}

// cut widens the range to what its buckets are made of, and finds the range that it is compared with. named is that of the first page, if
// it was named.
func (q *Question) cut(named *[2]int64) error {
	if err := q.Cal.Holds(q.Asked); err != nil {
		return err
	}
	q.Span = q.Cal.Widen(q.Asked)
	if at, off := q.Table.Clock.OffHour(q.Cal, q.Span); off {
		return calendar.OffHourError(q.Cal, q.Table.Clock, at)
	}
	if !q.Compare {
		return nil
	}
	if err := q.findBefore(named); err != nil {
		return err
	}
	if at, off := q.Table.Clock.OffHour(q.Cal, q.Before); off {
		return calendar.OffHourError(q.Cal, q.Table.Clock, at)
	}
	return nil
}

// findBefore finds the range that the question's is compared with, and how their rows are paired.
func (q *Question) findBefore(named *[2]int64) error {
	if q.other() {
		r, err := q.dating().Span(q.against)
		if err != nil {
			return &ranges.ParamError{Param: "compare", Value: q.against,
				Remedy: "choose " + ranges.AgainstPrevious + ", " + ranges.AgainstYear + " or a range, as in 2026-04 or 2026-04-01..2026-05-01: " +
					remedy(err)}
		}
		if named != nil {
			r = calendar.Span{From: named[0], To: named[1]}
		}
		if err := q.Cal.Holds(r); err != nil {
			return err
		}
		q.Before = q.Cal.Widen(r)
		q.Pairing, q.Paired = q.Cal.InOrder(q.Span, q.Before)
		return nil
	}
	h := q.Cal.ShiftOf(q.Span, q.unit, q.align)
	switch {
	case q.against == ranges.AgainstYear && q.align == ranges.AlignWeekday:
		h = calendar.Shift{Days: 52 * 7}
	case q.against == ranges.AgainstYear:
		h = calendar.Shift{Months: 12}
	}
	if q.Before = q.Cal.Earlier(q.Span, h); q.Before.From < 0 {
		return &ranges.ParamError{Param: "compare", Value: "",
			Remedy: "the previous range would begin before 1970: leave compare out, or ask for a later range"}
	}
	q.Pairing, q.Paired = q.Cal.Pair(q.Span, q.Before, h)
	return nil
}

// Prepare reads what the comparison depends on.
func (q *Question) Prepare(ctx context.Context) error {
	if !q.Compare {
		return nil
	}
	if err := q.Shorten(ctx); err != nil {
		return err
	}
	var err error
	q.Begin, err = q.Table.BeginningAfter(ctx, q.Before.From, q.Cal.Days())
	return err
}

// Uncovered reports whether what begins at an instant lacks data because the site had none yet.
func (q *Question) Uncovered(at int64) bool { return at < q.Begin.Whole }

// remedy returns what an error of a parameter says to do.
func remedy(err error) string {
	if wrong, ok := errors.AsType[*ranges.ParamError](err); ok {
		return wrong.Remedy
	}
	return err.Error()
}
