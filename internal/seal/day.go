package seal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

const hourMs = int64(time.Hour / time.Millisecond)

// day seals the visitors and the breakdown of a day. before is what the month's stats say of it; they may be older.
func (s *Sealer) day(ctx context.Context, site string, day int64, before sinks.SealedDay) (sinks.SealedDay, error) {
	key := s.o.Keys.DayStats(site, day)
	uniques := target{kind: sinks.EntitySealedUniques, key: s.o.Keys.DayUniques(site, day), attr: sinks.AttrMarks}
	breakdown := target{kind: sinks.EntitySealedBreakdown, key: s.o.Keys.DayBreakdown(site, day), attr: sinks.AttrMarks}
	if before.Whole {
		uniques.was, breakdown.was = before.Marks, before.Marks
	}
	for range tries {
		stats, err := s.stats(ctx, key)
		if err != nil {
			return sinks.SealedDay{}, err
		}
		now := sinks.SealedDay{Marks: sinks.MarksDigest(stats)}
		sum, err := s.read(ctx, site, day)
		if err != nil {
			return sinks.SealedDay{}, err
		}
		if !sum.complete(stats, s.o.Now()) {
			return now, nil
		}
		sum.marks, sum.ttl, sum.stats = now.Marks, stats[sinks.AttrTTL], stats
		ok, err := s.putDay(ctx, &uniques, &breakdown, sum)
		if err != nil {
			return sinks.SealedDay{}, err
		}
		if ok {
			now.Whole = true
			return now, nil
		}
	}
	return sinks.SealedDay{}, errOvertaken
}

// stats reads the stats of a day; errGone: there are none any more.
func (s *Sealer) stats(ctx context.Context, key sinks.Key) (sinks.Item, error) {
	found, err := s.get(ctx, key)
	if err == nil && found[key] == nil {
		err = errGone
	}
	return found[key], err
}

// putDay puts both items, as far as they are not there; ok is false when another was there than was known.
func (s *Sealer) putDay(ctx context.Context, uniques, breakdown *target, sum *sources) (ok bool, err error) {
	part, err := sum.visitors.AppendBinary(nil)
	if err != nil {
		return false, err
	}
	common := func(more sinks.Item) sinks.Item {
		more[sinks.AttrMarks] = sinks.Str(sum.marks)
		if sum.until >= 0 {
			more[sinks.AttrUntil] = sinks.Int(sum.until)
		}
		if sum.ttl.Kind() != sinks.None {
			more[sinks.AttrTTL] = sum.ttl
		}
		return more
	}
	if uniques.was != sum.marks {
		ok, err := s.put(ctx, uniques, common(plainUniques(sum.visitors, sum.stats, sum.values.in(sinks.Item{
			sinks.AttrPart: sinks.Bytes(part), sinks.AttrEvents: sinks.Int(sum.events), sinks.AttrHours: sinks.Int(sum.hours)}))))
		if err != nil || !ok {
			return false, err
		}
	}
	if breakdown.was == sum.marks {
		return true, nil
	}
	attrs, err := breakdownAttrs(&sum.breakdown, sum.broken)
	if err != nil {
		return false, err
	}
	return s.put(ctx, breakdown, common(attrs))
}

// sources are what the hours of a day come to.
type sources struct {
	from, to  int64 // the day's span
	late      journal.Journal
	visitors  *sketch.Uniques
	breakdown sketch.BreakdownSum
	values    values
	events    int64
	hours     int64 // that have stats
	drops     sites.DropIndex
	broken    int64 // that have a breakdown
	kept      int64 // ms that an hour outlives its end, the least of all; -1: for ever, or no hour
	until     int64 // when the first of the hours expires, s since the epoch; -1: never
	expired   bool  // one of them has

	marks string      // of the day's stats, before the hours were read
	ttl   sinks.Value // of the day's stats
	stats sinks.Item  // these stats
}

