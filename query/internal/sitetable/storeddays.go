package sitetable

import (
	"context"
	"iter"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A storedDay is what is stored of a site's day: its stats item, and those of its hours that the range needs. Of a
// day or a month that is sealed it is the sums and the visitors.
type storedDay struct {
	calendar.Span
	sealed  bool
	month   bool            // it is a month; its stats never expire
	low     bool            // of a month: its sums are too low
	known   *sketch.Uniques // of a sealed one; nil: they are not known
	values  Extremes        // of a sealed one
	counted bool            // the day's stats item is there
	sums    Sums            // of the stats item
	kept    int64
	hours   []hour // in the order of the walk
	events  int64  // of the hours
	oldest  int64  // ms that an hour outlives its end, the least of all; -1: for ever, or no hour
}

// complete reports whether the hours hold all that happened on the day from an instant on. Hours expire long before
// days do. From then on the visitors of the day are unknown. Fewer events in the hours than in the day do not prove it, since a
// flush may still be writing them: the first of the hours must be past its time as well. That alone decides if there is no stats
// item to compare with.
func (d storedDay) complete(from, now int64) bool {
	counted := 0
	for _, h := range d.hours {
		if h.Counted {
			counted++
		}
	}
	if d.counted && d.events >= d.sums.Counts[figures.Events] || !d.counted && counted == 0 {
		return true
	}
	return counted > 0 && (d.oldest < 0 || from+calendar.HourMs+d.oldest > now)
}

// storedDays walks what a range is made of, in order: stored days with their hours, and sealed days and months.
type storedDays struct {
	t     Table
	by    ranges.By
	rest  calendar.Span            // what is walked
	first int64                    // where the range begins
	fits  func(calendar.Span) bool // reports whether a day or month may be answered as a whole

	hours *Hours      // of the stretch in hand; nil: none yet
	days  *bucketWalk // as hours; nil: the rows are hours, which need no days
	over  int         // expired items that walks have left out that are over
	whole bool        // a sealed month covers the beginning of the range
	Kept  int64       // ms that a day, or an hour where the rows are hours, outlives its end, the least so far; -1: for ever
}

// all yields the stored days that have anything, and the sealed days and months.
func (w *storedDays) all(ctx context.Context) iter.Seq2[storedDay, error] {
	switch {
	case w.rest.From >= w.rest.To:
		return func(func(storedDay, error) bool) {}
	case w.by == ranges.Hour:
		return w.unsealed(ctx, w.rest)
	}
	sealing := SealedUniques(w.t.Keys)
	sealing.fits, sealing.bare = w.fits, true
	stretches := w.t.Stretches(w.t.Clock.Days(w.rest), sealing)
	return func(yield func(storedDay, error) bool) {
		for s, err := range stretches.All(ctx) {
			if err == nil && s.day == nil && s.month == nil {
				for d, err := range w.unsealed(ctx, s.Span) {
					if !yield(d, err) {
						return
					}
				}
				continue
			}
			var d storedDay
			if err == nil {
				d, err = s.stored()
				w.whole = w.whole || d.month && d.From <= w.first
				if !d.month {
					w.Kept = Shorter(w.Kept, d.kept)
				}
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// stored makes a sealed stretch what rows are made of.
func (s stretch) stored() (storedDay, error) {
	d := storedDay{Span: s.Span, sealed: true, counted: true, kept: -1, oldest: -1}
	if s.month != nil {
		d.month = true
		d.sums, d.low = s.month.sums()
	} else {
		d.sums.AddStats(s.day)
		d.kept = keptFor(s.day, s.To)
	}
	if s.Sealed == nil {
		return d, nil
	}
	d.known = sketch.NewHour()
	d.values = extremesOf(s.Sealed, sinks.AttrValueMin, sinks.AttrValueMax)
	return d, Union(d.known, sketch.NewHour(), s.Sealed, sinks.AttrPart)
}

// unsealed yields the stored days of a stretch that have anything, made of their hours.
func (w *storedDays) unsealed(ctx context.Context, s calendar.Span) iter.Seq2[storedDay, error] {
	return func(yield func(storedDay, error) bool) {
		w.over = w.Expired()
		w.hours, w.days = w.t.HoursOf(s), nil
		days := new(Head[BucketItem])
		if w.by != ranges.Hour {
			w.days = w.t.DaysOf(s)
			days = HeadOf(w.days.All(ctx))
			w.hours.stats.Within, w.hours.parts.Within, w.days.Within = w.rest, w.rest, w.rest
		}
		defer days.Stop()
		hours := HeadOf(w.hours.All(ctx))
		defer hours.Stop()
		err := hours.Advance()
		if err == nil && w.days != nil {
			err = days.Advance()
		}
		for err == nil && (hours.Ok || days.Ok) {
			var d storedDay
			if d, err = w.gather(hours, days); err == nil && !yield(d, nil) {
				return
			}
		}
		if err != nil {
			yield(storedDay{}, err)
		}
	}
}

// DaysOf begins a walk over the stats of the stored days that begin in a span. Each starts at an instant, not at its name.
func (t Table) DaysOf(s calendar.Span) *bucketWalk {
	kind := bucketKind{DayStats.Prefix, t.Clock.ParseDay}
	return t.Buckets(kind, t.Keys.Site(t.Site), t.Clock.DayBounds(kind.Prefix, s))
}

// gather takes the next stored day, with its hours.
func (w *storedDays) gather(hours *Head[hour], days *Head[BucketItem]) (d storedDay, err error) {
	at := hours.Value.Start
	if days.Ok && (!hours.Ok || w.t.Desc == (days.Value.Start > w.t.Clock.Day(at).From)) {
		at = days.Value.Start
	}
	d.Span = w.t.Clock.Day(at)
	d.kept, d.oldest = -1, -1
	if days.Ok && days.Value.Start == d.From {
		d.counted = true
		d.sums.AddStats(days.Value.Item)
		d.kept = keptFor(days.Value.Item, d.From+calendar.DayMs)
		if err := days.Advance(); err != nil {
			return d, err
		}
	}
	for hours.Ok && d.Has(hours.Value.Start) {
		h := hours.Value
		d.hours = append(d.hours, h)
		d.events += h.Sums.Counts[figures.Events]
		if h.Counted {
			d.oldest = Shorter(d.oldest, h.kept)
		}
		if err := hours.Advance(); err != nil {
			return d, err
		}
	}
	if w.days == nil {
		w.Kept = Shorter(w.Kept, d.oldest)
	} else {
		w.Kept = Shorter(w.Kept, d.kept)
	}
	return d, nil
}

// Expired is how many items of the span the walk has left out so far.
func (w *storedDays) Expired() int {
	n := w.over
	if w.hours != nil {
		n += w.hours.Expired()
	}
	if w.days != nil {
		n += w.days.Expired
	}
	return n
}
