package query

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A bucketWalk walks the items of a site whose sort keys name buckets, in order, expired ones left out.
type bucketWalk struct {
	r       *Reader
	m       *merge
	prefix  string                      // of the sort keys, before the bucket's name
	parse   func(string) (int64, error) // of the bucket's name, which ends at the next '#'
	item    sinks.Item                  // in hand; nil before the first advance and at the end
	start   int64                       // of the bucket that item names
	within  span                        // where expired items are counted; the walk may read a little beside it
	expired int
}

// advance takes the next item in hand.
func (w *bucketWalk) advance(ctx context.Context) error {
	for {
		it, pos, err := w.m.next(ctx)
		if it == nil || err != nil {
			w.item = nil
			return err
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(pos.Key, w.prefix), "#")
		if w.start, err = w.parse(name); err != nil {
			return fmt.Errorf("sort key %q of %s: %w", pos.Key, it[sinks.AttrPK].Str(), err)
		}
		if w.r.expired(it) {
			if w.within.has(w.start) {
				w.expired++
			}
			continue
		}
		w.item = it
		return nil
	}
}

// all passes on the items of the walk, the first one with the first call.
func (w *bucketWalk) all(ctx context.Context) iter.Seq2[sinks.Item, error] {
	return func(yield func(sinks.Item, error) bool) {
		for {
			err := w.advance(ctx)
			if err != nil {
				yield(nil, err)
			}
			if err != nil || w.item == nil || !yield(w.item, nil) {
				return
			}
		}
	}
}

// An hour is what the table holds of an hour: its sums, and the union of all parts of its visitors.
type hour struct {
	start    int64
	counted  bool // its stats item is there; a part of the visitors may be written a moment earlier
	sums     sums
	visitors *sketch.Uniques
	kept     int64 // ms that the stats item outlives the hour's end; -1: for ever
}

// hours walks the hours of a site that have anything, in order. It merges two lists: stats items, which carry the
// small parts of visitors, and the parts that have outgrown them. The union of both over all partitions is right
// whichever of the two a part is in; it may be in both.
//
// Parts lie under a key for each date. A date's are walked when the stats come to it: they are never without stats for longer
// than a step is being written.
type hours struct {
	r            *Reader
	site         string
	span         span
	desc         bool
	consistent   bool
	stats, parts *bucketWalk
	date         int64            // whose parts are being walked, or have been
	late         *journal.Journal // of that date
}

// hours begins a walk over the span, which counts the expired items of all of it.
func (r *Reader) hours(site string, s span, desc, consistent bool) *hours {
	from, to := s.hourBounds(sinks.HourStatsPrefix)
	q := sinks.Query{From: from, To: to, Desc: desc, Consistent: consistent}
	h := &hours{r: r, site: site, span: s, desc: desc, consistent: consistent, date: math.MinInt64}
	h.stats = &bucketWalk{r: r, m: r.walk(q, maxPage, position{}, r.keys.Site(site)),
		prefix: sinks.HourStatsPrefix, parse: sinks.ParseHour, within: s}
	h.parts = &bucketWalk{r: r, prefix: sinks.UniquesPrefix, parse: sinks.ParseHour, within: s}
	return h
}

// openDate begins to walk the parts of the date that the stats have come to, once those of the one before are taken.
func (h *hours) openDate(ctx context.Context) error {
	if h.stats.item == nil || h.parts.item != nil {
		return nil
	}
	date := dateOf(h.stats.start)
	if date == h.date {
		return nil
	}
	var err error
	if h.late, err = h.r.journal(ctx, h.site, date, h.consistent); err != nil {
		return err
	}
	h.date = date
	h.parts.m = h.r.ofDate(h.r.keys.UniquesOfDay(h.site, date), sinks.UniquesPrefix, h.span.in(span{date, date + dayMs}), h.desc, h.consistent)
	return h.parts.advance(ctx)
}

