package judge

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// marked is a kind of item that one partition writes under its applied mark. V is what the recount keeps of it.
type marked[V interface{ Clone() V }] struct {
	lane, entity string
	cell         func(*recount.Chain) *count.Cell[V]
	there        func(V) bool                                          // whether the table has the item
	expiry       func(V) (gone bool, ttls []sinks.Value)               // nil: it never expires
	fate         func(*Judgement, V) (left V, done bool)               // what erasures leave of it; nil: all
	compare      func(*finding.Comparison, *Judgement, partOfChain[V]) // compares the item's own attributes
}

// partOfChain is what the recount of a chain has of an item.
type partOfChain[V interface{ Clone() V }] struct {
	*recount.Chain
	states *count.Cell[V]
	want   V
}

// judge compares an item with what the recount has as of the item's mark.
func (m marked[V]) judge(v *Judges, s Subject, it sinks.Item) Judgement {
	cmp := v.Compare(s, it)
	if it != nil {
		cmp.Key = it.Key()
	}
	c, when, j, ok := v.part(m.lane, cmp, s.TP)
	if !ok {
		return j
	}
	x := partOfChain[V]{Chain: c, states: m.cell(c)}
	x.want = x.states.At(when)
	gone, ttls := false, []sinks.Value{{}}
	if m.expiry != nil {
		gone, ttls = m.expiry(x.want)
	}
	if done := j.settleEarly(it != nil || m.there(x.want), gone, c); done {
		return j
	}
	if m.fate != nil {
		var done bool
		if x.want, done = m.fate(&j, x.want); done {
			return j
		}
	}
	if !cmp.Presence(m.there(x.want)) {
		m.compare(cmp, &j, x)
		cmp.OneOf(sinks.AttrTTL, ttls)
		cmp.Common(m.entity, s.Site)
	}
	j.Differences = cmp.Differences
	return j
}

// settleEarly answers for what is neither in the table nor in the log, has expired, or cannot be recounted.
func (j *Judgement) settleEarly(exists, gone bool, c *recount.Chain) (done bool) {
	switch {
	case !exists:
		*j = nothing
	case gone:
		j.LeftOut = finding.BecauseRetention
	case c.NotRecounted != "":
		j.LeftOut = finding.BecauseLog
	default:
		return false
	}
	return true
}

// known reports whether a pointer is not nil.
func known[V any](x *V) bool { return x != nil }

// judgeUniques compares an hour's uniques that have outgrown the hour's stats item.
func (v *Judges) judgeUniques(s Subject, it sinks.Item) Judgement {
	return marked[*count.Hour]{
		lane: checkpoint.LaneStats, entity: sinks.EntityUniques,
		cell:  func(c *recount.Chain) *count.Cell[*count.Hour] { return c.Stats.Site(s.Site).Hours[s.At] },
		there: func(h *count.Hour) bool { return h != nil && !h.Small() },
		expiry: func(*count.Hour) (bool, []sinks.Value) {
			return v.Expiry(s.Site, sinks.AttrHourDays, s.At+count.HourMs)
		},
		compare: func(cmp *finding.Comparison, _ *Judgement, x partOfChain[*count.Hour]) {
			cmp.Uniques(sinks.AttrPart, x.want.Visitors, sketch.NewHour)
		},
	}.judge(v, s, v.Late.merged(s, it))
}

// judgeBreakdown compares one partition's breakdown of an hour, row by row.
func (v *Judges) judgeBreakdown(s Subject, it sinks.Item) Judgement {
	return marked[*count.Breakdown]{
		lane: checkpoint.LaneStats, entity: sinks.EntityBreakdown,
		cell:  func(c *recount.Chain) *count.Cell[*count.Breakdown] { return c.Stats.Site(s.Site).Breakdowns[s.At] },
		there: known[count.Breakdown],
		expiry: func(*count.Breakdown) (bool, []sinks.Value) {
			return v.Expiry(s.Site, sinks.AttrHourDays, s.At+count.HourMs)
		},
		compare: func(cmp *finding.Comparison, _ *Judgement, x partOfChain[*count.Breakdown]) {
			compareBreakdown(cmp, v, s, sinks.AttrPart, x.want)
			comparePurged(cmp, v.Rulebook, s.Site)
		},
	}.judge(v, s, v.Late.merged(s, it))
}

// judgeSession compares one partition's part of a session.
func (v *Judges) judgeSession(s Subject, it sinks.Item) Judgement {
	return marked[*count.Session]{
		lane: checkpoint.LaneStats, entity: sinks.EntitySession,
		cell:  func(c *recount.Chain) *count.Cell[*count.Session] { return sessionCell(c, s) },
		there: known[count.Session],
		expiry: func(x *count.Session) (bool, []sinks.Value) {
			if x == nil {
				return it.Expired(v.Now()), nil
			}
			return v.Expiry(s.Site, sinks.AttrSessionDays, x.Kept())
		},
		compare: func(cmp *finding.Comparison, j *Judgement, x partOfChain[*count.Session]) {
			want, before := x.want, x.states.At(count.AtBegin)
			compareFigures(cmp, want)
			switch f := v.FateOfPerson(s.Site, want.Visitor, want.User, want.OpenedAt); {
			case f != scope.Stays && !want.Erased:
				j.Partly = finding.BecauseErased
				compareErasing(cmp, want, f)
			case want.Erased:
				compareErased(cmp, v.Keys, s, x.Chain, want, before)
			default:
				compareNames(cmp, v.Keys, s, want)
				compareStates(cmp, s, x.Chain, want, before)
			}
		},
	}.judge(v, s, it)
}

// judgeVisitor compares what one partition knows of a visitor's visits.
func (v *Judges) judgeVisitor(s Subject, it sinks.Item) Judgement {
	return marked[*count.Visitor]{
		lane: checkpoint.LaneStats, entity: sinks.EntityVisitor,
		cell:  func(c *recount.Chain) *count.Cell[*count.Visitor] { return visitorCell(c, s) },
		there: known[count.Visitor],
		expiry: func(x *count.Visitor) (bool, []sinks.Value) {
			if x == nil {
				return it.Expired(v.Now()), nil
			}
			return v.Expiry(s.Site, sinks.AttrSessionDays, x.Last())
		},
		fate: func(j *Judgement, x *count.Visitor) (*count.Visitor, bool) {
			switch f := v.FateOfVisits(s.Site, s.ID, x); {
			case f == scope.IsSwept && it == nil:
				j.LeftOut = finding.BecauseErased
				return x, true
			case f == scope.MustBeGone && it == nil:
				*j = nothing
				return nil, true
			case f == scope.MustBeGone:
				return nil, false
			}
			return x, false
		},
		compare: func(cmp *finding.Comparison, _ *Judgement, x partOfChain[*count.Visitor]) {
			v.compareVisitor(cmp, s, x)
		},
	}.judge(v, s, it)
}
