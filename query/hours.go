package query

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A bucketKind is a kind of items whose sort keys name buckets.
type bucketKind struct {
	prefix string                      // of the sort keys, before the bucket's name
	parse  func(string) (int64, error) // of the bucket's name, which ends at the next '#'
}

var (
	hourStats      = bucketKind{sinks.HourStatsPrefix, sinks.ParseHour}
	hourUniques    = bucketKind{sinks.UniquesPrefix, sinks.ParseHour}
	hourBreakdowns = bucketKind{sinks.BreakdownPrefix, sinks.ParseHour}
	dayStats       = bucketKind{sinks.DayStatsPrefix, sinks.ParseDay}
	monthStats     = bucketKind{sinks.MonthStatsPrefix, sinks.ParseMonth}
	minutes        = bucketKind{sinks.RealtimePrefix, sinks.ParseMinute}
)

// A bucketWalk walks items of a kind in order, expired ones left out.
type bucketWalk struct {
	kind    bucketKind
	m       *merge
	within  calendar.Span // where expired items are counted; the walk may read a little beside it
	expired int
}

// buckets begins a walk over the items of a kind that a partition key has, between two sort keys.
func (t siteTable) buckets(kind bucketKind, pk string, keys calendar.KeyRange) *bucketWalk {
	q := sinks.Query{From: keys.From, To: keys.To, Desc: t.desc, Consistent: t.consistent}
	return &bucketWalk{kind: kind, m: t.walk(q, maxPage, position{}, pk)}
}

// hourItems begins a walk over the items of a kind for the hours of a span, and counts those of all of it that have expired.
func (t siteTable) hourItems(kind bucketKind, pk string, s calendar.Span) *bucketWalk {
	w := t.buckets(kind, pk, s.HourBounds(kind.prefix))
	w.within = s
	return w
}

// A bucketItem is an item and the bucket that it belongs to.
type bucketItem struct {
	sinks.Item
	start int64 // of the bucket, as the kind parses its name
}

// all yields the items.
func (w *bucketWalk) all(ctx context.Context) iter.Seq2[bucketItem, error] {
	return func(yield func(bucketItem, error) bool) {
		for it, err := range w.m.all(ctx) {
			var start int64
			if err == nil {
				start, err = w.kind.start(it)
			}
			switch {
			case err != nil:
				yield(bucketItem{}, err)
				return
			case !w.m.t.expired(it.Item):
				if !yield(bucketItem{it.Item, start}, nil) {
					return
				}
			case w.within.Has(start):
				w.expired++
			}
		}
	}
}

// start reads the bucket that an item's sort key names.
func (k bucketKind) start(it listed) (int64, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(it.at.Key, k.prefix), "#")
	start, err := k.parse(name)
	if err != nil {
		return 0, fmt.Errorf("sort key %q of %s: %w", it.at.Key, it.Item[sinks.AttrPK].Str(), err)
	}
	return start, nil
}

// An hour is what the table holds of an hour: its sums, and the union of all parts of its visitors.
type hour struct {
	start    int64
	counted  bool // its stats item is there; a part of the visitors may be written a moment earlier
	sums     sums
	visitors *sketch.Uniques
	extremes extremes
	kept     int64 // ms that the stats item outlives the hour's end; -1: for ever
}

// hours walks the hours of a site that have anything, in order. It merges two lists: stats items, which carry the
// small parts of visitors, and the parts that have outgrown them. The union of both over all partitions is right
// whichever of the two a part is in; it may be in both.
//
// Parts lie under a key for each date. A date's are walked when the stats come to it: they are never without stats for longer
// than a flush is being written.
type hours struct {
	t            siteTable
	span         calendar.Span
	stats, parts *bucketWalk
	stat, part   *head[bucketItem] // in hand of the two
	date         int64             // whose parts are being walked, or have been
	late         *journal.Journal  // of that date
}

// hours begins a walk over a span, which counts the expired items of all of it.
func (t siteTable) hours(s calendar.Span) *hours {
	return &hours{t: t, span: s, date: math.MinInt64, stats: t.hourItems(hourStats, t.keys.Site(t.site), s),
		parts: &bucketWalk{kind: hourUniques, within: s}}
}

// expired is how many items the walk has left out so far.
func (h *hours) expired() int { return h.stats.expired + h.parts.expired }

// all yields the hours. It can be called once.
func (h *hours) all(ctx context.Context) iter.Seq2[hour, error] {
	return func(yield func(hour, error) bool) {
		h.stat, h.part = headOf(h.stats.all(ctx)), new(head[bucketItem])
		defer func() {
			h.stat.stop()
			h.part.stop()
		}()
		err := h.stat.advance()
		for err == nil {
			if err = h.openDate(ctx); err != nil || !h.stat.ok && !h.part.ok {
				break
			}
			var hr hour
			if hr, err = h.merged(); err == nil && !yield(hr, nil) {
				return
			}
		}
		if err != nil {
			yield(hour{}, err)
		}
	}
}

// openDate begins to walk the parts of the date that the stats have come to, once those of the one before are taken.
func (h *hours) openDate(ctx context.Context) (err error) {
	if !h.stat.ok || h.part.ok {
		return nil
	}
	date := dateOf(h.stat.value.start)
	if date == h.date {
		return nil
	}
	if h.late, err = h.t.journal(ctx, date); err != nil {
		return err
	}
	h.date = date
	h.parts.m = h.t.hourItems(hourUniques, h.t.keys.UniquesOfDay(h.t.site, date),
		h.span.In(calendar.Span{From: date, To: date + calendar.DayMs})).m
	h.part.stop()
	h.part = headOf(h.parts.all(ctx))
	return h.part.advance()
}

// next returns the next hour of the two lists.
func (h *hours) next() int64 {
	switch {
	case !h.part.ok:
		return h.stat.value.start
	case !h.stat.ok:
		return h.part.value.start
	case h.t.desc:
		return max(h.stat.value.start, h.part.value.start)
	}
	return min(h.stat.value.start, h.part.value.start)
}

// merged takes the next hour of the two lists.
func (h *hours) merged() (hr hour, err error) {
	hr.start, hr.visitors = h.next(), sketch.NewHour()
	for h.stat.ok && h.stat.value.start == hr.start {
		if err := hr.addStats(h.stat.value.Item); err != nil {
			return hour{}, err
		}
		if err := h.stat.advance(); err != nil {
			return hour{}, err
		}
	}
	for h.part.ok && h.part.value.start == hr.start {
		if err := union(hr.visitors, sketch.NewHour(), h.part.value.Item, sinks.AttrPart); err != nil {
			return hour{}, err
		}
		if err := h.part.advance(); err != nil {
			return hour{}, err
		}
	}
	if hr.counted && h.late != nil {
		err = h.late.Visitors(hr.start, func(v uint64) { hr.visitors.Add(v) })
	}
	return hr, err
}

// addStats folds in the hour's stats item and the parts of visitors that ride in it.
func (hr *hour) addStats(it sinks.Item) error {
	hr.counted, hr.kept = true, keptFor(it, hr.start+calendar.HourMs)
	hr.sums.add(it)
	hr.addExtremes(it)
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
