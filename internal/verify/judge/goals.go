package judge

import (
	"fmt"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// compareGoals compares the sums of goals. Sums of goals that no session reached are reported like any other unknown attribute.
func compareGoals(c *finding.Comparison, want count.GoalSums) {
	for n, sum := range want {
		c.Number(sinks.AttrGoalCount(n), sum.Count)
		c.Wide(sinks.AttrGoalValue(n), sum.ValueMicros)
	}
}

// judgeConversion compares the item of a conversion. It carries no mark: it is put in the step that its record is of, so it must
// be there once that step has settled, and may be before. Whenever it is there it is whole.
func (v *Judges) judgeConversion(s Subject, it sinks.Item) Judgement {
	cmp := v.Compare(s, it)
	if s.TP.Topic != v.Number && v.OfTopic(s.TP.Topic) {
		return nothing
	}
	c := v.StatsChain(s.TP)
	if c == nil {
		cmp.Differ(finding.Whole, finding.Summary(it), "the topic has no such chain")
		return Judgement{Ahead: true, Differences: cmp.Differences}
	}
	j := Judgement{Chains: []*recount.Chain{c}}
	want := c.Stats.Site(s.Site).Conversions[count.Converted{Goal: s.goal, Session: s.ID}] // nil: the log does not have it
	gone, ttls := it.Expired(v.Now()), []sinks.Value(nil)
	if want != nil {
		gone, ttls = v.Expiry(s.Site, sinks.AttrSessionDays, want.At)
	}
	if it == nil && want != nil && want.Position >= c.Settled() {
		return nothing // On its way.
	}
	switch f := v.fates.ofConversion(s, want, it); {
	case f == scope.MustBeGone && it != nil:
		cmp.Differ(finding.Whole, "present", "erased")
		j.Differences = cmp.Differences
		return j
	case f != scope.Stays && it == nil:
		j.LeftOut = finding.BecauseErased
		return j
	}
	if done := j.settleEarly(it != nil || want != nil, gone, c); done {
		return j
	}
	if !cmp.Presence(want != nil) {
		compareConversion(cmp, v, s, want)
		cmp.OneOf(sinks.AttrTTL, ttls)
		cmp.Common(sinks.EntityConversion, s.Site)
	}
	j.Differences = cmp.Differences
	return j
}

func compareConversion(c *finding.Comparison, v *Judges, s Subject, want *count.Conversion) {
	c.Text(sinks.AttrSiteID, s.Site)
	c.Text(sinks.AttrGoal, want.Goal)
	c.Number(sinks.AttrGoalNumber, int64(s.goal))
	c.Text(sinks.AttrSessionID, s.ID)
	c.Text(sinks.AttrVisitorID, want.Visitor)
	c.Text(sinks.AttrUserID, want.User)
	c.Number(sinks.AttrAt, want.At)
	c.Text("type", want.Type)
	c.Text(sinks.AttrName, want.Name)
	c.Text(sinks.AttrPage, want.Page)
	c.OneOf(sinks.AttrValueMicros, []sinks.Value{want.Value})
	c.Text("source", fmt.Sprintf("%s/%d/%d", v.Opts.Topic, s.TP.Partition, want.Offset))
	shard := sinks.ShardOf(s.ID, v.Table.SessionShards)
	c.Text(sinks.AttrGSI1PK, v.Keys.GoalConversions(s.Site, s.goal, shard))
	c.Text(sinks.AttrGSI1SK, sinks.SessionOrder(want.At, s.ID, s.TP))
}

// judgeGoal compares the item of a goal with what the site's rules have come to: the goal as it is, or as it was when it was
// deleted, and the revision that made it so.
func (v *Judges) judgeGoal(s Subject, it sinks.Item) Judgement {
	var last *sites.Goal
	var rev int64
	deleted := false
	for _, c := range v.Rules.History(s.Site) {
		now := c.Rules.Goal(s.ID)
		switch {
		case now == nil && last != nil && !deleted:
			rev, deleted = c.Rev, true
		case now != nil && (last == nil || deleted || now.String() != last.String()):
			last, rev, deleted = now, c.Rev, false
		}
	}
	cmp := v.Compare(s, it)
	if it == nil && last == nil {
		return nothing
	}
	if !cmp.Presence(last != nil) {
		cmp.Text(sinks.AttrSiteID, s.Site)
		cmp.Text(sinks.AttrGoal, s.ID)
		cmp.Number(sinks.AttrGoalNumber, int64(last.N))
		cmp.OneOf(sinks.AttrName, []sinks.Value{sinks.Str(last.Name)})
		cmp.Number(sinks.AttrRev, rev)
		cmp.Text(sinks.AttrDefinition, last.String())
		cmp.Number(sinks.AttrDeleted, count.OneIf(deleted))
		cmp.Common(sinks.EntityGoal, s.Site)
	}
	return Judgement{View: true, Differences: cmp.Differences}
}
