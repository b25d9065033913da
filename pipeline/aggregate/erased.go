package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
)

// An erased person has a tombstone in the rules of the site: a keyed hash of the id, and an instant of event time up to which all
// events of the person are erased. A step whose revision has the tombstone counts such an event as usual, but writes nothing that
// identifies the person: no raw event and no conversion. The event's session is erased and stays so. The visits of an erased visitor
// belong to an alias, which contains only the hash.
//
// All of this depends only on the records, the step's revision and the states before the step, as a redo requires. The ids of
// a session item are not part of its state, so they must not decide. A session that was opened at or before the instant
// is never named by an id with a tombstone, not even by a later event. A session that was named by it under an older revision is
// erased by the first step that touches it under this one. A redo finds the same in both cases, even if the item has lost the id in
// between, because the item then carries the tombstone's revision (package erase).

// erasures are the erasures of a site as of the accumulating step's revision.
func (a *accumulating) erasures(s *Site) sites.Erased {
	return s.Ruled.erased
}

// cover finds whether the record is of a person whose data are erased.
func (a *accumulating) cover(r *Input) {
	r.erased, r.alias = 0, ""
	known := a.erasures(r.Site)
	if known.None() {
		return
	}
	e := &r.Event
	if e.UserID != nil {
		if t, ok := known.At(sites.User, sites.HashPerson(a.Hash, sites.User, e.SiteID, e.UserID), e.Timestamp); ok {
			r.erased = t.Rev
		}
	}
	if e.VisitorID != nil {
		hash := sites.HashPerson(a.Hash, sites.Visitor, e.SiteID, e.VisitorID)
		if t, ok := known.At(sites.Visitor, hash, e.Timestamp); ok {
			r.erased, r.alias = t.Rev, hash.Alias()
		}
	}
}

// Kept reports whether the table may hold something of the record alone: a raw event, a conversion. It may not of a person's
// who is erased, nor of one that names no person and belongs to an erased session. It is decided once the stats lane has folded the record.
func (r *Input) Kept() bool {
	return r.erased == 0 && (r.session == nil || !r.session.Cur.Erased || r.Event.VisitorID != nil || r.Event.UserID != nil)
}

// eraseKnown erases a session that the step has just touched, where what it was known by before has a tombstone.
func (s *sessions) eraseKnown(x *session) {
	known := s.erasures(x.site)
	if known.None() || x.Cur.Events == 0 {
		return
	}
	if 0 < x.swept && x.swept <= s.rules.Rev && x.redone != s.step { // What the step itself has erased, it finds again.
		s.erase(x, x.swept)
	}
	if t, ok := s.entombed(x.site, sites.Visitor, x.visitor, x.Cur.OpenedAt); ok {
		s.erase(x, t.Rev)
	}
	if t, ok := s.entombed(x.site, sites.User, x.user, x.Cur.OpenedAt); ok {
		s.erase(x, t.Rev)
	}
}

// entombed returns the tombstone of a person that holds at an event time. No id has none.
func (a *accumulating) entombed(s *Site, kind sites.Person, id string, t int64) (sites.Tombstone, bool) {
	known := a.erasures(s)
	if id == "" || known.None() {
		return sites.Tombstone{}, false
	}
	return known.At(kind, sites.HashPerson(a.Hash, kind, []byte(s.ID), []byte(id)), t)
}

// erase removes from a session everything about a person. What it has booked in breakdowns stays there, so what it
// has not booked yet is booked first.
func (s *sessions) erase(x *session, rev int64) {
	if x.Cur.Erased {
		return
	}
	if x.unbookedIn != nil {
		s.ledger.book(x.unbookedIn)
	}
	x.Cur.Erase()
	x.erased, x.visitor, x.user, x.spots = rev, "", "", spots{}
	x.newVisitor, x.newUser, x.listing = false, false, false
}

// stateBefore is the state before a step, as a redo of the step needs it. Where the step's first touch has erased the session, that
// is no more than numbers: nothing of it is booked in the step. Where one of its records has, what came before that record is
// booked from the state as it was, which stays until another step touches the session, or package erase finds the step settled.
func (t *touchedSession) stateBefore() state.Session {
	before := t.before
	if t.Cur.Erased && !t.midway && before.Events > 0 {
		before.Erase()
	}
	return before
}

// identify notes whom the session belongs to: the first visitor and the first user that its events name, unless they had a
// tombstone as it was opened.
func (s *sessions) identify(x *session, e *event.Event) {
	if x.Cur.Erased {
		return
	}
	opened := e.Timestamp
	if x.Cur.Events > 0 {
		opened = x.Cur.OpenedAt
	}
	if x.visitor == "" && e.VisitorID != nil {
		id := s.memory.keys.Text(e.VisitorID)
		if _, ok := s.entombed(x.site, sites.Visitor, id, opened); !ok {
			x.visitor, x.newVisitor = id, true
		}
	}
	if x.user == "" && e.UserID != nil {
		id := s.memory.keys.Text(e.UserID)
		if _, ok := s.entombed(x.site, sites.User, id, opened); !ok {
			x.user, x.newUser = id, true
		}
	}
}
