package sitetable

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

// An hour is what the table holds of an hour: its sums, and the union of all parts of its visitors.
type hour struct {
	Start    int64
	Counted  bool // its stats item is there; a part of the visitors may be written a moment earlier
	Sums     Sums
	Visitors *sketch.Uniques
	extremes Extremes
	kept     int64 // ms that the stats item outlives the hour's end; -1: for ever
}

// Hours walks the hours of a site that have anything, in order. It merges two lists: stats items, which carry the
// small parts of visitors, and the parts that have outgrown them. The union of both over all partitions is right
// whichever of the two a part is in; it may be in both.
//
// Parts lie under a key for each date. A date's are walked when the stats come to it: they are never without stats for longer
// than a flush is being written.
type Hours struct {
	t            Table
	span         calendar.Span
	stats, parts *bucketWalk
	stat, part   *Head[BucketItem] // in hand of the two
	date         int64             // whose parts are being walked, or have been
	late         *journal.Journal  // of that date
}

// HoursOf begins a walk over a span, which counts the expired items of all of it.
func (t Table) HoursOf(s calendar.Span) *Hours {
	return &Hours{t: t, span: s, date: math.MinInt64, stats: t.HourItems(HourStats, t.Keys.Site(t.Site), s),
		parts: &bucketWalk{kind: hourUniques, Within: s}}
}

// Expired is how many items the walk has left out so far.
func (h *Hours) Expired() int { return h.stats.Expired + h.parts.Expired }

// All yields the hours. It can be called once.
func (h *Hours) All(ctx context.Context) iter.Seq2[hour, error] {
	return func(yield func(hour, error) bool) {
		h.stat, h.part = HeadOf(h.stats.All(ctx)), new(Head[BucketItem])
		defer func() {
			h.stat.Stop()
			h.part.Stop()
		}()
		err := h.stat.Advance()
		for err == nil {
			if err = h.openDate(ctx); err != nil || !h.stat.Ok && !h.part.Ok {
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
func (h *Hours) openDate(ctx context.Context) (err error) {
	if !h.stat.Ok || h.part.Ok {
		return nil
	}
	date := dateOf(h.stat.Value.Start)
	if date == h.date {
		return nil
	}
	if h.late, err = h.t.Journal(ctx, date); err != nil {
		return err
	}
	h.date = date
	h.parts.m = h.t.HourItems(hourUniques, h.t.Keys.UniquesOfDay(h.t.Site, date),
		h.span.In(calendar.Span{From: date, To: date + calendar.DayMs})).m
	h.part.Stop()
	h.part = HeadOf(h.parts.All(ctx))
	return h.part.Advance()
}

// next returns the next hour of the two lists.
func (h *Hours) next() int64 {
	switch {
	case !h.part.Ok:
		return h.stat.Value.Start
	case !h.stat.Ok:
		return h.part.Value.Start
	case h.t.Desc:
		return max(h.stat.Value.Start, h.part.Value.Start)
	}
	return min(h.stat.Value.Start, h.part.Value.Start)
}

// merged takes the next hour of the two lists.
func (h *Hours) merged() (hr hour, err error) {
	hr.Start, hr.Visitors = h.next(), sketch.NewHour()
	for h.stat.Ok && h.stat.Value.Start == hr.Start {
		if err := hr.addStats(h.stat.Value.Item); err != nil {
			return hour{}, err
		}
		if err := h.stat.Advance(); err != nil {
			return hour{}, err
		}
	}
	for h.part.Ok && h.part.Value.Start == hr.Start {
		if err := Union(hr.Visitors, sketch.NewHour(), h.part.Value.Item, sinks.AttrPart); err != nil {
			return hour{}, err
		}
		if err := h.part.Advance(); err != nil {
			return hour{}, err
		}
	}
	if hr.Counted && h.late != nil {
		err = h.late.Visitors(hr.Start, func(v uint64) { hr.Visitors.Add(v) })
	}
	return hr, err
}

// addStats folds in the hour's stats item and the parts of visitors that ride in it.
func (hr *hour) addStats(it sinks.Item) error {
	hr.Counted, hr.kept = true, keptFor(it, hr.Start+calendar.HourMs)
	hr.Sums.AddStats(it)
	hr.addExtremes(it)
	for name, v := range it {
		if v.Kind() != sinks.Binary || !strings.HasPrefix(name, "h") {
			continue
		}
		if tp, err := sinks.ParseTP(name[1:]); err != nil || sinks.AttrUniques(tp) != name {
			continue // Another attribute that begins with the letter.
		}
		if err := Union(hr.Visitors, sketch.NewHour(), it, name); err != nil {
			return err
		}
	}
	return nil
}

// Union decodes the sketch in an item's attribute into part, a fresh one of the same kind as u, and merges it
// into u.
func Union(u, part *sketch.Uniques, it sinks.Item, attr string) error {
	if err := part.UnmarshalBinary(it[attr].Bytes()); err != nil {
		return sinks.Damaged(it.Key(), attr, err)
	}
	if err := u.Merge(part); err != nil {
		return fmt.Errorf("merge the visitors in attribute %s of %s / %s: %w", attr, it.Key().PK, it.Key().SK, err)
	}
	return nil
}

// addExtremes folds in those of all partitions in an hour's stats.
func (hr *hour) addExtremes(it sinks.Item) {
	for name := range it {
		suffix, ok := strings.CutPrefix(name, "mn")
		if !ok {
			continue
		}
		if tp, err := sinks.ParseTP(suffix); err == nil && sinks.AttrLeast(tp) == name {
			hr.extremes.plus(extremesOf(it, name, sinks.AttrGreatest(tp)))
		}
	}
}
