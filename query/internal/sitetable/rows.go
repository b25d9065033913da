package sitetable

import (
	"context"
	"iter"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/ranges"
)

// Rows walks the buckets of a span that hold anything, in order. It goes through the table by stored days. All hours of a day are read
// before any of them reaches a row, because only their sum, compared with the day's stats, shows whether some have expired. So it
// holds at most a day's hours in memory.
type Rows struct {
	t    Table
	cal  calendar.Calendar
	Span calendar.Span // the range
	rest calendar.Span // what is walked of it
	Cut  bool          // the range may end within a stored day
	Now  int64
	Days *storedDays

	open  *Row   // may get more of the days to come
	total *Total // of the rows that were passed on so far; nil: not wanted
}

// RowsOf begins a walk over what is left of a range, both of which consist of whole buckets or days. It sums the rows
// up in sum, unless that is nil.
func (t Table) RowsOf(cal calendar.Calendar, s, rest calendar.Span, sum *Total) *Rows {
	w := &Rows{t: t, cal: cal, Span: s, rest: rest, Now: t.Now().UnixMilli(), total: sum}
	w.Days = &storedDays{t: t, by: cal.By, rest: rest, first: s.From, fits: w.fits, Kept: -1}
	return w
}

// fits reports whether a day or month is a part of one row alone, and of one that is made of days.
func (w *Rows) fits(s calendar.Span) bool {
	part := w.cal.Bucket(s.From).In(w.rest)
	return part.From <= s.From && s.To <= part.To && w.row(w.cal.Bucket(s.From)).source == calendar.DayItems
}

// row makes a row of a bucket of the range.
func (w *Rows) row(b calendar.Bucket) *Row {
	if w.Cut {
		return newCutRow(b, w.Span, w.t.Clock)
	}
	return newRow(b, w.Span, w.t.Clock)
}

// Empty makes the row of a bucket of the range that has nothing.
func (w *Rows) Empty(n int64) *Row { return w.row(w.cal.At(n)) }

// All yields the rows. It can be called once.
func (w *Rows) All(ctx context.Context) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		pass := func(ready []*Row, err error) bool {
			for _, r := range ready {
				if !yield(r, nil) {
					return false
				}
			}
			return err == nil || yield(nil, err) && false
		}
		for d, err := range w.Days.all(ctx) {
			var ready []*Row
			if err == nil {
				ready, err = w.deal(d)
			}
			if !pass(ready, err) {
				return
			}
		}
		pass(w.close(nil))
	}
}

// past reports whether a range that begins at an instant begins so long ago that items of its first hour or day have expired, given for how
// many ms they are kept; less than 0: for ever.
func (w *Rows) past(from, kept int64) bool {
	first := calendar.DayMs
	if w.cal.By == ranges.Hour {
		first = calendar.HourMs
	}
	return kept >= 0 && !w.Days.whole && from+first+kept <= w.Now
}

// deal gives a day to the rows of all buckets that it overlaps, in the order of the walk. It returns the rows that this ends.
func (w *Rows) deal(d storedDay) (ready []*Row, err error) {
	left := w.rest.In(d.Span)
	for left.From < left.To {
		var b calendar.Bucket
		if w.t.Desc {
			b = w.cal.Bucket(left.To - 1)
			left.To = b.From
		} else {
			b = w.cal.Bucket(left.From)
			left.From = b.To
		}
		if w.open == nil || w.open.N != b.N {
			if ready, err = w.close(ready); err != nil {
				return ready, err
			}
			w.open = w.row(b)
		}
		if d.sealed {
			if err := w.open.addSealed(d); err != nil {
				return ready, err
			}
			continue
		}
		for _, h := range d.hours {
			if w.open.Part.Has(h.Start) {
				if err := w.open.addHour(h); err != nil {
					return ready, err
				}
			}
		}
		if w.cal.By != ranges.Hour { // Hours are complete by themselves.
			w.open.addDay(d, w.Now)
		}
	}
	return ready, nil
}

// close ends the open row, and appends it to those that are ready if it holds anything.
func (w *Rows) close(ready []*Row) ([]*Row, error) {
	r := w.open
	if r == nil {
		return ready, nil
	}
	w.open = nil
	r.done(w.Now)
	if w.total != nil {
		if err := w.total.Add(r); err != nil {
			return ready, err
		}
	}
	if r.there() {
		ready = append(ready, r)
	}
	return ready, nil
}

// Gone reports whether a row without any items may have had some that have expired.
func (w *Rows) Gone(r *Row) bool {
	size, kept := calendar.DayMs, w.Days.Kept
	if w.cal.By == ranges.Hour {
		size = calendar.HourMs
	}
	return kept >= 0 && !w.Days.whole && r.Part.From+size+kept <= w.Now
}