// read merges the hours of a day.
func (s *Sealer) read(ctx context.Context, site string, day int64) (*sources, error) {
	if err := s.o.Refresh(ctx); err != nil {
		return nil, err
	}
	if s.o.Gone(site) {
		return nil, errPurged
	}
	from, to := s.o.DaySpan(site, s.zone, day)
	sum := &sources{from: from, to: to, drops: sites.IndexDrops(s.o.Drops(site)), visitors: sketch.NewHour(), kept: -1, until: -1}
	type list struct {
		pk, prefix string
		take       func(sinks.Item) error
	}
	lists := []list{{s.o.Keys.Site(site), sinks.HourStatsPrefix, sum.takeHour}}
	breakdown := sum.takeBreakdown()
	for date := range sinks.DaysOfHours(from, to) {
		lists = append(lists, list{s.o.Keys.BreakdownOfDay(site, date), sinks.LatePrefix, sum.takeLate}, // Before what it is merged into.
			list{s.o.Keys.UniquesOfDay(site, date), sinks.UniquesPrefix, sum.takeUniques},
			list{s.o.Keys.BreakdownOfDay(site, date), sinks.BreakdownPrefix, breakdown})
	}
	for _, list := range lists {
		late := list.prefix == sinks.LatePrefix
		q := sinks.Query{PK: list.pk, From: list.prefix + sinks.Hour(from), To: list.prefix + sinks.Hour(to), Consistent: true}
		if late {
			q = sinks.Query{PK: list.pk, Prefix: list.prefix, Consistent: true}
		}
		for it, err := range s.items(ctx, q) {
			if err != nil {
				return nil, err
			}
			if late {
				if s.expired(it) {
					continue
				}
				if err := list.take(it); err != nil {
					return nil, err
				}
				continue
			}
			hour, err := hourOf(it, list.prefix)
			switch {
			case err != nil:
				return nil, err
			case hour < from || hour >= to: // The bound is the first hour of the next day.
				continue
			case s.expired(it):
				sum.expired = true
				continue
			}
			if err := list.take(it); err != nil {
				return nil, fmt.Errorf("%s / %s: %w", it.Key().PK, it.Key().SK, err)
			}
		}
	}
	if sum.kept >= 0 {
		sum.until = (from + hourMs + sum.kept) / 1000
	}
	return sum, nil
}

// hourOf reads the hour that a sort key names.
func hourOf(it sinks.Item, prefix string) (int64, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(it.Key().SK, prefix), "#")
	return sinks.ParseHour(name)
}

func (sum *sources) takeHour(it sinks.Item) error {
	sum.hours++
	sum.events += it[sinks.AttrEvents].Int()
	if ttl := it[sinks.AttrTTL]; ttl.Kind() == sinks.Number {
		hour, err := hourOf(it, sinks.HourStatsPrefix)
		if err != nil {
			return err
		}
		if kept := ttl.Int()*1000 - hour - hourMs; sum.kept < 0 || kept < sum.kept {
			sum.kept = kept
		}
	}
	sum.values.addHour(it)
	for name, v := range it {
		if tp, err := sinks.ParseTP(strings.TrimPrefix(name, "h")); err != nil || sinks.AttrUniques(tp) != name {
			continue
		}
		if err := sum.see(v.Bytes()); err != nil {
			return sinks.Damaged(it.Key(), name, err)
		}
	}
	return nil
}

func (sum *sources) takeUniques(it sinks.Item) error {
	return sinks.Damaged(it.Key(), sinks.AttrPart, sum.see(it[sinks.AttrPart].Bytes()))
}

// takeLate takes in an entry of the journal: the visitors now, the rest once the breakdowns of its hours are read.
func (sum *sources) takeLate(it sinks.Item) error {
	e, err := journal.Read(it)
	if err != nil {
		return err
	}
	sum.late.Add(e)
	for _, l := range e.Logs {
		if l.Hour < sum.from || l.Hour >= sum.to {
			continue
		}
		if err := (*sketch.Breakdown)(nil).Replay(l.Ops, func(v uint64) { sum.visitors.Add(v) }); err != nil {
			return err
		}
	}
	return nil
}

func (sum *sources) see(part []byte) error {
	u := sketch.NewHour()
	if err := u.UnmarshalBinary(part); err != nil {
		return err
	}
	return sum.visitors.Merge(u)
}

// takeBreakdown returns what takes the breakdowns in, in the order of their hours.
func (sum *sources) takeBreakdown() func(sinks.Item) error {
	last := int64(-1)
	return func(it sinks.Item) error {
		part := new(sketch.Breakdown)
		if err := sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), part); err != nil {
			return sinks.Damaged(it.Key(), sinks.AttrPart, err)
		}
		hour, err := hourOf(it, sinks.BreakdownPrefix)
		if err == nil {
			err = sum.late.ApplyTo(part, it, hour)
		}
		if gone := sum.drops.In(hour); err == nil && gone != nil {
			part.Purge(gone)
		}
		if hour != last {
			sum.broken, last = sum.broken+1, hour
		}
		sum.breakdown.Add(part)
		return err
	}
}

// complete reports whether nothing of the day's hours has expired. They were read after the day's stats, which are written
// last in a step: fewer events in them than in the day are gone.
func (sum *sources) complete(stats sinks.Item, now time.Time) bool {
	return !sum.expired && sum.events >= stats[sinks.AttrEvents].Int() && (sum.until < 0 || now.Unix() < sum.until)
}
