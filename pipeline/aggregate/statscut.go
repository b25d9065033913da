package aggregate

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Cut ends the step: what its sessions have moved is booked, and every state that it touched becomes a write.
func (f *Stats) Cut(now int64) Plan {
	f.bookRest()
	p := Plan{Writes: make([]Write, 0, len(f.sessions)+2*len(f.hours)), Days: make([]Write, 0, len(f.days))}
	p.Counts.GoalsFull, f.goalsFull = f.goalsFull, 0
	c := statsCut{f: f, p: &p, now: now, guard: guardOf(f.Mark, f.step)}
	for i := range f.sessions {
		f.book(&f.sessions[i])
		c.session(&f.sessions[i])
	}
	for i := range f.visitors {
		c.visitor(&f.visitors[i])
	}
	for _, b := range f.budgets {
		c.budget(b)
	}
	c.recents()
	for i := range f.conversions {
		c.conversion(&f.conversions[i])
	}
	for _, h := range f.hours {
		c.hour(h)
	}
	c.entries()
	p.Deletes, f.late.gone = f.late.gone, nil
	for _, d := range f.days {
		c.day(d)
	}
	touched := make([]cached, 0, len(f.sessions)+len(f.visitors)+len(f.hours))
	for i := range f.sessions {
		touched = append(touched, f.sessions[i].session)
	}
	for i := range f.visitors {
		touched = append(touched, f.visitors[i].visitor)
	}
	for _, h := range f.hours {
		touched = append(touched, h)
	}
	for _, b := range f.budgets {
		touched = append(touched, b)
	}
	f.kept.add(f.step, touched)
	clear(f.sessions) // Their room serves the next step.
	clear(f.visitors)
	clear(f.conversions)
	f.conversions = f.conversions[:0]
	f.budgets = nil
	f.hours, f.days, f.sessions, f.visitors, f.bytes, f.grown = nil, nil, f.sessions[:0], f.visitors[:0], 0, 0
	return p
}

// book moves what the session contributes from the buckets of its start before the step to those after it.
func (f *Stats) book(x *touchedSession) {
	for _, b := range []struct {
		state *state.Session
		sign  int64
	}{{&x.before, -1}, {&x.Cur, 1}} {
		if b.state.Events == 0 {
			continue
		}
		h, d := x.site.hourAt(b.state.Hour), x.site.dayAt(b.state.Day)
		f.touchHour(h)
		f.touchDay(d)
		h.sums.book(b.state, b.sign)
		d.sums.book(b.state, b.sign)
	}
}

// statsCut turns touched states into writes.
type statsCut struct {
	f   *Stats
	p   *Plan
	now int64
	guard
	attrs     attrs
	late      map[lateDate][]*hour // that go to the journal
	lateDates []lateDate           // in the order of first touch
	bytes     []byte               // of states of sessions
	pack      sketch.Packer

	opened []recentKey // in the order of first touch
	recent map[recentKey][]string
}

type recentKey struct {
	site   *Site
	minute int64
}

func (c *statsCut) days(s *Site, attr string, def int64) int64 { return s.Ruled.DaysOf(attr, def) }

func (c *statsCut) expired(kind string) { c.p.Counts.expire(kind) }

