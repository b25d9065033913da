package erase

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// The last sweep of an erasure that includes breakdowns drops the rows that only the visitor made, from the breakdowns of all hours
// that begin at or before its instant, and from what is sealed. Steps that know the tombstone do the same before they change an hour
// (package pipeline, purge.go), so it is no matter which of the two comes first, and doing it again changes nothing.
//
// What a row shows may lie in the item, in the journal, or in both. Where an entry has an event of the visitor, the sweep does what a
// step that merges does: it writes the item with what the entries of settled steps say, under the mark of the last of them, and
// drops the rows. All of these steps are older than the tombstone, or know it. Then the entry loses its texts. It is left in
// the table since its visitors are in no part yet; its owner deletes it.
//
// An item is written on condition of the mark that was read, and of the revision of the last erasure that was here: two sweeps
// at once would bring each other's rows back. Before the first hour of a day is written, the day's stats take the revision, which
// makes what was sealed of that day and its month one of other marks: readers merge the hours again, and so does package seal.

// broken is how the sweep goes through breakdowns.
type broken struct {
	*finder
	keys    sinks.Keys // of a generation
	zone    sites.Zone // that the site's entry fixes for it
	visitor uint64
	rev     int64
	dry     bool                        // only count
	settled func(sinks.TP) int64        // last step whose entries in the journal will not change any more
	held    func(sinks.TP) bool         // an older step of the chain may be done again
	dropped func(kind string, rows int) // receives the number of rows

	mu     sync.Mutex // covers bumped; never held across I/O
	bumped map[int64]bool
}

// breakdowns drops the visitor's rows in all generations.
func (s *sweeper) breakdowns(ctx context.Context) error {
	for _, keys := range s.keys {
		if err := s.breakdownsOf(ctx, keys); err != nil {
			return err
		}
	}
	return nil
}

func (s *sweeper) breakdownsOf(ctx context.Context, keys sinks.Keys) error {
	entry := sinks.Keys{}.SiteEntry(s.finder.Site) // A rebuild may have begun.
	found, err := sinks.Get(ctx, s.run.table, entry)
	if err != nil {
		return err
	}
	zone, err := sites.EntryZone(found[entry], keys)
	if err != nil {
		return err
	}
	b := &broken{finder: s.finder, keys: keys, zone: zone, visitor: *s.Erase.Breakdowns, rev: s.Rev, held: s.heldBack,
		bumped: make(map[int64]bool)}
	b.settled = func(tp sinks.TP) int64 {
		head, ok := s.heads[tp]
		switch {
		case s.gone(tp):
			return math.MaxInt64 - 1
		case !ok:
			return 0
		case head.Done:
			return head.Step
		}
		return head.Step - 1
	}
	b.dropped = func(kind string, rows int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.Touched[kind] += int64(rows)
	}
	if err := b.hours(ctx); err != nil {
		return err
	}
	return b.sealed(ctx)
}

// only is whose rows are dropped.
func (b *broken) only(visitor uint64) bool { return visitor == b.visitor }

// hours goes through all dates that the site has hours of, up to the erasure's instant.
func (b *broken) hours(ctx context.Context) error {
	var dates []int64
	q := sinks.Query{PK: b.keys.Site(b.Site), Prefix: sinks.HourStatsPrefix}
	for it, err := range items(ctx, b.table, q) {
		if err != nil {
			return err
		}
		hour, err := sinks.ParseHour(strings.TrimPrefix(it.Key().SK, sinks.HourStatsPrefix))
		if err != nil {
			return fmt.Errorf("item %s / %s: %w", it.Key().PK, it.Key().SK, err)
		}
		if hour > b.until {
			continue
		}
		for date := range sinks.DaysOfHours(hour, hour+1) {
			if len(dates) == 0 || dates[len(dates)-1] != date {
				dates = append(dates, date)
			}
		}
	}
	for _, date := range dates {
		if err := b.date(ctx, date); err != nil {
			return err
		}
	}
	return nil
}

