package query

import (
	"context"
	"iter"

	"github.com/footfall/footfall/query/internal/calendar"
)

// rows walks the buckets of a span that hold anything, in order. It goes through the table by stored days. All hours of a day are read
// before any of them reaches a row, because only their sum, compared with the day's stats, shows whether some have expired. So it
// holds at most a day's hours in memory.
type rows struct {
	t    siteTable
	cal  calendar.Calendar
	span calendar.Span // the range
	rest calendar.Span // what is walked of it
	cut  bool          // the range may end within a stored day
	now  int64
	days *storedDays

	open  *row   // may get more of the days to come
	total *total // of the rows that were passed on so far; nil: not wanted
}

// rows begins a walk over what is left of a range, both of which consist of whole buckets or days. It sums the rows
// up in sum, unless that is nil.
func (t siteTable) rows(cal calendar.Calendar, s, rest calendar.Span, sum *total) *rows {
	w := &rows{t: t, cal: cal, span: s, rest: rest, now: t.now().UnixMilli(), total: sum}
	w.days = &storedDays{t: t, by: cal.By, rest: rest, first: s.From, fits: w.fits, kept: -1}
	return w
}

// fits reports whether a day or month is a part of one row alone, and of one that is made of days.
func (w *rows) fits(s calendar.Span) bool {
	part := w.cal.Bucket(s.From).In(w.rest)
	return part.From <= s.From && s.To <= part.To && w.row(w.cal.Bucket(s.From)).source == calendar.DayItems
}

// row makes a row of a bucket of the range.
func (w *rows) row(b calendar.Bucket) *row {
	if w.cut {
		return newCutRow(b, w.span, w.t.clock)
	}
	return newRow(b, w.span, w.t.clock)
}

// empty makes the row of a bucket of the range that has nothing.
func (w *rows) empty(n int64) *row { return w.row(w.cal.At(n)) }

// all yields the rows. It can be called once.
func (w *rows) all(ctx context.Context) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		pass := func(ready []*row, err error) bool {
			for _, r := range ready {
				if !yield(r, nil) {
					return false
				}
			}
			return err == nil || yield(nil, err) && false
		}
		for d, err := range w.days.all(ctx) {
			var ready []*row
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
func (w *rows) past(from, kept int64) bool {
	first := calendar.DayMs
	if w.cal.By == Hour {
		first = calendar.HourMs
	}
	return kept >= 0 && !w.days.whole && from+first+kept <= w.now
}

// deal gives a day to the rows of all buckets that it overlaps, in the order of the walk. It returns the rows that this ends.
func (w *rows) deal(d storedDay) (ready []*row, err error) {
	left := w.rest.In(d.Span)
	for left.From < left.To {
		var b calendar.Bucket
		if w.t.desc {
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
			if w.open.part.Has(h.start) {
				if err := w.open.addHour(h); err != nil {
					return ready, err
				}
			}
		}
		if w.cal.By != Hour { // Hours are complete by themselves.
			w.open.addDay(d, w.now)
		}
	}
	return ready, nil
}

// close ends the open row, and appends it to those that are ready if it holds anything.
func (w *rows) close(ready []*row) ([]*row, error) {
	r := w.open
	if r == nil {
		return ready, nil
	}
	w.open = nil
	r.done(w.now)
	if w.total != nil {
		if err := w.total.add(r); err != nil {
			return ready, err
		}
	}
	if r.there() {
		ready = append(ready, r)
	}
	return ready, nil
}
