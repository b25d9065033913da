package judge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sealed items are judged by the recount of what they were made from, not by that of the sealer: the sums of the days, the
// union of the hours' visitors, and the merge of the hours' breakdowns that readers would make. That holds only while the
// days have the marks that an item names. Another is out of date, which is no difference: readers do not use it.
//
// Nor is it a difference that there is none.

// OfMonth reports whether a sealed item is of a month. If not, it is of a day.
func (s Subject) OfMonth() bool { return Kinds[s.Kind].month }

// Sealed reports whether a subject is a sealed item.
func (s Subject) Sealed() bool { return Kinds[s.Kind].sealed }

// Days returns the first day of a sealed item and the last.
func (s Subject) Days() (first, last int64) {
	if s.OfMonth() {
		return s.At, sinks.LastDay(s.At)
	}
	return s.At, s.At
}

// judgeSealed compares a sealed item, if it holds.
func (v *Judges) judgeSealed(s Subject, items []sinks.Item) (j Judgement) {
	if len(items) == 0 {
		return nothing
	}
	it := items[0]
	cmp := v.Compare(s, it)
	days := make(map[int]sinks.Item) // by the day of the month
	var month sinks.Item
	for _, o := range items[1:] {
		day, err := sinks.ParseDay(strings.TrimPrefix(o.Key().SK, sinks.DayStatsPrefix))
		switch {
		case err != nil:
			month = o
		case !o.Expired(v.Now()):
			days[sinks.DayOfMonth(day)] = o
		}
	}
	named, err := v.named(s, it, month)
	if err != nil {
		cmp.Differ(sinks.AttrDays, err.Error(), "days with their marks")
		return Judgement{Differences: cmp.Differences, Chains: v.Stats}
	}
	j.Chains = v.Stats
	if j.LeftOut = outOfDate(s, named, days); j.LeftOut != "" {
		return j
	}
	made := &made{v: v, s: s, visitors: sketch.NewHour()}
	var may sites.DropIndex
	made.swept, may = v.SweptRows(s.Site)
	from, _ := v.DaySpan(s.Site, s.At)
	if may.In(from) != nil && (s.Kind == finding.KindDayBreakdown || s.Kind == finding.KindMonthBreakdown) {
		j.LeftOut = finding.BecauseErased
		return j
	}
	for _, n := range slices.Sorted(maps.Keys(named)) {
		if made.add(&j, s.firstDay()+int64(n-1)*count.DayMs, days[n], named[n].Whole); j.LeftOut != "" || j.Ahead {
			return j
		}
	}
	made.compare(cmp)
	j.Differences = cmp.Differences
	return j
}

// firstDay is the first day of the month that a sealed item is of, or in.
func (s Subject) firstDay() int64 { return sinks.MonthOf(s.At) }

