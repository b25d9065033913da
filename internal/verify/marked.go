package verify

import (
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// marked is a kind of item that one partition writes under its applied mark. V is what the recount keeps of it.
type marked[V interface{ Clone() V }] struct {
	lane, entity string
	cell         func(*chain) *cell[V]
	there        func(V) bool                                  // whether the table has the item
	expiry       func(V) (gone bool, ttls []sinks.Value)       // nil: it never expires
	fate         func(*judgement, V) (left V, done bool)       // what erasures leave of it; nil: all
	compare      func(*comparison, *judgement, partOfChain[V]) // compares the item's own attributes
}

// partOfChain is what the recount of a chain has of an item.
type partOfChain[V interface{ Clone() V }] struct {
	*chain
	states *cell[V]
	want   V
}

// judge compares an item with what the recount has as of the item's mark.
func (m marked[V]) judge(v *judges, s subject, it sinks.Item) judgement {
	cmp := v.compare(s, it)
	if it != nil {
		cmp.key = it.Key()
	}
	c, when, j, ok := v.part(m.lane, cmp, s.tp)
	if !ok {
		return j
	}
	x := partOfChain[V]{chain: c, states: m.cell(c)}
	x.want = x.states.at(when)
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
	if !cmp.presence(m.there(x.want)) {
		m.compare(cmp, &j, x)
		cmp.oneOf(sinks.AttrTTL, ttls)
		cmp.common(m.entity, s.site)
	}
	j.differences = cmp.differences
	return j
}

// settleEarly answers for what is neither in the table nor in the log, has expired, or cannot be recounted.
func (j *judgement) settleEarly(exists, gone bool, c *chain) (done bool) {
	switch {
	case !exists:
		*j = nothing
	case gone:
		j.leftOut = becauseRetention
	case c.notRecounted != "":
		j.leftOut = becauseLog
	default:
		return false
	}
	return true
}

// known reports whether a pointer is not nil.
func known[V any](x *V) bool { return x != nil }

// judgeUniques compares an hour's uniques that have outgrown the hour's stats item.
func (v *judges) judgeUniques(s subject, it sinks.Item) judgement {
	return marked[*hour]{
		lane: checkpoint.LaneStats, entity: sinks.EntityUniques,
		cell:   func(c *chain) *cell[*hour] { return c.stats.site(s.site).hours[s.at] },
		there:  func(h *hour) bool { return h != nil && !h.small() },
		expiry: func(*hour) (bool, []sinks.Value) { return v.expiry(s.site, sinks.AttrHourDays, s.at+hourMs) },
		compare: func(cmp *comparison, _ *judgement, x partOfChain[*hour]) {
			cmp.uniques(sinks.AttrPart, x.want.visitors, sketch.NewHour)
		},
	}.judge(v, s, v.late.merged(s, it))
}

// judgeBreakdown compares one partition's breakdown of an hour, row by row.
func (v *judges) judgeBreakdown(s subject, it sinks.Item) judgement {
	return marked[*breakdown]{
		lane: checkpoint.LaneStats, entity: sinks.EntityBreakdown,
		cell:   func(c *chain) *cell[*breakdown] { return c.stats.site(s.site).breakdowns[s.at] },
		there:  known[breakdown],
		expiry: func(*breakdown) (bool, []sinks.Value) { return v.expiry(s.site, sinks.AttrHourDays, s.at+hourMs) },
		compare: func(cmp *comparison, _ *judgement, x partOfChain[*breakdown]) {
			cmp.breakdown(v, s, sinks.AttrPart, x.want)
			cmp.purged(v.rulebook, s.site)
		},
	}.judge(v, s, v.late.merged(s, it))
}

// judgeRealtime compares one partition's minute.
func (v *judges) judgeRealtime(s subject, it sinks.Item) judgement {
	ttl := realtimeTTL(s.at)
	gone := ttl <= v.now()
	return marked[*minute]{
		lane: checkpoint.LaneRealtime, entity: sinks.EntityRealtime,
		cell:   func(c *chain) *cell[*minute] { return c.realtime.minute(s.site, s.at) },
		there:  func(m *minute) bool { return m != nil || gone }, // The recount has let go of those.
		expiry: func(*minute) (bool, []sinks.Value) { return gone, []sinks.Value{sinks.Int(ttl)} },
		compare: func(cmp *comparison, _ *judgement, x partOfChain[*minute]) {
			cmp.number(sinks.AttrPageViews, x.want.pageViews)
			cmp.number(sinks.AttrEvents, x.want.events)
			cmp.number(sinks.AttrBotPageViews, x.want.botPageViews)
			cmp.number(sinks.AttrBotEvents, x.want.botEvents)
			cmp.uniques(sinks.AttrVisitors, x.want.visitors, sketch.NewMinute)
			cmp.pages(sinks.AttrPages, x.want.pages)
		},
	}.judge(v, s, it)
}

// judgeSession compares one partition's part of a session.
func (v *judges) judgeSession(s subject, it sinks.Item) judgement {
	return marked[*session]{
		lane: checkpoint.LaneStats, entity: sinks.EntitySession,
		cell:  func(c *chain) *cell[*session] { return c.session(s) },
		there: known[session],
		expiry: func(x *session) (bool, []sinks.Value) {
			if x == nil {
				return it.Expired(v.now()), nil
			}
			return v.expiry(s.site, sinks.AttrSessionDays, x.kept())
		},
		compare: func(cmp *comparison, j *judgement, x partOfChain[*session]) {
			want, before := x.want, x.states.at(atBegin)
			cmp.figures(want)
			switch f := v.fateOfPerson(s.site, want.visitor, want.user, want.openedAt); {
			case f != stays && !want.erased:
				j.partly = becauseErased
				cmp.erasing(want, f)
			case want.erased:
				cmp.erased(v.keys, s, x.chain, want, before)
			default:
				cmp.names(v.keys, s, want)
				cmp.states(s, x.chain, want, before)
			}
		},
	}.judge(v, s, it)
}

// judgeVisitor compares what one partition knows of a visitor's visits.
func (v *judges) judgeVisitor(s subject, it sinks.Item) judgement {
	return marked[*visitor]{
		lane: checkpoint.LaneStats, entity: sinks.EntityVisitor,
		cell:  func(c *chain) *cell[*visitor] { return c.visitor(s) },
		there: known[visitor],
		expiry: func(x *visitor) (bool, []sinks.Value) {
			if x == nil {
				return it.Expired(v.now()), nil
			}
			return v.expiry(s.site, sinks.AttrSessionDays, x.last())
		},
		fate: func(j *judgement, x *visitor) (*visitor, bool) {
			switch f := v.fateOfVisits(s.site, s.id, x); {
			case f == isSwept && it == nil:
				j.leftOut = becauseErased
				return x, true
			case f == mustBeGone && it == nil:
				*j = nothing
				return nil, true
			case f == mustBeGone:
				return nil, false
			}
			return x, false
		},
		compare: func(cmp *comparison, _ *judgement, x partOfChain[*visitor]) { v.compareVisitor(cmp, s, x) },
	}.judge(v, s, it)
}
