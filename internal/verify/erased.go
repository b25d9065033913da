package verify

import (
	"context"
	"slices"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
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

// becauseErased is why what identifies a person is left out.
const becauseErased = "of a person whose data are being erased, or have been"

// entombed returns whether a person has a tombstone at an event time, and its revision.
func (v *rulebook) entombed(known sites.Erased, kind sites.Person, site, id string, t int64) (rev int64, ok bool) {
	if id == "" || known.None() {
		return 0, false
	}
	x, ok := known.At(kind, sites.HashPerson(v.hasher, kind, []byte(site), []byte(id)), t)
	return x.Rev, ok
}

// findErasure finds whether a record is erased, and the alias that its visitor then has.
func (v *rulebook) findErasure(r *record) {
	r.gone, r.alias = false, ""
	if r.erased.None() {
		return
	}
	e, site := r.event, string(r.event.SiteID)
	_, user := v.entombed(r.erased, sites.User, site, string(e.UserID), e.Timestamp)
	_, visitor := v.entombed(r.erased, sites.Visitor, site, string(e.VisitorID), e.Timestamp)
	r.gone = user || visitor
	if visitor {
		r.alias = sites.HashPerson(v.hasher, sites.Visitor, e.SiteID, e.VisitorID).Alias()
	}
}

// unnamed reports whether an event has neither a visitor nor a user.
func unnamed(e *event.Event) bool { return e.VisitorID == nil && e.UserID == nil }

// forgotten returns up to which event time the record's visitor is erased, 0 for not at all.
func (v *rulebook) forgotten(r *record) int64 {
	if r.erased.None() {
		return 0
	}
	return r.erased.Until(sites.Visitor, sites.HashPerson(v.hasher, sites.Visitor, r.event.SiteID, r.event.VisitorID))
}

// applyErasure erases the session of a record if an id of the session, or the record, has a tombstone.
func (s *statsRecount) applyErasure(site *siteRecount, id string, r *record) {
	if c := site.sessions[id]; c == nil || c.end == nil || c.end.erased {
		return
	}
	x := site.sessions[id].end
	_, visitor := s.v.entombed(r.erased, sites.Visitor, x.site, x.visitor, x.openedAt)
	_, user := s.v.entombed(r.erased, sites.User, x.site, x.user, x.openedAt)
	if visitor || user || r.gone {
		x = change(&s.step, site.sessions, id).end
		x.erase()
		x.midway = !visitor && !user
	}
}

// erase removes what identifies a person from the session.
func (s *session) erase() {
	s.erased, s.booked, s.listed = true, notBooked, 0
	s.visitor, s.user, s.entry, s.exit, s.first = "", "", visit{}, visit{}, texts{}
	s.reading = reading{}
}

// belong notes whom a session belongs to, by the first ids that may name it.
func (s *statsRecount) belong(x *session, r *record) {
	e := r.event
	if x.erased {
		return
	}
	if x.visitor == "" {
		if _, dead := s.v.entombed(r.erased, sites.Visitor, x.site, string(e.VisitorID), x.openedAt); !dead {
			x.visitor = string(e.VisitorID)
		}
	}
	if x.user == "" {
		if _, dead := s.v.entombed(r.erased, sites.User, x.site, string(e.UserID), x.openedAt); !dead {
			x.user = string(e.UserID)
		}
	}
}

// loadErasures notes which erasures are done.
func (v *rulebook) loadErasures(ctx context.Context) error {
	v.swept = make(map[int64]bool)
	all, err := erase.List(ctx, v.opts.Table, v.keys, v.opts.Site)
	for _, e := range all {
		v.swept[e.Revision] = e.Over()
	}
	return err
}

// fate is what may have become of something that is a person's.
type fate uint8

const (
	stays      fate = iota // there is no tombstone
	isSwept                // it may be there or not
	mustBeGone             // it must not be there
)

func (v *rulebook) fateOf(rev int64, entombed bool) fate {
	switch {
	case !entombed:
		return stays
	case v.swept[rev]:
		return mustBeGone
	}
	return isSwept
}

// fateOfPerson returns the fate of what names a visitor and a user, by all tombstones.
func (v *rulebook) fateOfPerson(site, visitor, user string, t int64) fate {
	known := v.rules.At(v.rules.Rev()).Erased(site)
	rev, ok := v.entombed(known, sites.Visitor, site, visitor, t)
	f := v.fateOf(rev, ok)
	rev, ok = v.entombed(known, sites.User, site, user, t)
	return max(f, v.fateOf(rev, ok))
}

// fateOfVisits returns the fate of a visitor's visits before the visitor's last tombstone.
func (v *rulebook) fateOfVisits(site string, id string, x *visitor) fate {
	known := v.rules.At(v.rules.Rev()).Erased(site)
	if x == nil || known.None() {
		return stays
	}
	hash := sites.HashPerson(v.hasher, sites.Visitor, []byte(site), []byte(id))
	until := known.Until(sites.Visitor, hash)
	if until <= x.erased {
		return stays
	}
	last, _ := known.At(sites.Visitor, hash, until)
	return v.fateOf(last.Rev, true)
}

// fateOfEvent returns the fate of a raw event, by its own visitor and user. An absent one may have been deleted as the raw event of
// any record that may have been written to its key last: by that record's visitor or user, or by its session if it has neither. The
// owner that wrote it need not have begun the record's step, and the record need not be recounted.
func (v *judges) fateOfEvent(s subject, e rawEvent, it sinks.Item) fate {
	if it != nil && !it.Expired(v.now()) {
		return v.fateOfPerson(s.site, it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str(), it["timestamp"].Int())
	}
	ofErased := func(session string) bool { return v.ofErased(s.site, session) }
	if e.erasing || slices.ContainsFunc(e.sessions(), ofErased) || v.passedOver() &&
		rawTime(s.raw.id) <= v.rules.At(v.rules.Rev()).Erased(s.site).Latest() {
		return isSwept
	}
	return stays
}

// passedOver reports whether the log has lost records, or a chain has skipped some. Owners may have written their raw events before.
func (v *judges) passedOver() bool {
	if v.recreated {
		return true
	}
	for _, c := range v.chains {
		if c.gaps > 0 || len(c.skips) > 0 || v.starts[c.Partition] > 0 {
			return true
		}
	}
	return false
}

// fateOfConversion returns the fate of a conversion, by its own visitor and user, or by its session if it has neither.
func (v *judges) fateOfConversion(s subject, want *conversion, it sinks.Item) fate {
	var visitor, user string
	var at int64
	switch {
	case it != nil:
		visitor, user, at = it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str(), it[sinks.AttrAt].Int()
	case want != nil:
		visitor, user, at = want.visitor, want.user, want.at
	}
	if visitor == "" && user == "" && v.ofErased(s.site, s.id) {
		return isSwept
	}
	return v.fateOfPerson(s.site, visitor, user, at)
}

// ofErased reports whether any partition saw the session as that of a person who has a tombstone.
func (v *judges) ofErased(site, session string) bool {
	for _, c := range v.stats {
		if x := c.stats.site(site).sessions[session].at(atEnd); x != nil &&
			(x.erased || v.fateOfPerson(site, x.visitor, x.user, x.openedAt) != stays) {
			return true
		}
	}
	return false
}

// erasing compares what an erasure leaves of a session that no step has touched since, and, once it is done, that it has left
// nothing else.
func (c *comparison) erasing(want *session, f fate) {
	for _, name := range []string{sinks.AttrSessionID, sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrGSI1PK, sinks.AttrGSI1SK} {
		c.mayStay(name, f)
	}
	c.ignore(sinks.AttrErased)
	expected := want
	cur, err := state.SessionOf(c.item)
	if err == nil && cur.Erased {
		expected = want.Clone()
		expected.erase()
	}
	cur = c.state(sinks.AttrCur, &state.Session{}, expected)
	c.ignore(sinks.AttrPrev)
	before, err := state.SessionBefore(c.item, &cur)
	if err != nil {
		c.differ(sinks.AttrPrev, err.Error(), "a state")
	}
	for _, s := range [...]struct {
		attr string
		state.Session
	}{{sinks.AttrCur, cur}, {sinks.AttrPrev, before}} {
		if f == mustBeGone && s.Events > 0 && !s.Erased {
			c.differ(s.attr, "a state with pages", "an erased one")
		}
	}
}

// mayStay has an attribute be there unless the erasure is done.
func (c *comparison) mayStay(name string, f fate) {
	if c.ignore(name); f == mustBeGone && c.item[name].Kind() != sinks.None {
		c.differ(name, show(c.item[name]), "erased")
	}
}

// erased compares a session that a step has erased. Where a record of the step has, a redo of it needs what the session was
// before: that stays until another step touches the session, or package erase finds this one settled.
func (c *comparison) erased(keys sinks.Keys, s subject, chain *chain, want, before *session) {
	c.names(keys, s, &session{})
	c.ignore(sinks.AttrErased)
	cur, _ := state.SessionOf(c.item) // If it cannot be read, its comparison says so.
	prev, err := state.SessionBefore(c.item, &cur)
	if before != nil && (!want.midway || err == nil && prev.Erased) {
		before = before.Clone()
		before.erase()
	}
	c.states(s, chain, want, before)
}
