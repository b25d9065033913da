package judge

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

func compareBreakdown(c *finding.Comparison, v *Judges, s Subject, attr string, want *count.Breakdown) {
	have := breakdownIn(c, attr)
	if have == nil {
		return
	}
	have, must := v.fates.ofRows(s, have, want.Breakdown)
	if have.Equal(must) {
		return
	}
	if want.Short {
		c.Differ(attr, "a breakdown", "a booking takes back more than there is")
	}
	for _, row := range have.Differ(must, maxRowsListed) {
		c.Differ(attr, row, "")
	}
}

// breakdownIn returns the breakdown that an item has; nil: it cannot be read, which is a difference.
func breakdownIn(c *finding.Comparison, attr string) *sketch.Breakdown {
	c.Ignore(attr)
	have := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(c.Item[attr].Bytes(), have); err != nil {
		c.Differ(attr, "unreadable: "+err.Error(), "a breakdown")
		return nil
	}
	return have
}

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