func (c *statsCut) session(t *touchedSession) {
	defer func() { t.midway = false }()
	x, before := t.session, &t.before
	f, s := c.f, &x.Cur
	f.kept.weigh(&x.bytes, x.room())
	if before.Events == 0 && !x.unlisted && x.site.Ruled.Recent() {
		k := recentKey{x.site, s.OpenedAt - s.OpenedAt%event.MinuteMs}
		if c.recent == nil {
			c.recent = make(map[recentKey][]string)
		}
		if c.recent[k] == nil {
			c.opened = append(c.opened, k)
		}
		c.recent[k] = append(c.recent[k], x.id)
	}
	days := c.days(x.site, sinks.AttrSessionDays, f.settings.Retention.SessionDays)
	ttl := Expires(lastAt(s), days)
	if ttl.Passed(c.now) {
		c.expired(sinks.EntitySession)
		return
	}
	passed := Expires(lastAt(before), days).Passed(c.now)
	if passed { // The store may have deleted the item, or may still have it.
		x.inTable = false
	}
	deleted := passed && before.Events > 0 // A new session has no sums to add to.
	state := t.stateBefore()
	entry, exit := s.Entry.Page, s.Exit.Page
	room := maxSessionAttrs
	if !x.inTable && x.first != nil {
		room += len(x.first)
	}
	set := append(c.attrs.room(room),
		sinks.Attr{Name: sinks.AttrStartedAt, Value: sinks.Int(s.StartedAt)},
		sinks.Attr{Name: sinks.AttrEndedAt, Value: sinks.Int(s.EndedAt)},
		sinks.Attr{Name: sinks.AttrDurationMs, Value: sinks.Int(s.DurationMs())},
		sinks.Attr{Name: sinks.AttrBounce, Value: flag(s.Bounce())},
		sinks.Attr{Name: sinks.AttrEngaged, Value: flag(s.Engaged())},
		sinks.Attr{Name: sinks.AttrCur, Value: sinks.Bytes(c.encode(s, entry, exit))},
		sinks.Attr{Name: sinks.AttrPrev, Value: sinks.Bytes(c.encode(&state, entry, exit))})
	if entry != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrEntryPage, Value: sinks.Str(entry)},
			sinks.Attr{Name: sinks.AttrExitPage, Value: sinks.Str(exit)})
	}
	if !x.inTable {
		x.inTable = true
		set = append(set, sinks.Attr{Name: sinks.AttrSiteID, Value: sinks.Str(x.site.ID)},
			sinks.Attr{Name: sinks.AttrOpenedAt, Value: sinks.Int(s.OpenedAt)})
		if !s.Erased {
			set = append(set, sinks.Attr{Name: sinks.AttrSessionID, Value: sinks.Str(x.id)})
		}
		set = x.first.attrs(set)
		x.identified, x.indexed = true, x.site.Ruled.VisitorIndex()
	}
	if x.erased > 0 {
		set = append(set, sinks.Attr{Name: sinks.AttrErased, Value: sinks.Int(x.erased)})
	}
	if x.identified {
		set = c.identity(x, set)
		x.identified, x.indexed = false, false
	}
	if deleted { // The item's present sums are not known.
		set = append(set, sinks.Attr{Name: sinks.AttrEvents, Value: sinks.Int(s.Events)},
			sinks.Attr{Name: sinks.AttrPageViews, Value: sinks.Int(s.PageViews)})
	}
	set = c.attrs.took(ttl.attr(set), guardAttrs)
	add := c.attrs.room(2)
	if n := s.Events - before.Events; n != 0 && !deleted { // A bot's event changes only the state that detects bots.
		add = append(add, sinks.Attr{Name: sinks.AttrEvents, Value: sinks.Int(n)})
	}
	if n := s.PageViews - before.PageViews; n != 0 && !deleted {
		add = append(add, sinks.Attr{Name: sinks.AttrPageViews, Value: sinks.Int(n)})
	}
	w := guarded(sinks.EntitySession, x.key, c.guard, add, set)
	if attrs := t.erasedAttrs(); attrs != nil {
		w.Update.Remove = append(slices.Clip(w.Update.Remove), attrs...)
	}
	c.p.Writes = append(c.p.Writes, w)
}

// encode returns the state's bytes. Those of a step's sessions lie one after the other in a few larger pieces.
func (c *statsCut) encode(s *state.Session, entryPage, exitPage string) []byte {
	if cap(c.bytes)-len(c.bytes) < state.MaxStateBytes {
		c.bytes = make([]byte, 0, 32*state.MaxStateBytes)
	}
	from := len(c.bytes)
	c.bytes = s.AppendBinary(c.bytes, entryPage, exitPage)
	c.p.parts += len(c.bytes) - from
	return c.bytes[from:len(c.bytes):len(c.bytes)]
}

// maxSessionAttrs is how many attributes an update of a session sets at most.
const maxSessionAttrs = 25