// named returns the days that a sealed item says it was made from; nil if that is no longer known.
func (v *Judges) named(s Subject, it, month sinks.Item) (sinks.SealedDays, error) {
	switch s.Kind {
	case finding.KindDayUniques, finding.KindDayBreakdown:
		return sinks.SealedDays{sinks.DayOfMonth(s.At): {Marks: it[sinks.AttrMarks].Str(), Whole: true}}, nil
	case finding.KindMonth:
		named, err := sinks.ParseSealedDays(it[sinks.AttrDays].Str())
		if err == nil && (len(named) == 0 || named.String() != it[sinks.AttrDays].Str()) {
			err = errors.New(finding.Show(it[sinks.AttrDays]))
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
func outOfDate(s Subject, named sinks.SealedDays, days map[int]sinks.Item) string {
	if len(named) == 0 {
		return finding.BecauseSealed
	}
	for n, day := range named {
		switch {
		case days[n] == nil:
			return finding.BecauseRetention
		case day.Marks != sinks.MarksDigest(days[n]):
			return finding.BecauseSealed
		}
	}
	if s.Kind == finding.KindMonthUniques || s.Kind == finding.KindMonthBreakdown {
		for n := range days {
			if _, ok := named[n]; !ok {
				return finding.BecauseSealed
			}
		}
	}
	return ""
}

// made is what a sealed item must hold.
type made struct {
	v             *Judges
	s             Subject
	sums          count.Sums
	visitors      *sketch.Uniques
	values        count.Spread
	breakdowns    []*sketch.Breakdown
	events        int64
	hours, broken int64
	swept         sites.DropIndex // whose rows are gone from the hours
	short         bool
}

// add takes a day in, as of the marks of its item. It sets in j why that cannot be done.
func (m *made) add(j *Judgement, day int64, it sinks.Item, whole bool) {
	v, s := m.v, m.s
	from, to := v.DaySpan(s.Site, day)
	if gone, _ := v.Expiry(s.Site, sinks.AttrDayDays, day+count.DayMs); gone {
		j.LeftOut = finding.BecauseRetention
		return
	}
	if s.Kind != finding.KindMonth {
		if gone, _ := v.Expiry(s.Site, sinks.AttrHourDays, from+count.HourMs); gone || !whole {
			j.LeftOut = finding.BecauseRetention
			return
		}
	}
	if j.LeftOut, j.Ahead = v.strangeMarks(v.Compare(Subject{Kind: finding.KindDay, Site: s.Site, At: day}, it)); j.LeftOut != "" || j.Ahead {
		return
	}
	cuts := make(map[*recount.Chain]count.Cut)
	for _, c := range v.Stats {
		mark := it[sinks.AttrMark(checkpoint.LaneStats, c.TP)].Int()
		site := c.Stats.Sites[s.Site]
		switch {
		case mark > c.Head.Step:
			j.Ahead = true
		case c.Undecided: // Its hours may have the step that the day does not name.
			j.LeftOut = finding.BecauseLog
		case site == nil && mark == 0:
			continue
		case c.NotRecounted != "":
			j.LeftOut = finding.BecauseLog
		case site != nil && site.Days[day] != nil && site.Days[day].Split && mark < c.Head.Step && !c.Head.Done:
			j.LeftOut = finding.BecauseOpen // It may hold a part of the step.
		}
		if j.Ahead || j.LeftOut != "" {
			return
		}
		cuts[c], _ = c.CutOf(mark)
	}
	for c, when := range cuts {
		if d := c.Stats.Site(s.Site).Days[day].At(when); d != nil {
			m.sums.Add(d.Sums)
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
	for _, c := range m.v.Stats {
		for at := range c.Stats.Site(m.s.Site).Hours {
			if from <= at && at < to {
				starts[at] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(starts))
}

// addHour takes what all partitions know of an hour in.
func (m *made) addHour(at int64, cuts map[*recount.Chain]count.Cut) {
	counted, broken := false, false
	for _, c := range m.v.Stats { // In their order.
		when, ok := cuts[c]
		if !ok {
			continue
		}
		site := c.Stats.Site(m.s.Site)
		if h := site.Hours[at].At(when); h != nil {
			counted = true
			m.events += h.Counts[figures.Events]
			m.values.Join(h.Values)
			if err := m.visitors.Merge(h.Visitors); err != nil {
				panic(err) // Both are of an hour's kind.
			}
		}
		if b := site.Breakdowns[at].At(when); b != nil {
			broken = true
			m.short = m.short || b.Short
			m.breakdowns = append(m.breakdowns, swept(b.Breakdown, m.swept.In(at)))
		}
	}
	m.hours += count.OneIf(counted)
	m.broken += count.OneIf(broken)
}

func (m *made) compare(cmp *finding.Comparison) {
	entity := sinks.EntitySealedUniques
	switch m.s.Kind {
	case finding.KindMonth:
		entity = sinks.EntityMonthStats
		cmp.Ignore(sinks.AttrDays) // They are what it was judged by.
		comparePlainRate(cmp, m.sums)
		cmp.OneOf(sinks.AttrClosed, []sinks.Value{sinks.Int(0), sinks.Int(1)})
		compareSums(cmp, m.sums)
	case finding.KindDayUniques, finding.KindMonthUniques:
		cmp.Uniques(sinks.AttrPart, m.visitors, sketch.NewHour)
		cmp.Number(sinks.AttrEvents, m.events)
		cmp.Number(sinks.AttrHours, m.hours)
		comparePlainVisitors(cmp, m)
		comparePlainRate(cmp, m.sums)
		compareSpread(cmp, sinks.AttrValueMin, sinks.AttrValueMax, m.values)
	default:
		entity = sinks.EntitySealedBreakdown
		compareSealedBreakdown(cmp, sinks.AttrPart, m)
		cmp.Number(sinks.AttrHours, m.broken)
		comparePurged(cmp, m.v.Rulebook, m.s.Site)
	}
	cmp.Ignore(sinks.AttrMarks)
	if !m.s.OfMonth() {
		from, _ := m.v.DaySpan(m.s.Site, m.s.At)
		_, ttls := m.v.Expiry(m.s.Site, sinks.AttrDayDays, m.s.At+count.DayMs)
		cmp.OneOf(sinks.AttrTTL, ttls)
		_, untils := m.v.Expiry(m.s.Site, sinks.AttrHourDays, from+count.HourMs)
		cmp.OneOf(sinks.AttrUntil, untils)
	}
	cmp.Common(entity, m.s.Site)
}

// compareSealedBreakdown compares a merge of breakdowns: totals exactly; and row by row exactly too, unless rows had to be given up
// for the item's size. Then each row must include what the parts have of its value.
func compareSealedBreakdown(c *finding.Comparison, attr string, want *made) {
	c.Ignore(attr)
	have := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(c.Item[attr].Bytes(), have); err != nil {
		c.Differ(attr, "unreadable: "+err.Error(), "a breakdown")
		return
	}
	if want.short {
		c.Differ(attr, "a breakdown", "a booking takes back more than there is")
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
			comparePlainRows(c, d, sealed.Rows())
		} else {
			comparePlainRows(c, d, merge.Rows())
		}
		for _, line := range compareMerges(sealed, merge, full) {
			if listed++; listed <= maxRowsListed {
				c.Differ(attr, d.String()+": "+line, "")
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
