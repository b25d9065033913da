package seal

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// putMonth puts the stats of a month, of those of its days that are sealed as they are now; and, once the month is over and
// all are, its visitors and breakdown before.
func (s *Sealer) putMonth(ctx context.Context, m *siteMonth, sealed sinks.SealedDays, over bool) error {
	stats := target{kind: sinks.EntityMonthStats, key: s.o.Keys.MonthStats(m.site, m.start), attr: sinks.AttrDays,
		was: m.item[sinks.AttrDays].Str()}
	uniques := target{kind: sinks.EntitySealedUniques, key: s.o.Keys.MonthUniques(m.site, m.start), attr: sinks.AttrMarks}
	breakdown := target{kind: sinks.EntitySealedBreakdown, key: s.o.Keys.MonthBreakdown(m.site, m.start), attr: sinks.AttrMarks}
	for range tries {
		known, err := sinks.ParseSealedDays(stats.was)
		if err != nil {
			return err
		}
		if m.item[sinks.AttrClosed].Int() == 1 && uniques.was == "" && breakdown.was == "" {
			uniques.was, breakdown.was = known.Digest(), known.Digest()
		}
		days, err := s.monthDays(ctx, m)
		if err != nil {
			return err
		}
		short := s.short(known, days)
		if short && m.item[sinks.AttrClosed].Int() == 1 {
			return nil // What the item has of the days that have expired cannot be had again.
		}
		in, closed, attrs := sumUp(days, sealed)
		closed = closed && over && !short
		if closed {
			ok, err := s.putMonthParts(ctx, m, monthSums{in, attrs}, &uniques, &breakdown)
			switch {
			case err != nil:
				return err
			case ok == refused:
				continue
			case ok == moved:
				closed = false
			}
		}
		plainRate(attrs, attrs)
		attrs[sinks.AttrDays] = sinks.Str(in.String())
		attrs[sinks.AttrClosed] = sinks.Int(0)
		if closed {
			attrs[sinks.AttrClosed] = sinks.Int(1)
		}
		if len(in) == 0 || short && in.String() == stats.was {
			return nil
		}
		ok, err := s.put(ctx, &stats, attrs)
		if err != nil || ok {
			return err
		}
	}
	return errOvertaken
}

// short reports whether days of the month have expired, or may have: one that its stats name, or the first of it, if it was
// kept for no longer than the others. Of such a month the stats stay open, and name its sealed days.
func (s *Sealer) short(known sinks.SealedDays, days map[int]sinks.Item) bool {
	for n := range known {
		if days[n] == nil {
			return true
		}
	}
	for n, it := range days {
		before := int64(n-1) * 24 * 3600
		if ttl := it[sinks.AttrTTL]; ttl.Kind() == sinks.Number && ttl.Int()-before <= s.o.Now().Unix() {
			return true
		}
	}
	return false
}

// monthDays reads the stats of a month's days, strongly, by the day of the month.
func (s *Sealer) monthDays(ctx context.Context, m *siteMonth) (map[int]sinks.Item, error) {
	days := make(map[int]sinks.Item)
	q := sinks.Query{PK: s.o.Keys.Site(m.site), Prefix: sinks.DayStatsPrefix + sinks.Month(m.start) + "-", Consistent: true}
	for it, err := range s.items(ctx, q) {
		if err != nil {
			return nil, err
		}
		day, err := sinks.ParseDay(strings.TrimPrefix(it.Key().SK, sinks.DayStatsPrefix))
		if err != nil {
			return nil, err
		}
		if !s.expired(it) {
			days[sinks.DayOfMonth(day)] = it
		}
	}
	return days, nil
}

// sumUp adds up the days that are sealed under the marks that they have; all says that all are.
func sumUp(days map[int]sinks.Item, sealed sinks.SealedDays) (in sinks.SealedDays, all bool, sums sinks.Item) {
	in, all, sums = make(sinks.SealedDays), true, make(sinks.Item)
	for _, n := range slices.Sorted(maps.Keys(days)) {
		day, ok := sealed[n]
		if !ok || day.Marks != sinks.MarksDigest(days[n]) {
			all = false
			continue
		}
		in[n] = day
		for sum := range figures.AllSums {
			name := sum.Attr()
			if v := days[n][name]; v.Num() != (int128.Int{}) {
				sums[name] = sinks.Num(sums[name].Num().Plus(v.Num()))
			}
		}
		sumGoals(sums, days[n])
	}
	return in, all, sums
}

