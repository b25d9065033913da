package verify

import (
	"fmt"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// session returns the recount's cell of a session; nil when the log does not know it.
func (c *chain) session(s subject) *cell[*session] { return c.stats.site(s.site).sessions[s.id] }

// figures compares the attributes that people read of any session.
func (c *comparison) figures(want *session) {
	c.text(sinks.AttrSiteID, unspelled(want.site))
}

// unspelled returns an id that keys shorten, which their items then repeat; "" for any other.
func unspelled(id string) string {
	if sinks.SpellsID(id) {
		return ""
	}
	return id
}

// names compares those that identify a person.
func (c *comparison) names(keys sinks.Keys, s subject, want *session) {
	c.text(sinks.AttrSessionID, unspelled(want.id))
	c.text(sinks.AttrUserID, unspelled(want.user))
	c.text(sinks.AttrVisitorID, sinks.CompactID(want.visitor))
	var user sinks.Key // how the index lists the session
	if want.user != "" {
		user = sinks.Key{PK: keys.User(want.site, want.user), SK: sinks.SessionOrder(want.openedAt, want.id, s.tp)}
	}
	c.text(sinks.AttrGSI1PK, user.PK)
	c.text(sinks.AttrGSI1SK, user.SK)
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// states compares the fold's states: the one after the last step, and, when that step has reached the item, the one
// before it, which a redo goes by.
func (c *comparison) states(s subject, chain *chain, now, before *session) {
	base := c.state(sinks.AttrCur, &state.Session{}, now)
	if c.item[sinks.AttrMark(checkpoint.LaneStats, s.tp)].Int() == chain.head.Step {
		c.state(sinks.AttrPrev, &base, before)
		return
	}
	c.ignore(sinks.AttrPrev)
	if _, err := state.SessionBefore(c.item, &base); err != nil {
		c.differ(sinks.AttrPrev, err.Error(), "a state of an earlier step")
	}
}

// state compares a state, which is encoded against a base, and returns what the item has. x is nil before the session's first event.
func (c *comparison) state(attr string, base *state.Session, x *session) (have state.Session) {
	c.ignore(attr)
	var want state.Session
	if x != nil {
		want = state.Session{
			OpenedAt: x.openedAt, StartedAt: x.startedAt, EndedAt: x.endedAt, PageViews: x.pageViews, Events: x.events,
			Interactive: x.interactive, Erased: x.erased, Booked: x.booked, Hour: x.hour, Day: x.day,
			Flood: x.rush.state(), Reached: goalSet(x.reached), Worth: x.worth,
			Entry: state.PageVisit{Page: x.entry.page, At: x.entry.at, Pos: x.entry.position},
			Exit:  state.PageVisit{Page: x.exit.page, At: x.exit.at, Pos: x.exit.position},
			Open:  x.reading.state(), Listed: int32(x.listed),
			First: (*state.Values)(&x.first),
		}
	}
	if v := c.item[attr]; v.Kind() != sinks.None {
		var err error
		have, err = state.DecodeSession(v.Bytes(), base)
		if err != nil {
			c.differ(attr, err.Error(), spell(want))
			return have
		}
	}
	if !have.Equal(want) {
		c.differ(attr, spell(have), spell(want))
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
func (v *judges) judgeRecent(s subject, items []sinks.Item) judgement {
	cmp := v.compare(s, nil)
	if len(items) > 0 {
		cmp.item = items[0]
	}
	c, _, j, ok := v.part(checkpoint.LaneStats, cmp, s.tp)
	if !ok {
		return j
	}
	x := recentLists{comparison: cmp, chain: c, opened: make(map[string]int64), listed: make(map[string]bool),
		ttl: (s.at + minuteMs + checkpoint.RecentTTL.Milliseconds()) / 1000}
	required := false
	for _, o := range c.stats.site(s.site).opened[s.at] {
		x.opened[o.session] = o.position
		required = required || o.position < c.settled()
	}
	if done := j.settleEarly(len(items) > 0 || required, x.ttl <= v.now(), c); done {
		return j
	}
	for _, it := range items {
		if ofNew(it) {
			j.ahead = x.addNew(v, s, it) || j.ahead
		} else {
			j.ahead = x.add(v, s, it) || j.ahead
		}
	}
	cmp.key = v.key(s)
	for id, position := range x.opened {
		switch {
		case x.listed[id] || position >= c.settled():
		case v.mayBeErased(c, s, id): // Of an item of new sessions.
			j.partly = becauseErased
		default:
			cmp.differ(sinks.AttrSessionIDs, "not listed", quote(id))
		}
	}
	j.differences = cmp.differences
	return j
}

// maxRecentIDs is how many sessions an item lists at most.
const maxRecentIDs = 500

// recentLists are the lists of a minute.
type recentLists struct {
	*comparison
	chain  *chain
	opened map[string]int64 // position of each session's first record
	listed map[string]bool
	ttl    int64
}

// add compares one item's list, and reports whether its step is one that the chain has not begun.
func (x *recentLists) add(v *judges, s subject, it sinks.Item) (ahead bool) {
	x.begin(it)
	x.ignore(sinks.AttrSessionIDs)
	var step int64
	var i int
	if _, err := fmt.Sscanf(x.key.SK[len(v.key(s).SK):], "%d#%d", &step, &i); err != nil || v.keys.Recent(s.site, s.at, s.tp, step,
		i) != x.key {
		x.differ(whole, "a key that no template spells", absent)
		return false
	}
	head := x.chain.head
	if step > head.Step {
		x.differ(whole, fmt.Sprintf("of step %d", step), fmt.Sprintf("the chain is at step %d", head.Step))
		return true
	}
	ids := it[sinks.AttrSessionIDs].Strings()
	if len(ids) == 0 || len(ids) > maxRecentIDs {
		x.differ(sinks.AttrSessionIDs, fmt.Sprintf("%d sessions", len(ids)), fmt.Sprintf("1 to %d", maxRecentIDs))
	}
	for _, id := range ids {
		x.session(v, s, id, step)
	}
	x.oneOf(sinks.AttrTTL, []sinks.Value{sinks.Int(x.ttl)})
	x.common(sinks.EntityRecent, s.site)
	return false
}

// session compares a session that a list names as new in a step.
func (x *recentLists) session(v *judges, s subject, id string, step int64) {
	position, ok := x.opened[id]
	switch {
	case !ok:
		x.differ(sinks.AttrSessionIDs, quote(id), "not opened in this minute")
	case x.listed[id]: // A redo that finds a person erased may choose another item.
		if v.rules.At(v.rules.Rev()).Erased(s.site).None() {
			x.differ(sinks.AttrSessionIDs, quote(id)+" again", "once")
		}
	case (position >= x.chain.head.From) != (step == x.chain.head.Step):
		x.differ(sinks.AttrSessionIDs, quote(id)+fmt.Sprintf(" as new in step %d", step), "new in another step")
	}
	x.listed[id] = true
}
