package verify

import (
	"cmp"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// latestCount is the latest span of record time, an hour or a minute, and how many were counted in it: new sites, or events within a
// site's budget.
type latestCount struct{ start, count int64 }

// Clone returns a copy; of nil, nil.
func (x *latestCount) Clone() *latestCount {
	if x == nil {
		return nil
	}
	return new(*x)
}

// move takes in the span of a record. It moves to a later span with a count of 0. It moves to a span further away than jump, in either
// direction, with the present count.
func (x *latestCount) move(start, jump int64) {
	far := max(start, x.start)-min(start, x.start) > jump
	if !far && start > x.start {
		x.count = 0
	}
	if far || start > x.start {
		x.start = start
	}
}

// compareCounts compares the count of one chain, and the state before its last step. attrs are as in sinks.BudgetAttrs.
func compareCounts(c *comparison, x partOfChain[*latestCount], attrs [4]string) {
	c.number(attrs[0], x.want.start)
	c.number(attrs[1], x.want.count)
	c.ignore(attrs[2])
	c.ignore(attrs[3])
	if c.item[sinks.AttrMark(x.Lane, x.tp)].Int() == x.head.Step {
		before := cmp.Or(x.states.at(atBegin), &latestCount{})
		c.number(attrs[2], before.start)
		c.number(attrs[3], before.count)
	}
}

// judgeBudget compares what one partition has spent of a site's budget.
func (v *judges) judgeBudget(s subject, it sinks.Item) judgement {
	return marked[*latestCount]{
		lane: checkpoint.LaneStats, entity: sinks.EntityBudget, there: known[latestCount],
		cell:    func(c *chain) *cell[*latestCount] { return c.stats.site(s.site).budget[struct{}{}] },
		compare: func(c *comparison, _ *judgement, x partOfChain[*latestCount]) { compareCounts(c, x, sinks.BudgetAttrs) },
	}.judge(v, s, it)
}

// judgeNewSites compares how many sites a chain has admitted in the latest hour.
func (v *judges) judgeNewSites(s subject, it sinks.Item) judgement {
	return marked[*latestCount]{
		lane: s.id, entity: sinks.EntityNewSites, there: known[latestCount],
		cell: func(c *chain) *cell[*latestCount] { return c.admitted.hours[struct{}{}] },
		compare: func(c *comparison, _ *judgement, x partOfChain[*latestCount]) {
			compareCounts(c, x, sinks.NewSitesAttrs)
		},
	}.judge(v, s, it)
}
