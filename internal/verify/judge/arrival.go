package judge

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// judgeArrival compares where one partition counts a visitor as new.
func (v *Judges) judgeArrival(s Subject, it sinks.Item) Judgement {
	return marked[*count.Arrival]{
		lane: checkpoint.LaneStats, entity: sinks.EntityArrival,
		cell:  func(c *recount.Chain) *count.Cell[*count.Arrival] { return c.Stats.Site(s.Site).Arrivals[s.ID] },
		there: known[count.Arrival],
		expiry: func(a *count.Arrival) (bool, []sinks.Value) {
			if a == nil {
				return it.Expired(v.Now()), nil
			}
			return v.ArrivalExpiry(s.Site, a)
		},
		fate: func(j *Judgement, a *count.Arrival) (*count.Arrival, bool) {
			return leftOf(a, it, v.fates.ofArrival(s, a), j)
		},
		compare: func(cmp *finding.Comparison, _ *Judgement, x partOfChain[*count.Arrival]) {
			v.compareArrival(cmp, s, x)
		},
	}.judge(v, s, it)
}

func (v *Judges) compareArrival(c *finding.Comparison, s Subject, x partOfChain[*count.Arrival]) {
	c.Text(sinks.AttrSiteID, s.Site)
	c.Counted(sinks.AttrErasedUntil, x.want.Erased)
	for i, n := range []int64{x.want.Hour, x.want.Day, x.want.Last} {
		c.Counted(sinks.ArrivalAttrs[i], n)
	}
	c.Number(sinks.AttrWeeks, x.want.Weeks())
	if c.Item[sinks.AttrMark(checkpoint.LaneStats, s.TP)].Int() != x.Head.Step {
		c.Ignore(sinks.AttrPrevWeeks)
		for _, attr := range sinks.ArrivalAttrs[3:6] {
			if c.Ignore(attr); c.Item[attr].Kind() != sinks.Number || c.Item[attr].Int() < 0 {
				c.Differ(attr, finding.Show(c.Item[attr]), "a time before an earlier step")
			}
		}
		return
	}
	before := x.states.At(count.AtBegin)
	if before == nil || before.Erased < x.want.Erased { // The step started it over.
		before = new(count.Arrival)
	}
	if _, prev := state.ReadArrival(c.Item); prev.Hour == 0 && before.Hour > 0 {
		if gone, _ := v.ArrivalExpiry(s.Site, before); gone { // The item may have been deleted.
			before = new(count.Arrival)
		}
	}
	for i, n := range []int64{before.Hour, before.Day, before.Last} {
		c.Counted(sinks.ArrivalAttrs[3+i], n)
	}
	c.Number(sinks.AttrPrevWeeks, before.Weeks())
}

// ofArrival returns the fate of an arrival from before the visitor's last tombstone.
func (f fates) ofArrival(s Subject, a *count.Arrival) scope.Fate {
	known := f.Rules.At(f.Rules.Rev()).Erased(s.Site)
	var hash sites.PersonHash
	if a == nil || known.None() || hash.UnmarshalText([]byte(s.ID)) != nil {
		return scope.Stays
	}
	until := known.Until(sites.Visitor, hash)
	if until <= a.Erased {
		return scope.Stays
	}
	last, _ := known.At(sites.Visitor, hash, until)
	return f.FateOf(last.Rev, true)
}

// arrived is the visitor's last day: by the log, or by the item where the log does not have it.
func (t times) arrived(s Subject, it sinks.Item) (start, end int64) {
	at := it[sinks.AttrLastDay].Int()
	if a := t.statsOf(s).Arrivals[s.ID].At(count.AtEnd); a != nil {
		at = a.Last
	}
	return at - count.DayMs, at + 2*count.DayMs
}
