package judge

import (
	"fmt"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// judgeRecent compares the sessions that one partition lists as opened in a minute. The items carry their step in
// their keys instead of a mark: what steps before the last list is what was opened before f, and the last step may
// have listed some of what was opened since.
func (v *Judges) judgeRecent(s Subject, items []sinks.Item) Judgement {
	cmp := v.Compare(s, nil)
	if len(items) > 0 {
		cmp.Item = items[0]
	}
	c, _, j, ok := v.part(checkpoint.LaneStats, cmp, s.TP)
	if !ok {
		return j
	}
	x := recentLists{Comparison: cmp, chain: c, opened: make(map[string]int64), listed: make(map[string]bool),
		ttl: (s.At + count.MinuteMs + checkpoint.RecentTTL.Milliseconds()) / 1000}
	required := false
	for _, o := range c.Stats.Site(s.Site).Opened[s.At] {
		x.opened[o.Session] = o.Position
		required = required || o.Position < c.Settled()
	}
	if done := j.settleEarly(len(items) > 0 || required, x.ttl <= v.Now(), c); done {
		return j
	}
	for _, it := range items {
		if ofNew(it) {
			j.Ahead = x.addNew(v, s, it) || j.Ahead
		} else {
			j.Ahead = x.add(v, s, it) || j.Ahead
		}
	}
	cmp.Key = v.Key(s)
	for id, position := range x.opened {
		switch {
		case x.listed[id] || position >= c.Settled():
		case v.fates.mayBeErased(c, s, id): // Of an item of new sessions.
			j.Partly = finding.BecauseErased
		default:
			cmp.Differ(sinks.AttrSessionIDs, "not listed", finding.Quote(id))
		}
	}
	j.Differences = cmp.Differences
	return j
}

// maxRecentIDs is how many sessions an item lists at most.
const maxRecentIDs = 500

// recentLists are the lists of a minute.
type recentLists struct {
	*finding.Comparison
	chain  *recount.Chain
	opened map[string]int64 // position of each session's first record
	listed map[string]bool
	ttl    int64
}

// add compares one item's list, and reports whether its step is one that the chain has not begun.
func (x *recentLists) add(v *Judges, s Subject, it sinks.Item) (ahead bool) {
	x.Begin(it)
	x.Ignore(sinks.AttrSessionIDs)
	var step int64
	var i int
	if _, err := fmt.Sscanf(x.Key.SK[len(v.Key(s).SK):], "%d#%d", &step, &i); err != nil || v.Keys.Recent(s.Site, s.At, s.TP, step,
		i) != x.Key {
		x.Differ(finding.Whole, "a key that no template spells", finding.Absent)
		return false
	}
	head := x.chain.Head
	if step > head.Step {
		x.Differ(finding.Whole, fmt.Sprintf("of step %d", step), fmt.Sprintf("the chain is at step %d", head.Step))
		return true
	}
	ids := it[sinks.AttrSessionIDs].Strings()
	if len(ids) == 0 || len(ids) > maxRecentIDs {
		x.Differ(sinks.AttrSessionIDs, fmt.Sprintf("%d sessions", len(ids)), fmt.Sprintf("1 to %d", maxRecentIDs))
	}
	for _, id := range ids {
		x.session(v, s, id, step)
	}
	x.OneOf(sinks.AttrTTL, []sinks.Value{sinks.Int(x.ttl)})
	x.Common(sinks.EntityRecent, s.Site)
	return false
}

// session compares a session that a list names as new in a step.
func (x *recentLists) session(v *Judges, s Subject, id string, step int64) {
	position, ok := x.opened[id]
	switch {
	case !ok:
		x.Differ(sinks.AttrSessionIDs, finding.Quote(id), "not opened in this minute")
	case x.listed[id]: // A redo that finds a person erased may choose another item.
		if v.Rules.At(v.Rules.Rev()).Erased(s.Site).None() {
			x.Differ(sinks.AttrSessionIDs, finding.Quote(id)+" again", "once")
		}
	case (position >= x.chain.Head.From) != (step == x.chain.Head.Step):
		x.Differ(sinks.AttrSessionIDs, finding.Quote(id)+fmt.Sprintf(" as new in step %d", step), "new in another step")
	}
	x.listed[id] = true
}

// addNew compares what an item of new sessions names of the minute, and reports whether its step is one that the chain has not begun.
func (x *recentLists) addNew(v *Judges, s Subject, it sinks.Item) (ahead bool) {
	x.Key = it.Key()
	m, _ := sinks.FindEntry(Kinds[finding.KindNew].Type, sinks.Base, it.Key(), it, v.Table.SessionShards)
	if step := m.Fields.Step; step > x.chain.Head.Step {
		return true
	}
	entries, _ := DecodeListed(it[sinks.AttrListed].Bytes(), count.Floor(s.At, count.HourMs), s.TP)
	for _, e := range entries {
		if count.Floor(e.OpenedAt, count.MinuteMs) == s.At {
			x.session(v, s, e.session, m.Fields.Step)
		}
	}
	return false
}

// mayBeErased reports whether an erasure may have taken a session from an item of new sessions.
func (f fates) mayBeErased(c *recount.Chain, s Subject, id string) bool {
	now := c.Stats.Site(s.Site).Sessions[id].At(count.AtEnd)
	return now == nil || now.Erased || f.FateOfPerson(s.Site, now.Visitor, now.User, now.OpenedAt) != scope.Stays
}