// days begins a walk over the day stats of a site, of the stored days that begin in the span.
func (r *Reader) days(site string, clock siteClock, s span, desc, consistent bool) *bucketWalk {
	from, to := clock.dayBounds(sinks.DayStatsPrefix, s)
	q := sinks.Query{From: from, To: to, Desc: desc, Consistent: consistent}
	return &bucketWalk{r: r, m: r.walk(q, maxPage, position{}, r.keys.Site(site)),
		prefix: sinks.DayStatsPrefix, parse: clock.parseDay, within: s}
}

// expired is how many items the walk has left out so far.
func (h *hours) expired() int { return h.stats.expired + h.parts.expired }

// all passes on the hours, with the first call from the first on.
func (h *hours) all(ctx context.Context) iter.Seq2[hour, error] {
	return func(yield func(hour, error) bool) {
		err := h.stats.advance(ctx)
		for err == nil {
			var hr hour
			var ok bool
			if hr, ok, err = h.merged(ctx); err == nil && (!ok || !yield(hr, nil)) {
				return
			}
		}
		yield(hour{}, err)
	}
}

// merged returns the next hour of the two lists; ok is false at their end.
func (h *hours) merged(ctx context.Context) (hr hour, ok bool, err error) {
	if err := h.openDate(ctx); err != nil {
		return hour{}, false, err
	}
	switch {
	case h.stats.item == nil && h.parts.item == nil:
		return hour{}, false, nil
	case h.parts.item == nil:
		hr.start = h.stats.start
	case h.stats.item == nil:
		hr.start = h.parts.start
	case h.desc:
		hr.start = max(h.stats.start, h.parts.start)
	default:
		hr.start = min(h.stats.start, h.parts.start)
	}
	hr.visitors = sketch.NewHour()
	for h.stats.item != nil && h.stats.start == hr.start {
		if err := hr.addStats(h.stats.item); err != nil {
			return hour{}, false, err
		}
		if err := h.stats.advance(ctx); err != nil {
			return hour{}, false, err
		}
	}
	for h.parts.item != nil && h.parts.start == hr.start {
		if err := union(hr.visitors, sketch.NewHour(), h.parts.item, sinks.AttrPart); err != nil {
			return hour{}, false, err
		}
		if err := h.parts.advance(ctx); err != nil {
			return hour{}, false, err
		}
	}
	if hr.counted && h.late != nil {
		err = h.late.Visitors(hr.start, func(v uint64) { hr.visitors.Add(v) })
	}
	return hr, err == nil, err
}

// addStats folds in the hour's stats item and the parts of visitors that ride in it.
func (hr *hour) addStats(it sinks.Item) error {
	hr.counted, hr.kept = true, keptFor(it, hr.start+hourMs)
	hr.sums.add(it)
	for name, v := range it {
		if v.Kind() != sinks.Binary || !strings.HasPrefix(name, "h") {
			continue
		}
		if tp, err := sinks.ParseTP(name[1:]); err != nil || sinks.AttrUniques(tp) != name {
			continue // Another attribute that begins with the letter.
		}
		if err := union(hr.visitors, sketch.NewHour(), it, name); err != nil {
			return err
		}
	}
	return nil
}

// keptFor returns how many ms an item outlives its bucket, which ends at end; -1: for ever.
func keptFor(it sinks.Item, end int64) int64 {
	if ttl := it[sinks.AttrTTL]; ttl.Kind() == sinks.Number {
		return ttl.Int()*1000 - end
	}
	return -1
}

// shorter returns the lesser of two times that items are kept; -1 is for ever.
func shorter(a, b int64) int64 {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// union decodes the sketch in an item's attribute into part, a fresh one of the same kind as u, and merges it
// into u.
func union(u, part *sketch.Uniques, it sinks.Item, attr string) error {
	if err := part.UnmarshalBinary(it[attr].Bytes()); err != nil {
		return sinks.Damaged(it.Key(), attr, err)
	}
	if err := u.Merge(part); err != nil {
		return fmt.Errorf("merge the visitors in attribute %s of %s / %s: %w", attr, it.Key().PK, it.Key().SK, err)
	}
	return nil
}
