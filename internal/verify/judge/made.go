package judge

import (
	"maps"
	"slices"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// dimensions returns the dimensions of a sealed breakdown and of what it should be made of: all that events always have, and the
// properties that either has.
func (m *made) dimensions(have *sketch.Breakdown) []sketch.Dimension {
	all := have.Properties()
	for _, part := range m.breakdowns {
		all = append(all, part.Properties()...)
	}
	slices.Sort(all)
	return append(sketch.Dimensions(), slices.Compact(all)...)
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
