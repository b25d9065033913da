package judge

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// What an erasure means for the recount. An event is erased when its step knows a tombstone of its visitor or of its user that
// holds at its time: it counts, it has no raw event, it names no session and is no page of one; its session is erased from then
// on. So is a session that the step meets, if the person it belongs to had a tombstone at its openedAt. An erased session is in no
// breakdown any more; what it had there stays. An erased visitor's visits are those of an alias, and start again after the tombstone.
//
// What was folded before the tombstone is swept by package erase, which no chain records: until it says that it is done, ids,
// pages and raw events of the person may be there or not, and the person's sessions are compared in numbers alone; from then on they
// must be gone.

// compareErasing compares what an erasure leaves of a session that no step has touched since, and, once it is done, that it has left
// nothing else.
func compareErasing(c *finding.Comparison, want *count.Session, f scope.Fate) {
	for _, name := range []string{sinks.AttrSessionID, sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrGSI1PK, sinks.AttrGSI1SK} {
		mayStay(c, name, f)
	}
	c.Ignore(sinks.AttrErased)
	expected := want
	cur, err := state.SessionOf(c.Item)
	if err == nil && cur.Erased {
		expected = want.Clone()
		expected.Erase()
	}
	cur = compareState(c, sinks.AttrCur, &state.Session{}, expected)
	c.Ignore(sinks.AttrPrev)
	before, err := state.SessionBefore(c.Item, &cur)
	if err != nil {
		c.Differ(sinks.AttrPrev, err.Error(), "a state")
	}
	for _, s := range [...]struct {
		attr string
		state.Session
	}{{sinks.AttrCur, cur}, {sinks.AttrPrev, before}} {
		if f == scope.MustBeGone && s.Events > 0 && !s.Erased {
			c.Differ(s.attr, "a state with pages", "an erased one")
		}
	}
}

// mayStay has an attribute be there unless the erasure is done.
func mayStay(c *finding.Comparison, name string, f scope.Fate) {
	if c.Ignore(name); f == scope.MustBeGone && c.Item[name].Kind() != sinks.None {
		c.Differ(name, finding.Show(c.Item[name]), "erased")
	}
}

// compareErased compares a session that a step has erased. Where a record of the step has, a redo of it needs what the session was
// before: that stays until another step touches the session, or package erase finds this one settled.
func compareErased(c *finding.Comparison, keys sinks.Keys, s Subject, chain *recount.Chain, want, before *count.Session) {
	compareNames(c, keys, s, &count.Session{})
	c.Ignore(sinks.AttrErased)
	cur, _ := state.SessionOf(c.Item) // If it cannot be read, its comparison says so.
	prev, err := state.SessionBefore(c.Item, &cur)
	if before != nil && (!want.Midway || err == nil && prev.Erased) {
		before = before.Clone()
		before.Erase()
	}
	compareStates(c, s, chain, want, before)
}

// judgeSession compares one partition's part of a session.
func (v *Judges) judgeSession(s Subject, it sinks.Item) Judgement {
	return marked[*count.Session]{
		lane: checkpoint.LaneStats, entity: sinks.EntitySession,
		cell:  func(c *recount.Chain) *count.Cell[*count.Session] { return c.Stats.Site(s.Site).Sessions[s.ID] },
		there: known[count.Session],
		expiry: func(x *count.Session) (bool, []sinks.Value) {
			if x == nil {
				return it.Expired(v.Now()), nil
			}
			return v.Expiry(s.Site, sinks.AttrSessionDays, x.Kept())
		},
		compare: func(cmp *finding.Comparison, j *Judgement, x partOfChain[*count.Session]) {
			want, before := x.want, x.states.At(count.AtBegin)
			cmp.Text(sinks.AttrSiteID, unspelled(want.Site))
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
