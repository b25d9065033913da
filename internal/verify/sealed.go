package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sealed items are judged by the recount of what they were made from, not by that of the sealer: the sums of the days, the
// union of the hours' visitors, and the merge of the hours' breakdowns that readers would make. That holds only while the
// days have the marks that an item names. Another is out of date, which is no difference: readers do not use it.
//
// Nor is it a difference that there is none.

// ofMonth reports whether a sealed item is of a month. If not, it is of a day.
func (s subject) ofMonth() bool { return kinds[s.kind].month }

// sealed reports whether a subject is a sealed item.
func (s subject) sealed() bool { return kinds[s.kind].sealed }

// days returns the first day of a sealed item and the last.
func (s subject) days() (first, last int64) {
	if s.ofMonth() {
		return s.at, sinks.LastDay(s.at)
	}
	return s.at, s.at
}

// readSealed reads a sealed item, then what decides whether it holds: the days that it was made from, and for a month its stats.
func (v *scanner) readSealed(ctx context.Context, s subject) (items []sinks.Item, err error) {
	key, month := v.key(s), v.keys.MonthStats(s.site, s.at)
	keys := []sinks.Key{key}
	if s.ofMonth() && month != key {
		keys = append(keys, month)
	}
	found, err := v.get(ctx, keys)
	if err != nil || found[key] == nil {
		return nil, err
	}
	items = append(items, found[key])
	if s.ofMonth() && month != key && found[month] != nil {
		items = append(items, found[month])
	}
	first, last := s.days()
	q := sinks.Query{PK: v.keys.Site(s.site), From: sinks.DayStatsPrefix + sinks.Day(first), To: sinks.DayStatsPrefix + sinks.Day(last)}
	for it, err := range v.items(ctx, q) {
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// judgeSealed compares a sealed item, if it holds.
func (v *judges) judgeSealed(s subject, items []sinks.Item) (j judgement) {
	if len(items) == 0 {
		return nothing
	}
	it := items[0]
	cmp := v.compare(s, it)
	days := make(map[int]sinks.Item) // by the day of the month
	var month sinks.Item
	for _, o := range items[1:] {
		day, err := sinks.ParseDay(strings.TrimPrefix(o.Key().SK, sinks.DayStatsPrefix))
		switch {
		case err != nil:
			month = o
		case !o.Expired(v.now()):
			days[sinks.DayOfMonth(day)] = o
		}
	}
	named, err := v.named(s, it, month)
	if err != nil {
		cmp.differ(sinks.AttrDays, err.Error(), "days with their marks")
		return judgement{differences: cmp.differences, chains: v.stats}
	}
	j.chains = v.stats
	if j.leftOut = outOfDate(s, named, days); j.leftOut != "" {
		return j
	}
	made := &made{v: v, s: s, visitors: sketch.NewHour()}
	var may sites.DropIndex
	made.swept, may = v.sweptRows(s.site)
	from, _ := v.daySpan(s.site, s.at)
	if may.In(from) != nil && (s.kind == kindDayBreakdown || s.kind == kindMonthBreakdown) {
		j.leftOut = becauseErased
		return j
	}
	for _, n := range slices.Sorted(maps.Keys(named)) {
		if made.add(&j, s.firstDay()+int64(n-1)*dayMs, days[n], named[n].Whole); j.leftOut != "" || j.ahead {
			return j
		}
	}
	made.compare(cmp)
	j.differences = cmp.differences
	return j
}

// firstDay is the first day of the month that a sealed item is of, or in.
func (s subject) firstDay() int64 { return sinks.MonthOf(s.at) }

// named returns the days that a sealed item says it was made from; nil if that is no longer known.
func (v *judges) named(s subject, it, month sinks.Item) (sinks.SealedDays, error) {
	switch s.kind {
	case kindDayUniques, kindDayBreakdown:
		return sinks.SealedDays{sinks.DayOfMonth(s.at): {Marks: it[sinks.AttrMarks].Str(), Whole: true}}, nil
	case kindMonth:
		named, err := sinks.ParseSealedDays(it[sinks.AttrDays].Str())
		if err == nil && (len(named) == 0 || named.String() != it[sinks.AttrDays].Str()) {
			err = errors.New(show(it[sinks.AttrDays]))
		}
		return named, err
	}
	named, err := sinks.ParseSealedDays(month[sinks.AttrDays].Str())
	if err != nil || named.Digest() != it[sinks.AttrMarks].Str() {
		return nil, nil // The month's own item is judged by itself.
	}
	return named, nil
}

// outOfDate says why readers would not use a sealed item, or why what it was made from is no longer known; "" if neither.
func outOfDate(s subject, named sinks.SealedDays, days map[int]sinks.Item) string {
	if len(named) == 0 {
		return becauseSealed
	}
	for n, day := range named {
		switch {
		case days[n] == nil:
			return becauseRetention
		case day.Marks != sinks.MarksDigest(days[n]):
			return becauseSealed
		}
	}
	if s.kind == kindMonthUniques || s.kind == kindMonthBreakdown {
		for n := range days {
			if _, ok := named[n]; !ok {
				return becauseSealed
			}
		}
	}
	return ""
}

// made is what a sealed item must hold.
type made struct {
	v             *judges
	s             subject
	sums          sums
	visitors      *sketch.Uniques
	values        spread
	breakdowns    []*sketch.Breakdown
	events        int64
	hours, broken int64
	swept         sites.DropIndex // whose rows are gone from the hours
	short         bool
}

// add takes a day in, as of the marks of its item. It sets in j why that cannot be done.
func (m *made) add(j *judgement, day int64, it sinks.Item, whole bool) {
	v, s := m.v, m.s
	from, to := v.daySpan(s.site, day)
	if gone, _ := v.expiry(s.site, sinks.AttrDayDays, day+dayMs); gone {
		j.leftOut = becauseRetention
		return
	}
	if s.kind != kindMonth {
		if gone, _ := v.expiry(s.site, sinks.AttrHourDays, from+hourMs); gone || !whole {
			j.leftOut = becauseRetention
			return
		}
	}
	if j.leftOut, j.ahead = v.strangeMarks(v.compare(subject{kind: kindDay, site: s.site, at: day}, it)); j.leftOut != "" || j.ahead {
		return
	}
	cuts := make(map[*chain]cut)
	for _, c := range v.stats {
		mark := it[sinks.AttrMark(checkpoint.LaneStats, c.tp)].Int()
		site := c.stats.sites[s.site]
		switch {
		case mark > c.head.Step:
			j.ahead = true
		case c.undecided: // Its hours may have the step that the day does not name.
			j.leftOut = becauseLog
		case site == nil && mark == 0:
			continue
		case c.notRecounted != "":
			j.leftOut = becauseLog
		case site != nil && site.days[day] != nil && site.days[day].split && mark < c.head.Step && !c.head.Done:
			j.leftOut = becauseOpen // It may hold a part of the step.
		}
		if j.ahead || j.leftOut != "" {
			return
		}
		cuts[c], _ = c.cutOf(mark)
	}
	for c, when := range cuts {
		if d := c.stats.site(s.site).days[day].at(when); d != nil {
			m.sums.add(d.sums)
		}
	}
	for _, at := range m.hoursIn(from, to) {
		m.addHour(at, cuts)
	}
}

// hoursIn returns when the hours begin that any partition knows of a span, the first one first. Where clocks are set by
// half an hour they are not a full hour apart.
func (m *made) hoursIn(from, to int64) []int64 {
	starts := make(map[int64]bool)
	for _, c := range m.v.stats {
		for at := range c.stats.site(m.s.site).hours {
			if from <= at && at < to {
				starts[at] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(starts))
}

// addHour takes what all partitions know of an hour in.
func (m *made) addHour(at int64, cuts map[*chain]cut) {
	counted, broken := false, false
	for _, c := range m.v.stats { // In their order.
		when, ok := cuts[c]
		if !ok {
			continue
		}
		site := c.stats.site(m.s.site)
		if h := site.hours[at].at(when); h != nil {
			counted = true
			m.events += h.Counts[figures.Events]
			m.values.join(h.values)
			if err := m.visitors.Merge(h.visitors); err != nil {
				panic(err) // Both are of an hour's kind.
			}
		}
		if b := site.breakdowns[at].at(when); b != nil {
			broken = true
			m.short = m.short || b.short
			m.breakdowns = append(m.breakdowns, swept(b.Breakdown, m.swept.In(at)))
		}
	}
	m.hours += number(counted)
	m.broken += number(broken)
}

func (m *made) compare(cmp *comparison) {
	entity := sinks.EntitySealedUniques
	switch m.s.kind {
	case kindMonth:
		entity = sinks.EntityMonthStats
		cmp.ignore(sinks.AttrDays) // They are what it was judged by.
		cmp.plainRate(m.sums)
		cmp.oneOf(sinks.AttrClosed, []sinks.Value{sinks.Int(0), sinks.Int(1)})
		cmp.sums(m.sums)
	case kindDayUniques, kindMonthUniques:
		cmp.uniques(sinks.AttrPart, m.visitors, sketch.NewHour)
		cmp.number(sinks.AttrEvents, m.events)
		cmp.number(sinks.AttrHours, m.hours)
		cmp.plainVisitors(m)
		cmp.plainRate(m.sums)
		cmp.spread(sinks.AttrValueMin, sinks.AttrValueMax, m.values)
	default:
		entity = sinks.EntitySealedBreakdown
		cmp.sealedBreakdown(sinks.AttrPart, m)
		cmp.number(sinks.AttrHours, m.broken)
		cmp.purged(m.v.rulebook, m.s.site)
	}
	cmp.ignore(sinks.AttrMarks)
	if !m.s.ofMonth() {
		from, _ := m.v.daySpan(m.s.site, m.s.at)
		_, ttls := m.v.expiry(m.s.site, sinks.AttrDayDays, m.s.at+dayMs)
		cmp.oneOf(sinks.AttrTTL, ttls)
		_, untils := m.v.expiry(m.s.site, sinks.AttrHourDays, from+hourMs)
		cmp.oneOf(sinks.AttrUntil, untils)
	}
	cmp.common(entity, m.s.site)
}

// sealedBreakdown compares a merge of breakdowns: totals exactly; and row by row exactly too, unless rows had to be given up
// for the item's size. Then each row must include what the parts have of its value.
func (c *comparison) sealedBreakdown(attr string, want *made) {
	c.ignore(attr)
	have := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(c.item[attr].Bytes(), have); err != nil {
		c.differ(attr, "unreadable: "+err.Error(), "a breakdown")
		return
	}
	if want.short {
		c.differ(attr, "a breakdown", "a booking takes back more than there is")
	}
	full := have.Size() > sketch.MaxBreakdownBytes/2
	listed := 0
	for _, d := range want.dimensions(have) {
		merge, sealed := sketch.NewBreakdownMerge(d), sketch.NewBreakdownMerge(d)
		for _, part := range want.breakdowns {
			merge.Add(part)
		}
		sealed.Add(have)
		if full {
			c.plainRows(d, sealed.Rows())
		} else {
			c.plainRows(d, merge.Rows())
		}
		for _, line := range compareMerges(sealed, merge, full) {
			if listed++; listed <= maxRowsListed {
				c.differ(attr, d.String()+": "+line, "")
			}
		}
	}
}

// compareMerges says in what a sealed dimension is not what the parts come to; full allows it to have given up rows.
func compareMerges(sealed, merge *sketch.BreakdownMerge, full bool) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	have, want := byValue(sealed.Rows()), byValue(merge.Rows())
	if h, w := totalCounts(sealed), totalCounts(merge); !sameCounts(h, w) {
		say("all together %s, recount %s", showCounts(h), showCounts(w))
	}
	if f := sealed.Floor(); f != merge.Floor() && (!full || f < merge.Floor()) {
		say("floor %d, recount %d", f, merge.Floor())
	}
	for _, value := range slices.Sorted(maps.Keys(want)) {
		h, ok := have[value]
		w := want[value]
		switch {
		case !ok && full && w.Rank() <= sealed.Floor():
		case !ok:
			say("%q absent, recount %s", value, showCounts(w.Counts))
		case full && h.Events <= w.Events && h.Rank() >= w.Rank():
		case h.Error != w.Error || !sameCounts(h.Counts, w.Counts):
			say("%q %s, error %d, recount %s, error %d", value, showCounts(h.Counts), h.Error, showCounts(w.Counts), w.Error)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[value]; !ok {
			say("%q %s, recount absent", value, showCounts(have[value].Counts))
		}
	}
	return lines
}

func byValue(rows []sketch.BreakdownRow) map[string]sketch.BreakdownRow {
	m := make(map[string]sketch.BreakdownRow, len(rows))
	for _, r := range rows {
		m[r.Value] = r
	}
	return m
}

// totalCounts adds up all rows of a merge and its other.
func totalCounts(m *sketch.BreakdownMerge) sketch.Counts {
	var all []string
	for _, r := range m.Rows() {
		all = append(all, r.Value)
	}
	return m.Other(all...)
}

func sameCounts(a, b sketch.Counts) bool {
	visitors := a.Visitors.Equal(b.Visitors)
	a.Visitors, b.Visitors = nil, nil
	return visitors && a == b
}

func showCounts(c sketch.Counts) string {
	n := c.Visitors.Estimate()
	c.Visitors = nil
	return fmt.Sprintf("%+v of %d visitors", c, n)
}
