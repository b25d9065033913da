package aggregate

import (
	"slices"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// session lists a session that the step saw first, or whose visitor it did, and writes its state.
func (c *sessionsCut) session(t *touchedSession) {
	c.kept.Weigh(&t.bytes, t.room())
	switch {
	case t.before.Events == 0 && !t.unlisted && t.site.Ruled.Recent():
		c.opened = append(c.opened, opening{site: t.site, named: t.listing, visitorEntry: entryOf(t.session)})
	case t.listing:
		e := entryOf(t.session)
		c.lists.add(hourOf(t.site, e.OpenedAt), e)
	}
	c.writeSession(t)
	t.midway, t.listing = false, false
}

// writeSession writes a session's item: its two states, and whose it is.
func (c *sessionsCut) writeSession(t *touchedSession) {
	x, before := t.session, t.stateBefore()
	days := c.days(x.site, sinks.AttrSessionDays, c.settings.Retention.SessionDays)
	ttl := plan.Expires(transition.LastAt(&x.Cur), days)
	if ttl.Passed(c.now) {
		c.expired(sinks.EntitySession)
		return
	}
	if plan.Expires(transition.LastAt(&before), days).Passed(c.now) { // The store may have deleted the item, or may still have it.
		x.inTable = false
	}
	set := append(c.attrs.Room(maxSessionAttrs), sinks.Attr{Name: sinks.AttrCur, Value: sinks.Bytes(c.encode(&x.Cur, &state.Session{}))})
	if before.Events > 0 { // Otherwise the item has no prev: it is new, or its states were lost.
		set = append(set, sinks.Attr{Name: sinks.AttrPrev, Value: sinks.Bytes(c.encode(&before, &x.Cur))})
	}
	if !x.inTable {
		set = c.sessionOpened(x, set)
	}
	set = c.sessionKnown(x, set)
	set = c.attrs.Took(ttl.Attr(set), plan.GuardAttrs)
	w := plan.Guarded(sinks.EntitySession, x.key, c.guard, nil, set)
	if x.Cur.Erased {
		w.Update.Remove = append(slices.Clip(w.Update.Remove), state.PersonalAttrs...)
	}
	c.p.Writes = append(c.p.Writes, w)
}

// maxSessionAttrs is how many attributes an update of a session sets at most.
const maxSessionAttrs = 12 + plan.GuardAttrs

// sessionOpened appends what never changes of a session, but for ids that the item's key spells.
func (c *sessionsCut) sessionOpened(x *session, set []sinks.Attr) []sinks.Attr {
	x.inTable = true
	if !sinks.SpellsID(x.site.ID) {
		set = append(set, sinks.Attr{Name: sinks.AttrSiteID, Value: sinks.Str(x.site.ID)})
	}
	if !x.Cur.Erased && !sinks.SpellsID(x.id) {
		set = append(set, sinks.Attr{Name: sinks.AttrSessionID, Value: sinks.Str(x.id)})
	}
	x.newVisitor, x.newUser = x.visitor != "", x.user != ""
	return set
}

// sessionKnown appends who the session belongs to, once that becomes known, or the tombstone that has erased it.
func (c *sessionsCut) sessionKnown(x *session, set []sinks.Attr) []sinks.Attr {
	if x.erased > 0 {
		set = append(set, sinks.Attr{Name: sinks.AttrErased, Value: sinks.Int(x.erased)})
	}
	if x.newVisitor || x.newUser {
		set = c.identity(x, set)
		x.newVisitor, x.newUser = false, false
	}
	return set
}

// encode returns the state's bytes. Those of a step's sessions lie one after the other in a few larger pieces.
func (c *sessionsCut) encode(s, base *state.Session) []byte {
	if cap(c.states)-len(c.states) < state.MaxStateBytes { // Values may make the piece larger.
		c.states = make([]byte, 0, 32*state.MaxStateBytes)
	}
	from := len(c.states)
	c.states = s.AppendBinary(c.states, base)
	c.p.Parts += len(c.states) - from
	return c.states[from:len(c.states):len(c.states)]
}

// identity appends who the session belongs to, once that becomes known: the visitor; the user, by the session's place in the index, which
// never changes, and by the id where the key there does not spell it.
func (c *sessionsCut) identity(x *session, set []sinks.Attr) []sinks.Attr {
	if x.newUser {
		c.room = c.Keys.AppendUser(c.room[:0], x.site.ID, x.user)
		user := c.texts.Text(c.room)
		c.room = sinks.AppendSessionOrder(c.room[:0], x.Cur.OpenedAt, x.id, c.TP)
		set = append(set, sinks.Attr{Name: sinks.AttrGSI1PK, Value: sinks.Str(user)},
			sinks.Attr{Name: sinks.AttrGSI1SK, Value: sinks.Str(c.texts.Text(c.room))})
		if !sinks.SpellsID(x.user) {
			set = append(set, sinks.Attr{Name: sinks.AttrUserID, Value: sinks.Str(x.user)})
		}
	}
	if x.newVisitor {
		c.room = sinks.AppendCompactID(c.room[:0], x.visitor)
		set = append(set, sinks.Attr{Name: sinks.AttrVisitorID, Value: sinks.Str(c.texts.Text(c.room))})
	}
	return set
}
