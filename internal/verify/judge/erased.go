package judge

import (
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
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

// fateOfEvent returns the fate of a raw event, by its own visitor and user. An absent one may have been deleted as the raw event of
// any record that may have been written to its key last: by that record's visitor or user, or by its session if it has neither. The
// owner that wrote it need not have begun the record's step, and the record need not be recounted.
func (v *Judges) fateOfEvent(s Subject, e recount.RawEvent, it sinks.Item) scope.Fate {
	if it != nil && !it.Expired(v.Now()) {
		return v.FateOfPerson(s.Site, it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str(), it["timestamp"].Int())
	}
	ofErased := func(session string) bool { return v.ofErased(s.Site, session) }
	if e.Erasing || slices.ContainsFunc(e.Sessions(), ofErased) || v.passedOver() &&
		recount.RawTime(s.Raw.ID) <= v.Rules.At(v.Rules.Rev()).Erased(s.Site).Latest() {
		return scope.IsSwept
	}
	return scope.Stays
}

// passedOver reports whether the log has lost records, or a chain has skipped some. Owners may have written their raw events before.
func (v *Judges) passedOver() bool {
	if v.Recreated {
		return true
	}
	for _, c := range v.Chains {
		if c.Gaps > 0 || len(c.Skips) > 0 || v.Starts[c.Partition] > 0 {
			return true
		}
	}
	return false
}

// fateOfConversion returns the fate of a conversion, by its own visitor and user, or by its session if it has neither.
func (v *Judges) fateOfConversion(s Subject, want *count.Conversion, it sinks.Item) scope.Fate {
	var visitor, user string
	var at int64
	switch {
	case it != nil:
		visitor, user, at = it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str(), it[sinks.AttrAt].Int()
	case want != nil:
		visitor, user, at = want.Visitor, want.User, want.At
	}
	if visitor == "" && user == "" && v.ofErased(s.Site, s.ID) {
		return scope.IsSwept
	}
	return v.FateOfPerson(s.Site, visitor, user, at)
}

// ofErased reports whether any partition saw the session as that of a person who has a tombstone.
func (v *Judges) ofErased(site, session string) bool {
	for _, c := range v.Stats {
		if x := c.Stats.Site(site).Sessions[session].At(count.AtEnd); x != nil &&
			(x.Erased || v.FateOfPerson(site, x.Visitor, x.User, x.OpenedAt) != scope.Stays) {
			return true
		}
	}
	return false
}

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
