package sitetable

import (
	"context"
	"iter"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// A sealing is what a question wants of sealed days and months: where the items lie.
type sealing struct {
	day, month func(site string, start int64) sinks.Key
	// fits reports whether a day or month may be answered as a whole; nil: any may.
	fits func(calendar.Span) bool
	// bare also takes a month for its stats alone, if some of its days have expired and there is no matching sealed item.
	bare bool
}

// SealedUniques are the sealed visitors.
func SealedUniques(keys sinks.Keys) sealing {
	return sealing{day: keys.DayUniques, month: keys.MonthUniques}
}

// SealedBreakdowns are the sealed breakdowns.
func SealedBreakdowns(keys sinks.Keys) sealing {
	return sealing{day: keys.DayBreakdown, month: keys.MonthBreakdown}
}

// A stretch is a part of a range: a day or a month that is sealed, or what is to be read from its hours.
type stretch struct {
	calendar.Span
	Sealed sinks.Item // nil: not sealed, or bare
	day    sinks.Item // stats of a sealed day; nil: it is none
	month  *monthItems
}

// Sums returns the sums of a sealed stretch, by the stats of its days.
func (s stretch) Sums() (sum Sums) {
	if s.month != nil {
		sum, _ = s.month.sums()
		return sum
	}
	sum.AddStats(s.day)
	return sum
}

// monthItems are a month and those of its days that there are, as a walk has met them.
type monthItems struct {
	clock calendar.Clock
	start int64      // its name, as ParseMonth reads it
	item  sinks.Item // its stats
	days  []dayItem  // in the order of the walk
	named sinks.SealedDays
}

type dayItem struct {
	name int64 // as ParseDay reads it
	calendar.Span
	item sinks.Item
}

func (m *monthItems) span() calendar.Span {
	return calendar.Span{From: m.clock.Span(m.start).From, To: m.clock.Span(sinks.LastDay(m.start)).To}
}

// sums returns the sums of a month. Where days of it have expired they are those that were sealed, and those of days that have
// come since. If a day has changed since it was sealed, the month lacks the change, and its sums are too low.
func (m *monthItems) sums() (s Sums, low bool) {
	short := m.short()
	if short {
		s.AddStats(m.item)
	}
	for _, d := range m.days {
		named, sealed := m.named[sinks.DayOfMonth(d.name)]
		if !short || !sealed { // Of a month that has all its days it is the same, and read already.
			s.AddStats(d.item)
		} else if named.Marks != sinks.MarksDigest(d.item) {
			low = true
		}
	}
	return s, low
}

// short reports whether days of which the month was sealed have expired.
func (m *monthItems) short() bool {
	there := 0
	for _, d := range m.days {
		if _, ok := m.named[sinks.DayOfMonth(d.name)]; ok {
			there++
		}
	}
	return there < len(m.named)
}

// stretches splits a range at sealed days and months, in the order of the walk. It holds the items of a month at a time.
//
// A sealed item is used while the marks that it names equal those of the days' items: then nothing has been added since. It is also
// used once hours, or days of a month, have begun to expire: then it is the best there is. The days' items are read before the
// sealed items, so a sealed item with the same marks is not older than the days.
type stretches struct {
	t       Table
	rest    calendar.Span // not yet given out
	sealing sealing
	days    *Head[BucketItem]
	ready   []stretch // not yet given out
}

// Stretches begins a walk over the sealed items of a span, and what lies between them.
func (t Table) Stretches(s calendar.Span, what sealing) *stretches {
	return &stretches{t: t, rest: s, sealing: what}
}

// wholeDay reports whether there is a day in the range that may be sealed. It is over then: a range may end in the year 9999,
// and where no day fits, all of them would be tried. A day is left to a sealer whose clock is ahead.
func (w *stretches) wholeDay() bool {
	over := min(w.rest.To, w.t.Now().UnixMilli()+calendar.DayMs)
	for day := w.t.Clock.Day(w.rest.From); day.From < over; day = w.t.Clock.Day(day.To) {
		if w.within(day) {
			return true
		}
	}
	return false
}

// All yields the stretches. It can be called once.
func (w *stretches) All(ctx context.Context) iter.Seq2[stretch, error] {
	return func(yield func(stretch, error) bool) {
		for m, err := range w.byMonth(ctx) {
			if err == nil {
				err = w.split(ctx, m)
			}
			if err != nil {
				yield(stretch{}, err)
				return
			}
			for _, s := range w.ready {
				if !yield(s, nil) {
					return
				}
			}
			w.ready = w.ready[:0]
		}
		if w.rest.From < w.rest.To {
			yield(stretch{Span: w.rest}, nil)
		}
	}
}

// byMonth reads the stats of each month that has any, and its days. No day has been sealed before there are stats of its month, so
// where there are none nothing more is read.
func (w *stretches) byMonth(ctx context.Context) iter.Seq2[*monthItems, error] {
	return func(yield func(*monthItems, error) bool) {
		if !w.wholeDay() {
			return
		}
		days := w.t.Buckets(DayStats, w.t.Keys.Site(w.t.Site), w.t.Clock.DayBounds(sinks.DayStatsPrefix, w.rest))
		w.days = HeadOf(days.All(ctx)) // Who reads the days for their sums counts those that have expired.
		defer w.days.Stop()
		begun := false
		for month, err := range w.t.months(w.rest).All(ctx) {
			if err == nil && !begun {
				begun, err = true, w.days.Advance()
			}
			var m *monthItems
			if err == nil {
				m, err = w.gather(month)
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// months begins a walk over the stats of the months of a span.
func (t Table) months(s calendar.Span) *bucketWalk {
	first, _ := t.Clock.Named(s.From)
	last, _ := t.Clock.Named(s.To - 1)
	return t.Buckets(monthStats, t.Keys.Site(t.Site),
		calendar.KeyRange{From: sinks.MonthStatsPrefix + sinks.Month(first), To: sinks.MonthStatsPrefix + sinks.Month(last) + "~"})
}

// gather takes the days of a month in hand.
func (w *stretches) gather(month BucketItem) (*monthItems, error) {
	m := &monthItems{clock: w.t.Clock, start: month.Start, item: month.Item}
	for w.days.Ok {
		day := w.days.Value
		if at := sinks.MonthOf(day.Start); at == m.start {
			m.days = append(m.days, dayItem{day.Start, w.t.Clock.Span(day.Start), day.Item})
		} else if (at > m.start) != w.t.Desc {
			break
		}
		if err := w.days.Advance(); err != nil {
			return nil, err
		}
	}
	var err error
	m.named, err = sinks.ParseSealedDays(m.item[sinks.AttrDays].Str())
	return m, err
}

// split splits what is left of the range at a month if it is sealed, otherwise at those of its days that are.
func (w *stretches) split(ctx context.Context, m *monthItems) error {
	whole := m.span()
	if w.within(whole) && w.monthHolds(m) {
		key := w.sealing.month(w.t.Site, m.start)
		it, err := w.t.Get(ctx, key, w.t.Consistent)
		if err != nil {
			return err
		}
		holds := it != nil && it[sinks.AttrMarks].Str() == m.named.Digest()
		if holds || w.sealing.bare && m.short() {
			if !holds {
				it = nil
			}
			w.give(stretch{Span: whole, Sealed: it, month: m})
			return nil
		}
	}
	found, err := w.sealedDays(ctx, m)
	if err != nil {
		return err
	}
	for _, d := range m.days {
		it := found[w.sealing.day(w.t.Site, d.name)]
		if it != nil && w.dayHolds(it, d.item) {
			w.give(stretch{Span: d.Span, Sealed: it, day: d.item})
		}
	}
	return nil
}

// sealedDays reads the sealed items of those days of a month that may be answered as a whole. They lie side by side, so a
// query of all costs less than asking for each.
func (w *stretches) sealedDays(ctx context.Context, m *monthItems) (map[sinks.Key]sinks.Item, error) {
	var q sinks.Query
	for _, d := range m.days {
		if !w.within(d.Span) {
			continue
		}
		key := w.sealing.day(w.t.Site, d.name)
		q.PK, q.To = key.PK, max(q.To, key.SK)
		if q.From == "" || key.SK < q.From {
			q.From = key.SK
		}
	}
	found := make(map[sinks.Key]sinks.Item)
	if q.PK == "" {
		return found, nil
	}
	q.Consistent = w.t.Consistent
	for it, err := range w.t.Items(ctx, q) {
		if err != nil {
			return nil, err
		}
		found[it.Key()] = it
	}
	return found, nil
}

// within reports whether a day or a month lies in what is left of the range, and fits.
func (w *stretches) within(s calendar.Span) bool {
	return w.rest.From <= s.From && s.To <= w.rest.To && (w.sealing.fits == nil || w.sealing.fits(s))
}

// give gives out a sealed stretch, and before it what comes before it.
func (w *stretches) give(s stretch) {
	between := calendar.Span{From: w.rest.From, To: s.From}
	if w.t.Desc {
		between = calendar.Span{From: s.To, To: w.rest.To}
	}
	if between.From < between.To {
		w.ready = append(w.ready, stretch{Span: between})
	}
	w.ready = append(w.ready, s)
	if w.t.Desc {
		w.rest.To = s.From
	} else {
		w.rest.From = s.To
	}
}

// monthHolds reports whether the stats of a month are closed and have every day that is still there. Days that
// expired since do not matter.
func (w *stretches) monthHolds(m *monthItems) bool {
	if m.item[sinks.AttrClosed].Int() == 0 {
		return false
	}
	current := true
	for _, d := range m.days {
		named, ok := m.named[sinks.DayOfMonth(d.name)]
		current = current && ok && named.Marks == sinks.MarksDigest(d.item)
	}
	return current || m.short()
}

// dayHolds reports whether a sealed item of a day is to be used.
func (w *stretches) dayHolds(it, day sinks.Item) bool {
	until := it[sinks.AttrUntil]
	return !w.t.Expired(it) && (it[sinks.AttrMarks].Str() == sinks.MarksDigest(day) || until.Kind() == sinks.Number &&
		until.Int() <= w.t.Now().Unix())
}