// identity appends who the session belongs to, and its places in the indexes: they are written when they become
// known, and never change.
func (c *statsCut) identity(x *session, set []sinks.Attr) []sinks.Attr {
	if x.user == "" && x.visitor == "" {
		return set
	}
	keys := c.f.Keys
	order := sinks.SessionOrder(x.Cur.OpenedAt, x.id, c.f.TP)
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

// recents lists the sessions that the step saw first, by the minute in which they were opened.
func (c *statsCut) recents() {
	f := c.f
	for _, k := range c.opened {
		ttl := Expires(k.minute+event.MinuteMs+checkpoint.RecentTTL.Milliseconds(), 0)
		if ttl.Passed(c.now) {
			c.expired(sinks.EntityRecent)
			continue
		}
		ids := c.recent[k]
		for i := 0; len(ids) > 0; i++ {
			n := min(len(ids), RecentPerItem)
			step := f.step
			key := f.Keys.Recent(k.site.ID, k.minute, f.TP, step, i)
			c.p.Writes = append(c.p.Writes, Write{Kind: sinks.EntityRecent, Item: sinks.Item{
				sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
				sinks.AttrEntity: sinks.Str(sinks.EntityRecent), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
				sinks.AttrTTL: sinks.Int(ttl.At), sinks.AttrSessionIDs: sinks.Strings(ids[:n]),
			}})
			ids = ids[n:]
		}
	}
}

func (c *statsCut) hour(h *hour) {
	f := c.f
	ttl := Expires(h.start+event.HourMs, c.days(h.Site, sinks.AttrHourDays, f.settings.Retention.HourDays))
	add, news, dirty, unlogged := h.sums.attrs(), h.news, h.dirty, h.unlogged
	h.sums, h.news, h.dirty, h.unlogged = sums{}, false, false, false
	switch {
	case dirty:
		f.weigh(h)
	case news:
		f.kept.weigh(&h.bytes, h.room())
	}
	if ttl.Passed(c.now) {
		c.expired(sinks.EntityStats)
		return
	}
	journaled, whole := false, h.skip == f.step // A redo that finds its own mark finds the entries in the item as well.
	if dirty {
		if journaled = c.journal(h, ttl); !journaled {
			c.breakdown(h, ttl)
			whole = true
		}
	}
	if whole {
		news = news || h.lateVisitors
		c.merge(h)
	}
	var set []sinks.Attr
	if news {
		part, err := h.visitors.AppendBinary(nil)
		if err != nil {
			panic(fmt.Sprintf("our own sketch does not encode: %v", err))
		}
		c.p.parts += len(part)
		if n := h.visitors.Entries(); n >= 0 && n <= InlineVisitors {
			set = append(set, sinks.Attr{Name: sinks.AttrUniques(f.TP), Value: sinks.Bytes(part)})
		} else if journaled && h.parted && !unlogged {
			h.lateVisitors = true
		} else {
			h.parted = true
			c.p.Writes = append(c.p.Writes, guarded(sinks.EntityUniques, f.Keys.Uniques(h.Site.ID, h.start, f.TP),
				c.guard, nil, ttl.attr([]sinks.Attr{{Name: sinks.AttrPart, Value: sinks.Bytes(part)}})))
		}
	}
	if len(add)+len(set) == 0 && !journaled {
		return // Corrections that cancel out.
	}
	key := f.Keys.HourStats(h.Site.ID, h.start)
	c.p.Writes = append(c.p.Writes, guarded(sinks.EntityStats, key, c.guard, add, ttl.attr(set)))
}

func (c *statsCut) day(d *day) {
	f := c.f
	ttl := Expires(d.start+event.DayMs, c.days(d.site, sinks.AttrDayDays, f.settings.Retention.DayDays))
	add := d.sums.attrs()
	delete(d.site.days, d.start) // A day has no state beyond its step.
	d.site.lastDay = nil
	if ttl.Passed(c.now) {
		c.expired(sinks.EntityStats)
		return
	}
	c.p.Days = append(c.p.Days, guarded(sinks.EntityStats, f.Keys.DayStats(d.site.ID, d.start),
		c.guard, add, ttl.attr(nil)))
}

func flag(b bool) sinks.Value {
	if b {
		return sinks.Int(1)
	}
	return sinks.Int(0)
}
