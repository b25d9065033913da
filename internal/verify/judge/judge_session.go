package judge

import (
	"fmt"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// sessionCell returns the recount's cell of a session; nil when the log does not know it.
func sessionCell(c *recount.Chain, s Subject) *count.Cell[*count.Session] {
	return c.Stats.Site(s.Site).Sessions[s.ID]
}

// compareFigures compares the attributes that people read of any session.
func compareFigures(c *finding.Comparison, want *count.Session) {
	c.Text(sinks.AttrSiteID, unspelled(want.Site))
}

// unspelled returns an id that keys shorten, which their items then repeat; "" for any other.
func unspelled(id string) string {
	if sinks.SpellsID(id) {
		return ""
	}
	return id
}

// compareNames compares those that identify a person.
func compareNames(c *finding.Comparison, keys sinks.Keys, s Subject, want *count.Session) {
	c.Text(sinks.AttrSessionID, unspelled(want.ID))
	c.Text(sinks.AttrUserID, unspelled(want.User))
	c.Text(sinks.AttrVisitorID, sinks.CompactID(want.Visitor))
	var user sinks.Key // how the index lists the session
	if want.User != "" {
		user = sinks.Key{PK: keys.User(want.Site, want.User), SK: sinks.SessionOrder(want.OpenedAt, want.ID, s.TP)}
	}
	c.Text(sinks.AttrGSI1PK, user.PK)
	c.Text(sinks.AttrGSI1SK, user.SK)
}

// compareStates compares the fold's states: the one after the last step, and, when that step has reached the item, the one
// before it, which a redo goes by.
func compareStates(c *finding.Comparison, s Subject, chain *recount.Chain, now, before *count.Session) {
	base := compareState(c, sinks.AttrCur, &state.Session{}, now)
	if c.Item[sinks.AttrMark(checkpoint.LaneStats, s.TP)].Int() == chain.Head.Step {
		compareState(c, sinks.AttrPrev, &base, before)
		return
	}
	c.Ignore(sinks.AttrPrev)
	if _, err := state.SessionBefore(c.Item, &base); err != nil {
		c.Differ(sinks.AttrPrev, err.Error(), "a state of an earlier step")
	}
}

// compareState compares a state, which is encoded against a base, and returns what the item has. x is nil before the session's first event.
func compareState(c *finding.Comparison, attr string, base *state.Session, x *count.Session) (have state.Session) {
	c.Ignore(attr)
	var want state.Session
	if x != nil {
		want = state.Session{
			OpenedAt: x.OpenedAt, StartedAt: x.StartedAt, EndedAt: x.EndedAt, PageViews: x.PageViews, Events: x.Events,
			Interactive: x.Interactive, Erased: x.Erased, Booked: x.Booked, Hour: x.Hour, Day: x.Day,
			Flood: x.Rush.State(), Reached: goalSet(x.Reached), Worth: x.Worth,
			Entry: state.PageVisit{Page: x.Entry.Page, At: x.Entry.At, Pos: x.Entry.Position},
			Exit:  state.PageVisit{Page: x.Exit.Page, At: x.Exit.At, Pos: x.Exit.Position},
			Open:  x.Reading.State(), Listed: int32(x.Listed),
			First: (*state.Values)(&x.First),
		}
	}
	if v := c.Item[attr]; v.Kind() != sinks.None {
		var err error
		have, err = state.DecodeSession(v.Bytes(), base)
		if err != nil {
			c.Differ(attr, err.Error(), spell(want))
			return have
		}
	}
	if !have.Equal(want) {
		c.Differ(attr, spell(have), spell(want))
	}
	return have
}

// spell returns a state in words that follow from it alone.
func spell(s state.Session) string {
	first := s.First
	if s.First = nil; first == nil {
		return fmt.Sprintf("%+v", s)
	}
	return fmt.Sprintf("%+v, at first %q", s, *first)
}

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
		case v.mayBeErased(c, s, id): // Of an item of new sessions.
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