// sumGoals adds up the sums of goals, which have names of their own.
func sumGoals(sums, day sinks.Item) {
	for name, v := range day {
		if _, _, ok := sinks.GoalSum(name); ok {
			sums[name] = sinks.Num(sums[name].Num().Plus(v.Num()))
		}
	}
}

// verdict is what becomes of a month's visitors and breakdown.
type verdict int

const (
	done    verdict = iota // they are there, or cannot be made
	refused                // another was there than was known
	moved                  // a day has been sealed again
)

// monthSums are the sealed days of a month, and their sums.
type monthSums struct {
	in    sinks.SealedDays
	stats sinks.Item
}

// putMonthParts merges the sealed days of a month. Where hours had expired before a day could be sealed, the month has no
// visitors and no breakdown.
func (s *Sealer) putMonthParts(ctx context.Context, m *siteMonth, of monthSums, uniques, breakdown *target) (verdict, error) {
	in := of.in
	visitors, sum := sketch.NewHour(), new(sketch.BreakdownSum)
	drops := sites.IndexDrops(s.o.Drops(m.site))
	var events, hours, broken int64
	var spread values
	for _, n := range slices.Sorted(maps.Keys(in)) {
		day := m.start + int64(n-1)*24*hourMs
		keys := []sinks.Key{s.o.Keys.DayUniques(m.site, day), s.o.Keys.DayBreakdown(m.site, day)}
		found, err := s.get(ctx, keys...)
		if err != nil {
			return done, err
		}
		u, b := found[keys[0]], found[keys[1]]
		switch {
		case (u == nil || b == nil) && !in[n].Whole:
			return done, nil
		case !s.holds(u, in[n]) || !s.holds(b, in[n]):
			return moved, nil
		}
		broke, err := mergeDay(visitors, u, b, keys)
		if err != nil {
			return done, err
		}
		if _, end := s.o.DaySpan(m.site, s.zone, day); drops.In(end-1) != nil { // It may have been sealed before the erasure.
			broke.Purge(drops.In(end - 1))
		}
		sum.Add(broke)
		spread.add(u[sinks.AttrValueMin], u[sinks.AttrValueMax])
		events, hours, broken = events+u[sinks.AttrEvents].Int(), hours+u[sinks.AttrHours].Int(), broken+b[sinks.AttrHours].Int()
	}
	marks := in.Digest()
	part, err := visitors.AppendBinary(nil)
	if err != nil {
		return done, err
	}
	broke, err := breakdownAttrs(sum, broken)
	if err != nil {
		return done, err
	}
	for _, p := range []struct {
		*target
		attrs sinks.Item
	}{
		{uniques, plainUniques(visitors, of.stats, spread.in(sinks.Item{sinks.AttrPart: sinks.Bytes(part),
			sinks.AttrEvents: sinks.Int(events), sinks.AttrHours: sinks.Int(hours)}))},
		{breakdown, broke},
	} {
		if p.was == marks {
			continue
		}
		p.attrs[sinks.AttrMarks] = sinks.Str(marks)
		if ok, err := s.put(ctx, p.target, p.attrs); err != nil || !ok {
			return refused, err
		}
	}
	return done, nil
}

// mergeDay adds the visitors of a sealed day, and returns its breakdown. Its items have these keys.
func mergeDay(visitors *sketch.Uniques, uniques, breakdown sinks.Item, keys []sinks.Key) (*sketch.Breakdown, error) {
	part, broke := sketch.NewHour(), new(sketch.Breakdown)
	if err := part.UnmarshalBinary(uniques[sinks.AttrPart].Bytes()); err != nil {
		return nil, sinks.Damaged(keys[0], sinks.AttrPart, err)
	}
	if err := visitors.Merge(part); err != nil {
		return nil, err
	}
	if err := sketch.UnpackBreakdown(breakdown[sinks.AttrPart].Bytes(), broke); err != nil {
		return nil, sinks.Damaged(keys[1], sinks.AttrPart, err)
	}
	return broke, nil
}

// holds reports whether a sealed item of a day is what the month is to be made of: that of the day's marks, or, where hours
// of the day have begun to expire, whatever was sealed before.
func (s *Sealer) holds(it sinks.Item, day sinks.SealedDay) bool {
	until := it[sinks.AttrUntil]
	return it != nil && (it[sinks.AttrMarks].Str() == day.Marks || until.Kind() == sinks.Number && until.Int() <= s.o.Now().Unix())
}
