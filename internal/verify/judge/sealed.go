package judge

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sealed items are judged by the recount of what they were made from, not by that of the sealer: the sums of the days, the
// union of the hours' visitors, and the merge of the hours' breakdowns that readers would make. That holds only while the
// days have the marks that an item names. Another is out of date, which is no difference: readers do not use it.
//
// Nor is it a difference that there is none.

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
	named, err := namedDays(s, it, month)
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
		if made.add(&j, sinks.MonthOf(s.At)+int64(n-1)*count.DayMs, days[n], named[n].Whole); j.LeftOut != "" || j.Ahead {
			return j
		}
	}
	made.compare(cmp)
	j.Differences = cmp.Differences
	return j
}

// namedDays returns the days that a sealed item says it was made from; nil if that is no longer known.
func namedDays(s Subject, it, month sinks.Item) (sinks.SealedDays, error) {
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
	have := breakdownIn(c, attr)
	if have == nil {
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
