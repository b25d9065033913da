package query

import (
	"context"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A storedDay is a day by which a site's figures are kept: its stats item, and those of its hours that the range needs. Of a
// day or a month that is sealed it is the sums and the visitors.
type storedDay struct {
	span
	sealed  bool
	month   bool            // it is a month; its stats never expire
	low     bool            // of a month: its sums are too low
	known   *sketch.Uniques // of a sealed one; nil: they are not known
	counted bool            // the day's stats item is there
	sums    sums            // of the stats item
	kept    int64
	hours   []hour // in the order of the walk
	events  int64  // of the hours
	oldest  int64  // ms that an hour outlives its end, the least of all; -1: for ever, or no hour
}

// complete reports whether the hours hold all that happened on the day from an instant on. Hours expire long before
// days do: from then on the visitors of the day are not known. Fewer events in the hours than in the day are not
// enough to tell, since a step's writes to them may be on their way; the first of the hours must be past its time as
// well. That alone decides where there is no stats item to compare with.
func (d storedDay) complete(from, now int64) bool {
	counted := 0
	for _, h := range d.hours {
		if h.counted {
			counted++
		}
	}
	if d.counted && d.events >= d.sums.events || !d.counted && counted == 0 {
		return true
	}
	return counted > 0 && (d.oldest < 0 || from+hourMs+d.oldest > now)
}

// rows walks the buckets of a span that hold anything, in order. It goes through the table by stored days: a day's hours
// are read whole before any of them reaches a row, since only all of them together tell, by comparison with the
// day's stats, whether some have expired. So it holds at most a day's hours in memory.
type rows struct {
	cal  calendar
	cuts stored
	span span // the range
	rest span // what is walked of it
	desc bool
	now  int64

	stretches *stretches // of the range; nil: the rows are hours
	over      int        // expired items that walks have left out that are over
	told      bool       // a sealed month tells how the range begins

	begun bool
	hours *hours // of the stretch in hand
	next  hour   // in hand, if more
	more  bool
	days  *bucketWalk // nil: the rows are hours, which are complete by themselves
	kept  int64       // ms that a day, or an hour where the rows are hours, outlives its end, the least so far; -1: for ever

	open  *row   // may get more of the days to come
	ready []*row // wait to be taken
	ended bool
	total *total // of the rows that were ready so far; nil: not wanted
}

// rows begins a walk over what is left of a range, both of which consist of whole buckets or days. It sums the rows
// up in t, unless that is nil.
func (r *Reader) rows(p StatsParams, cal calendar, cuts stored, s, rest span, t *total) *rows {
	w := &rows{cal: cal, cuts: cuts, span: s, rest: rest, desc: p.Desc, now: r.now().UnixMilli(), kept: -1, total: t}
	switch {
	case rest.from >= rest.to:
		w.ended = true
	case cal.by == Hour:
		w.hours = r.hours(p.Site, rest, p.Desc, p.Consistent)
	default:
		sealing := r.sealedUniques()
		sealing.fits, sealing.bare = w.fits, true
		w.stretches = r.stretches(p.Site, cuts, cuts.days(rest), p.Desc, p.Consistent, sealing)
	}
	return w
}

// fits reports whether a day or month is a part of one row alone, and of one that is made of days.
func (w *rows) fits(s span) bool {
	part := w.cal.bucket(s.from).in(w.rest)
	return part.from <= s.from && s.to <= part.to && w.cuts.sourceOf(w.cal.bucket(s.from).in(w.span)) == dayItems
}

// unseal begins to walk the hours and days of a stretch.
func (w *rows) unseal(s span) {
	r := w.stretches.r
	w.begun, w.over = false, w.expired()
	w.hours = r.hours(w.stretches.site, s, w.desc, w.stretches.consistent)
	w.hours.stats.within, w.hours.parts.within = w.rest, w.rest
	w.days = r.days(w.stretches.site, w.cuts, s, w.desc, w.stretches.consistent)
	w.days.within = w.rest
}

// empty makes the row of a bucket of the range that has nothing.
func (w *rows) empty(n int64) *row { return newRow(w.cal.at(n), w.span, w.cuts) }

// expired is how many items of the span the walk has left out so far.
func (w *rows) expired() int {
	n := w.over
	if w.hours != nil {
		n += w.hours.expired()
	}
	if w.days != nil {
		n += w.days.expired
	}
	return n
}

// take returns the next row; nil at the end.
func (w *rows) take(ctx context.Context) (*row, error) {
	for len(w.ready) == 0 && !w.ended {
		d, ok, err := w.nextDay(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			w.ended = true
			err = w.close()
		} else {
			err = w.deal(d)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(w.ready) == 0 {
		return nil, nil
	}
	r := w.ready[0]
	w.ready = w.ready[1:]
	return r, nil
}

// nextDay reads the next stored day that has anything, or the next sealed day or month; ok is false at the end.
func (w *rows) nextDay(ctx context.Context) (storedDay, bool, error) {
	for {
		if w.hours != nil {
			if d, ok, err := w.gather(ctx); ok || err != nil || w.stretches == nil {
				return d, ok, err
			}
		}
		s, ok, err := w.stretches.next(ctx)
		if !ok || err != nil {
			return storedDay{}, false, err
		}
		if s.day != nil || s.month != nil {
			d, err := s.stored()
			w.told = w.told || d.month && d.from <= w.span.from
			if !d.month {
				w.kept = shorter(w.kept, d.kept)
			}
			return d, true, err
		}
		w.unseal(s.span)
	}
}

// stored makes a sealed stretch what rows are made of.
func (s stretch) stored() (storedDay, error) {
	d := storedDay{span: s.span, sealed: true, counted: true, kept: -1, oldest: -1}
	if s.month != nil {
		d.month = true
		d.sums, d.low = s.month.sums()
	} else {
		d.sums.add(s.day)
		d.kept = keptFor(s.day, s.to)
	}
	if s.sealed == nil {
		return d, nil
	}
	d.known = sketch.NewHour()
	return d, union(d.known, sketch.NewHour(), s.sealed, sinks.AttrPart)
}

// gather reads the next stored day of the stretch in hand that has anything; ok is false at its end.
func (w *rows) gather(ctx context.Context) (d storedDay, ok bool, err error) {
	if !w.begun {
		w.begun = true
		if err := w.advance(ctx); err != nil {
			return d, false, err
		}
		if w.days != nil {
			if err := w.days.advance(ctx); err != nil {
				return d, false, err
			}
		}
	}
	counted := w.days != nil && w.days.item != nil
	at := w.next.start
	switch {
	case !counted && !w.more:
		return d, false, nil
	case !counted:
	case !w.more || w.desc == (w.days.start > w.cuts.day(at).from):
		at = w.days.start
	}
	d.span = w.cuts.day(at)
	d.kept, d.oldest = -1, -1
	if counted && w.days.start == d.from {
		d.counted = true
		d.sums.add(w.days.item)
		d.kept = keptFor(w.days.item, d.from+dayMs)
		if err := w.days.advance(ctx); err != nil {
			return d, false, err
		}
	}
	for w.more && d.has(w.next.start) {
		d.hours = append(d.hours, w.next)
		d.events += w.next.sums.events
		if w.next.counted {
			d.oldest = shorter(d.oldest, w.next.kept)
		}
		if err := w.advance(ctx); err != nil {
			return d, false, err
		}
	}
	if w.days == nil {
		w.kept = shorter(w.kept, d.oldest)
	} else {
		w.kept = shorter(w.kept, d.kept)
	}
	return d, true, nil
}

// past reports whether the range begins so long ago that items of its first hour or day have expired, if they are
// kept for so many ms.
func (w *rows) past(kept int64) bool {
	first := dayMs
	if w.cal.by == Hour {
		first = hourMs
	}
	return kept >= 0 && !w.told && w.span.from+first+kept <= w.now
}

// advance takes the next hour in hand.
func (w *rows) advance(ctx context.Context) (err error) {
	w.next, w.more, err = w.hours.next(ctx)
	return err
}

// deal gives a day to the rows of all buckets that it overlaps, in the order of the walk.
func (w *rows) deal(d storedDay) error {
	left := w.rest.in(d.span)
	for left.from < left.to {
		var b bucket
		if w.desc {
			b = w.cal.bucket(left.to - 1)
			left.to = b.from
		} else {
			b = w.cal.bucket(left.from)
			left.from = b.to
		}
		if w.open == nil || w.open.n != b.n {
			if err := w.close(); err != nil {
				return err
			}
			w.open = newRow(b, w.span, w.cuts)
		}
		if d.sealed {
			if err := w.open.addSealed(d); err != nil {
				return err
			}
			continue
		}
		for _, h := range d.hours {
			if w.open.part.has(h.start) {
				if err := w.open.addHour(h); err != nil {
					return err
				}
			}
		}
		if w.days != nil {
			w.open.addDay(d, w.now)
		}
	}
	return nil
}

// close makes the open row ready if it holds anything.
func (w *rows) close() error {
	r := w.open
	if r == nil {
		return nil
	}
	w.open = nil
	r.done(w.now)
	if w.total != nil {
		if err := w.total.add(r); err != nil {
			return err
		}
	}
	if r.there() {
		w.ready = append(w.ready, r)
	}
	return nil
}