// A partHour is a partition's part of an hour.
type partHour struct {
	tp   sinks.TP
	hour int64
}

// date goes through the hours of a date. The journal is read before the items, as readers do.
func (b *broken) date(ctx context.Context, date int64) error {
	pk := b.keys.BreakdownOfDay(b.Site, date)
	var late journal.Journal
	var entries []sinks.Item
	for it, err := range items(ctx, b.table, sinks.Query{PK: pk, Prefix: sinks.LatePrefix}) {
		if err != nil {
			return err
		}
		e, err := journal.Read(it)
		if err != nil {
			return err
		}
		late.Add(e)
		entries = append(entries, it)
	}
	var mu sync.Mutex // covers marks
	marks := make(map[partHour]int64)
	err := inPages(ctx, b.table, sinks.Query{PK: pk, Prefix: sinks.BreakdownPrefix}, func(ctx context.Context, it sinks.Item) error {
		name, _, _ := strings.Cut(strings.TrimPrefix(it.Key().SK, sinks.BreakdownPrefix), "#")
		hour, err := sinks.ParseHour(name)
		if err != nil {
			return fmt.Errorf("item %s / %s: %w", it.Key().PK, it.Key().SK, err)
		}
		tp, err := partOf(it.Key())
		if err != nil || hour > b.until || b.held(tp) {
			return err
		}
		mark, err := b.item(ctx, it, tp, hour, &late)
		mu.Lock()
		defer mu.Unlock()
		marks[partHour{tp, hour}] = mark
		return err
	})
	if err != nil || b.dry {
		return err
	}
	for _, it := range entries {
		if err := b.strip(ctx, it, marks); err != nil {
			return err
		}
	}
	return nil
}

// item drops rows from a partition's breakdown of an hour, and returns the item's mark after that.
func (b *broken) item(ctx context.Context, it sinks.Item, tp sinks.TP, hour int64, late *journal.Journal) (mark int64, err error) {
	name := sinks.AttrMark(checkpoint.LaneStats, tp)
	for it != nil {
		if err := sinks.CheckKinds(it); err != nil {
			return 0, err
		}
		mark = it[name].Int()
		part := new(sketch.Breakdown)
		if err := sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), part); err != nil {
			return mark, sinks.Damaged(it.Key(), sinks.AttrPart, err)
		}
		logs, last := late.After(tp, hour, mark, b.settled(tp)+1)
		said := false
		for _, ops := range logs {
			if err := part.Replay(ops, func(v uint64) { said = said || b.only(v) }); err != nil {
				return mark, err
			}
		}
		_, rows := part.Purge(b.only)
		if b.dry {
			b.dropped(Rows, rows)
			return mark, nil
		}
		if rows == 0 && !said {
			return mark, nil
		}
		if err := b.bump(ctx, hour); err != nil {
			return mark, err
		}
		packed, err := sketch.PackBreakdown(part)
		if err != nil {
			return mark, err
		}
		answer, err := b.table.Update(ctx, sinks.Update{Key: it.Key(), If: unchanged(it, name), Set: []sinks.Attr{
			{Name: sinks.AttrPart, Value: sinks.Bytes(packed)}, {Name: name, Value: sinks.Int(last)},
			{Name: sinks.AttrPurged, Value: sinks.Int(b.rev)}}})
		if err != nil {
			return mark, err
		}
		if !answer.Refused {
			b.dropped(Rows, rows)
			return last, nil
		}
		it = answer.Item
	}
	return math.MaxInt64, nil // It has expired: nothing reads its entries.
}

// unchanged are the conditions that neither a step nor another sweep has written the item since it was read.
func unchanged(it sinks.Item, attr string) []sinks.Cond {
	conds := []sinks.Cond{{Attr: attr, Op: sinks.Equal, Value: it[attr]}, {Attr: sinks.AttrPurged, Op: sinks.Absent}}
	if v := it[sinks.AttrPurged]; v.Kind() != sinks.None {
		conds[1] = sinks.Cond{Attr: sinks.AttrPurged, Op: sinks.Equal, Value: v}
	}
	return conds
}

