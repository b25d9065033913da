package judge

import (
	"cmp"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// compareCounts compares the count of one chain, and the state before its last step. attrs are as in sinks.BudgetAttrs.
func compareCounts(c *finding.Comparison, x partOfChain[*count.LatestCount], attrs [4]string) {
	c.Number(attrs[0], x.want.Start)
	c.Number(attrs[1], x.want.Count)
	c.Ignore(attrs[2])
	c.Ignore(attrs[3])
	if c.Item[sinks.AttrMark(x.Lane, x.TP)].Int() == x.Head.Step {
		before := cmp.Or(x.states.At(count.AtBegin), &count.LatestCount{})
		c.Number(attrs[2], before.Start)
		c.Number(attrs[3], before.Count)
	}
}

// judgeBudget compares what one partition has spent of a site's budget.
func (v *Judges) judgeBudget(s Subject, it sinks.Item) Judgement {
	return marked[*count.LatestCount]{
		lane: checkpoint.LaneStats, entity: sinks.EntityBudget, there: known[count.LatestCount],
		cell: func(c *recount.Chain) *count.Cell[*count.LatestCount] { return c.Stats.Site(s.Site).Budget[struct{}{}] },
		compare: func(c *finding.Comparison, _ *Judgement, x partOfChain[*count.LatestCount]) {
			compareCounts(c, x, sinks.BudgetAttrs)
		},
	}.judge(v, s, it)
}

// judgeNewSites compares how many sites a chain has admitted in the latest hour.
func (v *Judges) judgeNewSites(s Subject, it sinks.Item) Judgement {
	return marked[*count.LatestCount]{
		lane: s.ID, entity: sinks.EntityNewSites, there: known[count.LatestCount],
		cell: func(c *recount.Chain) *count.Cell[*count.LatestCount] { return c.Admitted.Hours[struct{}{}] },
		compare: func(c *finding.Comparison, _ *Judgement, x partOfChain[*count.LatestCount]) {
			compareCounts(c, x, sinks.NewSitesAttrs)
		},
	}.judge(v, s, it)
}
