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

// goalSet spells the numbers of goals as the state of a session does.
func goalSet(numbers []uint64) (set state.Goals) {
	for _, n := range numbers {
		set, _ = set.With(n)
	}
	return set
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