// bump gives the stats of the day that an hour lies in the erasure's revision, unless a later one was there. Hours of a day that are
// swept at once may each send it; all but the first are refused.
func (b *broken) bump(ctx context.Context, hour int64) error {
	day, ok := b.dayOf(hour)
	b.mu.Lock()
	ok = ok && !b.bumped[day]
	b.mu.Unlock()
	if !ok {
		return nil
	}
	_, err := b.table.Update(ctx, sinks.Update{Key: b.keys.DayStats(b.Site, day),
		Set: []sinks.Attr{{Name: sinks.AttrPurged, Value: sinks.Int(b.rev)}},
		If:  []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}, {Attr: sinks.AttrPurged, Op: sinks.AbsentOrLess, Value: sinks.Int(b.rev)}}})
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.bumped[day] = true
	b.mu.Unlock()
	return nil
}

// dayOf returns the day of the site that has the hour.
func (b *broken) dayOf(hour int64) (day int64, ok bool) {
	const dayMs = int64(24 * time.Hour / time.Millisecond)
	for day := range sinks.DaysOfHours(hour-3*dayMs, hour+dayMs+1) { // A change of zone makes a day up to two days longer.
		if from, to := b.log.DaySpan(b.Site, b.zone, day); from <= hour && hour < to {
			return day, true
		}
	}
	return 0, false
}

// strip takes the texts from an entry that the items have, as far as it has events of the visitor.
func (b *broken) strip(ctx context.Context, it sinks.Item, marks map[partHour]int64) error {
	for it != nil {
		e, err := journal.Read(it)
		if err != nil || b.held(e.TP) || e.Step > b.settled(e.TP) {
			return err
		}
		logs, changed, err := b.stripped(e, marks)
		if err != nil || !changed {
			return err
		}
		answer, err := b.table.Update(ctx, sinks.Update{Key: e.Key, If: unchanged(it, sinks.AttrEpoch), Set: []sinks.Attr{
			{Name: sinks.AttrPart, Value: sinks.Bytes(journal.Pack(logs))}, {Name: sinks.AttrPurged, Value: sinks.Int(b.rev)}}})
		if err != nil || !answer.Refused {
			return err
		}
		it = answer.Item // nil: its owner has deleted it.
	}
	return nil
}

// stripped returns the logs of an entry without the texts that are to go.
func (b *broken) stripped(e journal.Entry, marks map[partHour]int64) (logs []journal.Log, changed bool, err error) {
	logs = slices.Clone(e.Logs)
	for i, l := range logs {
		mark, ok := marks[partHour{e.TP, l.Hour}]
		if l.Hour > b.until || ok && mark < e.Step || sketch.Stripped(l.Ops) {
			continue
		}
		said := false
		if err := (*sketch.Breakdown)(nil).Replay(l.Ops, func(v uint64) { said = said || b.only(v) }); err != nil {
			return nil, false, sinks.Damaged(e.Key, sinks.AttrPart, err)
		}
		if !said {
			continue
		}
		if logs[i].Ops, err = sketch.StripLog(l.Ops); err != nil {
			return nil, false, err
		}
		changed = true
	}
	return logs, changed, nil
}

// countRows counts the rows that would be dropped from hours now.
func (r *run) countRows(ctx context.Context, f *finder, dropped func(kind string, rows int)) error {
	for _, keys := range f.keys {
		b := &broken{finder: f, keys: keys, visitor: *cmp.Or(r.breakdowns(), new(uint64)), dry: true, dropped: dropped,
			settled: func(sinks.TP) int64 { return 1 << 62 }, held: func(sinks.TP) bool { return false }}
		if err := b.hours(ctx); err != nil {
			return err
		}
	}
	return nil
}
