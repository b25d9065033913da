package judge

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

func (v *Judges) compareVisitor(cmp *finding.Comparison, s Subject, x partOfChain[*count.Visitor]) {
	cmp.Text(sinks.AttrSiteID, s.Site)
	cmp.Text(sinks.AttrVisitorID, s.ID)
	cmp.Number(sinks.AttrEndedAt, x.want.Last())
	v.visits(cmp, s, sinks.AttrCur, x.want)
	cmp.Ignore(sinks.AttrPrev)
	if cmp.Item[sinks.AttrMark(checkpoint.LaneStats, s.TP)].Int() == x.Head.Step {
		before := x.states.At(count.AtBegin)
		if x.want.Erased > 0 && (before == nil || before.Erased < x.want.Erased) { // The step started them again.
			before = &count.Visitor{Erased: x.want.Erased}
		}
		v.visits(cmp, s, sinks.AttrPrev, before)
	} else if _, err := state.DecodeVisitor(cmp.Item[sinks.AttrPrev].Bytes()); err != nil {
		cmp.Differ(sinks.AttrPrev, err.Error(), "visits before an earlier step")
	}
}

// visits compares the visits of a visitor. Those whose retention has passed need not be there: the item may have been
// deleted, and started again.
func (v *Judges) visits(c *finding.Comparison, s Subject, attr string, x *count.Visitor) {
	c.Ignore(attr)
	got, err := state.DecodeVisitor(c.Item[attr].Bytes())
	kept := func(all []state.Visit) []state.Visit {
		return slices.DeleteFunc(slices.Clone(all), func(o state.Visit) bool {
			gone, _ := v.Expiry(s.Site, sinks.AttrSessionDays, o.Last)
			return gone
		})
	}
	var want []state.Visit
	if x != nil {
		want = kept(x.Visits)
		if got.Erased != x.Erased {
			c.Differ(attr, fmt.Sprintf("erased up to %d", got.Erased), fmt.Sprintf("erased up to %d", x.Erased))
		}
	}
	switch have := kept(got.Visits()); {
	case err != nil:
		c.Differ(attr, err.Error(), fmt.Sprintf("%+v", want))
	case !slices.Equal(have, want):
		c.Differ(attr, fmt.Sprintf("%+v", have), fmt.Sprintf("%+v", want))
	}
}

// judgeVisitor compares what one partition knows of a visitor's visits.
func (v *Judges) judgeVisitor(s Subject, it sinks.Item) Judgement {
	return marked[*count.Visitor]{
		lane: checkpoint.LaneStats, entity: sinks.EntityVisitor,
		cell:  func(c *recount.Chain) *count.Cell[*count.Visitor] { return c.Stats.Site(s.Site).Visitors[s.ID] },
		there: known[count.Visitor],
		expiry: func(x *count.Visitor) (bool, []sinks.Value) {
			if x == nil {
				return it.Expired(v.Now()), nil
			}
			return v.Expiry(s.Site, sinks.AttrSessionDays, x.Last())
		},
		fate: func(j *Judgement, x *count.Visitor) (*count.Visitor, bool) {
			return leftOf(x, it, v.FateOfVisits(s.Site, s.ID, x), j)
		},
		compare: func(cmp *finding.Comparison, _ *Judgement, x partOfChain[*count.Visitor]) {
			v.compareVisitor(cmp, s, x)
		},
	}.judge(v, s, it)
}
