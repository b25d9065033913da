package aggregate

import (
	"slices"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// sessionsCut turns the sessions of a step into writes.
type sessionsCut struct {
	*statsCut
	states []byte // of sessions, encoded
	recent recent
}

// session lists a session that the step saw first, and writes its state.
func (c *sessionsCut) session(t *touchedSession) {
	c.kept.weigh(&t.bytes, t.room())
	if t.before.Events == 0 && !t.unlisted && t.site.Ruled.Recent() {
		c.recent.add(t.session)
	}
	c.writeSession(t)
	t.midway = false
}

// writeSession writes a session's item: its two states, what is shown of it, and its sums.
func (c *sessionsCut) writeSession(t *touchedSession) {
	x, before := t.session, &t.before
	days := c.days(x.site, sinks.AttrSessionDays, c.settings.Retention.SessionDays)
	ttl := Expires(lastAt(&x.Cur), days)
	if ttl.Passed(c.now) {
		c.expired(sinks.EntitySession)
		x.unlike = true
		return
	}
	passed := Expires(lastAt(before), days).Passed(c.now)
	if passed { // The store may have deleted the item, or may still have it.
		x.inTable = false
	}
	deleted := passed && before.Events > 0 // A new session has no sums to add to.

	set := c.sessionState(t)
	set, gone := t.firstAttrs(set)
	if !x.inTable {
		set = c.sessionOpened(x, set)
	}
	set = c.sessionKnown(x, set)
	if deleted { // The item's present sums are not known.
		set = append(set, sinks.Attr{Name: sinks.AttrEvents, Value: sinks.Int(x.Cur.Events)},
			sinks.Attr{Name: sinks.AttrPageViews, Value: sinks.Int(x.Cur.PageViews)})
	}
	set = c.attrs.took(ttl.attr(set), guardAttrs)
	add := c.attrs.room(2)
	if !deleted {
		add = t.sums(add)
	}
	w := guarded(sinks.EntitySession, x.key, c.guard, add, set)
	if x.Cur.Erased {
		gone = state.PersonalAttrs
	}
	if gone != nil {
		w.Update.Remove = append(slices.Clip(w.Update.Remove), gone...)
	}
	c.p.Writes = append(c.p.Writes, w)
}

// sessionState returns what the step sets of a session in any case, with room for the rest.
func (c *sessionsCut) sessionState(t *touchedSession) []sinks.Attr {
	s, before := &t.Cur, t.stateBefore()
	shown := state.Shown{EntryPage: s.Entry.Page, ExitPage: s.Exit.Page, First: s.First}
	room := maxSessionAttrs
	if s.First != nil && (!t.inTable || t.unlike || s.First != t.before.First) {
		room += len(s.First)
	}
	set := append(c.attrs.room(room),
		sinks.Attr{Name: sinks.AttrStartedAt, Value: sinks.Int(s.StartedAt)},
		sinks.Attr{Name: sinks.AttrEndedAt, Value: sinks.Int(s.EndedAt)},
		sinks.Attr{Name: sinks.AttrDurationMs, Value: sinks.Int(s.DurationMs())},
		sinks.Attr{Name: sinks.AttrBounce, Value: flag(s.Bounce())},
		sinks.Attr{Name: sinks.AttrEngaged, Value: flag(s.Engaged())},
		sinks.Attr{Name: sinks.AttrCur, Value: sinks.Bytes(c.encode(s, shown))},
		sinks.Attr{Name: sinks.AttrPrev, Value: sinks.Bytes(c.encode(&before, shown))})
	if shown.EntryPage != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrEntryPage, Value: sinks.Str(shown.EntryPage)},
			sinks.Attr{Name: sinks.AttrExitPage, Value: sinks.Str(shown.ExitPage)})
	}
	return set
}

// maxSessionAttrs is how many attributes an update of a session sets at most.
const maxSessionAttrs = 25

// sessionOpened appends what never changes of a session.
func (c *sessionsCut) sessionOpened(x *session, set []sinks.Attr) []sinks.Attr {
	x.inTable = true
	set = append(set, sinks.Attr{Name: sinks.AttrSiteID, Value: sinks.Str(x.site.ID)},
		sinks.Attr{Name: sinks.AttrOpenedAt, Value: sinks.Int(x.Cur.OpenedAt)})
	if !x.Cur.Erased {
		set = append(set, sinks.Attr{Name: sinks.AttrSessionID, Value: sinks.Str(x.id)})
	}
	x.identified, x.indexed = true, x.site.Ruled.VisitorIndex()
	return set
}

// sessionKnown appends who the session belongs to, once that becomes known, or the tombstone that has erased it.
func (c *sessionsCut) sessionKnown(x *session, set []sinks.Attr) []sinks.Attr {
	if x.erased > 0 {
		set = append(set, sinks.Attr{Name: sinks.AttrErased, Value: sinks.Int(x.erased)})
	}
	if x.identified {
		set = c.identity(x, set)
		x.identified, x.indexed = false, false
	}
	return set
}

// sums appends what the step adds to the sums of the session's item.
func (t *touchedSession) sums(add []sinks.Attr) []sinks.Attr {
	if n := t.Cur.Events - t.before.Events; n != 0 { // A bot's event changes only the state that detects bots.
		add = append(add, sinks.Attr{Name: sinks.AttrEvents, Value: sinks.Int(n)})
	}
	if n := t.Cur.PageViews - t.before.PageViews; n != 0 {
		add = append(add, sinks.Attr{Name: sinks.AttrPageViews, Value: sinks.Int(n)})
	}
	return add
}

// encode returns the state's bytes. Those of a step's sessions lie one after the other in a few larger pieces.
func (c *sessionsCut) encode(s *state.Session, shown state.Shown) []byte {
	if cap(c.states)-len(c.states) < state.MaxStateBytes { // Values are rare: they may make the piece larger.
		c.states = make([]byte, 0, 32*state.MaxStateBytes)
	}
	from := len(c.states)
	c.states = s.AppendBinary(c.states, shown)
	c.p.parts += len(c.states) - from
	return c.states[from:len(c.states):len(c.states)]
}

// identity appends who the session belongs to, and its places in the indexes: they are written when they become
// known, and never change.
func (c *sessionsCut) identity(x *session, set []sinks.Attr) []sinks.Attr {
	if x.user == "" && x.visitor == "" {
		return set
	}
	keys := c.Keys
	order := sinks.SessionOrder(x.Cur.OpenedAt, x.id, c.TP)
	if x.user != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrUserID, Value: sinks.Str(x.user)},
			sinks.Attr{Name: sinks.AttrGSI1PK, Value: sinks.Str(keys.User(x.site.ID, x.user))},
			sinks.Attr{Name: sinks.AttrGSI1SK, Value: sinks.Str(order)})
	}
	if x.visitor != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrVisitorID, Value: sinks.Str(x.visitor)})
	}
	if x.visitor != "" && x.indexed {
		set = append(set, sinks.Attr{Name: sinks.AttrGSI2PK, Value: sinks.Str(keys.Visitor(x.site.ID, x.visitor))},
			sinks.Attr{Name: sinks.AttrGSI2SK, Value: sinks.Str(order)})
	}
	return set
}

func flag(b bool) sinks.Value {
	if b {
		return sinks.Int(1)
	}
	return sinks.Int(0)
}
