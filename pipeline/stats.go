package pipeline

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

const (
	// inlineEntries is how many visitors a part may have to ride in the hour's stats item: 16 hashes take about
	// 150 bytes and leave the item within one write unit.
	inlineEntries = 16
	// recentPerItem bounds an item of recent sessions: 500 ids of 256 bytes are 128 KB.
	recentPerItem = 500
)

// statsFold is the fold of the stats lane: hours, days, uniques, breakdowns, sessions, recent sessions.
type statsFold struct {
	place
	send     *sender
	step     int64
	settings *Settings
	dims     *dimensioner

	again     int64                                                       // the step that is a redo, 0 when there is none
	overtaken func(ctx context.Context, item sinks.Key, mark int64) error // what a state means that is ahead of the fold

	// Touched by the accumulating step, in the order of first touch.
	hours    []*hour
	days     []*day
	sessions []touchedSession
	bytes    int
	kept     cohorts

	fresh  []*session // asked for by the present chunk
	booked []*session // of them, those whose hour is being asked for
}

// touchedSession is a session that the accumulating step touches.
type touchedSession struct {
	*session
	before SessionState // as it was when the step began
}

// Rough sizes of an item's request, for the bound on a step's bytes.
const (
	sessionBytes = 700
	hourBytes    = 500
	// hourWeight is how many sessions an hour counts for where what is kept in memory is bounded: its sketch takes up
	// to 16 KB, a session about half a kilobyte.
	hourWeight = 32
	// A breakdown takes some 6.6 KB with its first record, and 2 MB when its bytes are 228 KB, in rows of one visitor:
	// half a kilobyte for each 60 of them.
	breakdownBase   = 13
	breakdownWeight = 60
)

func (f *statsFold) begin(step int64, s *Settings) { f.step, f.settings = step, s }

func (f *statsFold) want(r *record, l *loader) {
	e := &r.event
	s := f.sites.of(r)
	if !s.asked {
		s.asked = true
		f.askEntry(s, l)
	}
	h := s.hour(e.Timestamp)
	if !h.asked {
		h.asked = true
		f.kept.live += hourWeight
		f.askHour(h, l)
	}
	if h.breakdown == nil && f.settings.Breakdowns > 0 {
		f.askBreakdown(h, l)
	}
	r.hour = h
	r.session = nil
	if e.SessionID != nil {
		x := s.session(e.SessionID)
		if !x.asked {
			x.asked = true
			f.kept.live++
			f.fresh = append(f.fresh, x)
			f.askSession(x, l)
		}
		r.session = x
	}
}

// askEntry reads the site's entry in the list of sites, and puts it when this is the first sight of the site.
func (f *statsFold) askEntry(s *site, l *loader) {
	l.ask(f.keys.SiteEntry(s.id), func(it sinks.Item) error {
		if it != nil {
			s.entry = sinks.ReadSiteEntry(it)
			return nil
		}
		l.then = append(l.then, func(ctx context.Context) error {
			entry := sinks.SiteEntry{Site: s.id, Shards: sinks.DefaultShards}
			r, err := f.send.put(ctx, nil, sinks.EntitySiteEntry, sinks.Put{Item: entry.Item(f.keys),
				If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
			if err == nil && r.Refused { // Another partition, or `site create`, was first: theirs holds.
				entry = sinks.ReadSiteEntry(r.Item)
			}
			s.entry = entry
			return err
		})
		return nil
	})
}

// askHour reads this partition's part of the hour's visitors, which lies in the stats item, in an item of its
// own, or, after it has grown, in both: the part is their union.
func (f *statsFold) askHour(h *hour, l *loader) {
	h.visitors = sketch.NewHour()
	merge := func(b []byte) error {
		if b == nil {
			return nil
		}
		part := sketch.NewHour()
		if err := part.UnmarshalBinary(b); err != nil {
			return err
		}
		return h.visitors.Merge(part)
	}
	l.ask(f.keys.HourStats(h.site.id, h.start), func(it sinks.Item) error {
		return merge(it[sinks.AttrUniques(f.tp)].Bytes())
	})
	if plant.PartForgotten {
		return
	}
	l.ask(f.keys.Uniques(h.site.id, h.start, f.tp), func(it sinks.Item) error {
		return merge(it[sinks.AttrPart].Bytes())
	})
}

// askSession reads a session's two states. Where the item carries the very step that is being accumulated, this
// is a redo, and the step began from the state before: taking the one after would count the step's records twice.
func (f *statsFold) askSession(x *session, l *loader) {
	x.key = f.keys.Session(x.site.id, x.id, f.tp, f.sessionShards)
	l.ask(x.key, func(it sinks.Item) error {
		if it == nil {
			return nil
		}
		state := it[sinks.AttrCur].Bytes()
		mark := it[f.mark].Int()
		f.checkMark(l, x.key, mark)
		if mark == f.step && !plant.NoPrev {
			state = it[sinks.AttrPrev].Bytes()
		}
		cur, err := DecodeSessionState(state, it[sinks.AttrEntryPage].Str(), it[sinks.AttrExitPage].Str())
		if err != nil {
			return err
		}
		x.cur, x.inTable, x.stale = cur, true, it.Expired(f.now().Unix())
		x.visitor, x.user = it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str()
		if cur.Events > 0 {
			x.first = f.dims.read(it)
		}
		return nil
	})
}

// checkMark looks at the mark of a state that was read. One that is ahead of the fold, or level with a step that is no redo,
// was written by another owner, who has done this step and perhaps gone on. Our updates would be refused; but our lists
// of recent sessions, which are put without a guard since they are the same in every redo, would lack sessions, and
// states of both owners together are none that ever were.
func (f *statsFold) checkMark(l *loader, key sinks.Key, mark int64) {
	if mark > f.step || mark == f.step && f.step != f.again {
		l.then = append(l.then, func(ctx context.Context) error { return f.overtaken(ctx, key, mark) })
	}
}

func (f *statsFold) add(r *record) {
	e, h := &r.event, r.hour
	f.touchHour(h)
	h.sums.add(e)
	if h.visitors.Add(r.visitor) && !h.news {
		h.news = true
		f.bytes += partBytes(h.visitors)
	}
	d := h.site.day(e.Timestamp)
	f.touchDay(d)
	d.sums.add(e)
	if f.settings.Breakdowns == 0 {
		if r.session != nil {
			f.addSession(r)
			r.session.cur.Booked = NotBooked
		}
		return
	}
	f.addBrokenDown(r)
}

// addSession folds a record into its session.
func (f *statsFold) addSession(r *record) {
	e, x := &r.event, r.session
	if x.step != f.step {
		if x.cur.Events > 0 { // What it has booked must stay in memory as long as it does.
			f.touchHour(x.site.hour(x.cur.StartedAt))
		}
		x.step = f.step
		f.sessions = append(f.sessions, touchedSession{x, x.cur})
		f.bytes += sessionBytes
	}
	if x.visitor == "" && e.VisitorID != nil {
		x.visitor, x.identified = string(e.VisitorID), true
	}
	if x.user == "" && e.UserID != nil {
		x.user, x.identified = string(e.UserID), true
	}
	x.cur.add(e, r.pos, r.page, f.settings.interactive(e.Type))
}

// partBytes is about what the hour's part of the visitors encodes to.
func partBytes(u *sketch.Uniques) int {
	if n := u.Entries(); n >= 0 {
		return 8 * n
	}
	return 6 << 10
}

func (f *statsFold) touchHour(h *hour) {
	if h.step != f.step {
		h.step = f.step
		f.hours = append(f.hours, h)
		f.bytes += hourBytes
	}
}

func (f *statsFold) touchDay(d *day) {
	if d.step != f.step {
		d.step = f.step
		f.days = append(f.days, d)
		f.bytes += hourBytes
	}
}

func (f *statsFold) size() (items, bytes int) {
	return len(f.hours) + len(f.days) + len(f.sessions), f.bytes
}

func (f *statsFold) cut(now int64) plan {
	p := plan{writes: make([]write, 0, len(f.sessions)+2*len(f.hours)), days: make([]write, 0, len(f.days))}
	c := statsCut{f: f, p: &p, now: now, guard: guardOf(f.mark, f.step)}
	for i := range f.sessions {
		f.book(&f.sessions[i])
		c.session(&f.sessions[i])
	}
	c.recents()
	for _, h := range f.hours {
		c.hour(h)
	}
	for _, d := range f.days {
		c.day(d)
	}
	touched := make([]cached, 0, len(f.sessions)+len(f.hours))
	for i := range f.sessions {
		touched = append(touched, f.sessions[i].session)
	}
	for _, h := range f.hours {
		touched = append(touched, h)
	}
	f.kept.add(f.step, touched)
	if plant.LetGoTooSoon {
		f.kept.settled(f.step)
	}
	clear(f.sessions) // Their room serves the next step.
	f.hours, f.days, f.sessions, f.bytes = nil, nil, f.sessions[:0], 0
	return p
}

// book moves what the session contributes from the buckets of its start before the step to those after it.
func (f *statsFold) book(x *touchedSession) {
	for _, b := range []struct {
		state *SessionState
		sign  int64
	}{{&x.before, -1}, {&x.cur, 1}} {
		if b.state.Events == 0 || b.sign < 0 && plant.BookedTwice {
			continue
		}
		h, d := x.site.hour(b.state.StartedAt), x.site.day(b.state.StartedAt)
		if plant.Midnight {
			d = x.site.day(b.state.EndedAt)
		}
		f.touchHour(h)
		f.touchDay(d)
		h.sums.book(b.state, b.sign)
		d.sums.book(b.state, b.sign)
	}
}

// statsCut turns touched states into writes.
type statsCut struct {
	f   *statsFold
	p   *plan
	now int64
	guard
	attrs attrs
	bytes []byte // of states of sessions

	opened []recentKey // in the order of first touch
	recent map[recentKey][]string
}

type recentKey struct {
	site   *site
	minute int64
}

func (c *statsCut) days(s *site, attr string, def int64) int64 { return s.entry.DaysOf(attr, def) }

func (c *statsCut) expired(kind string) { c.f.metrics.Expired.WithLabelValues(kind).Inc() }

func (c *statsCut) session(t *touchedSession) {
	x, before := t.session, &t.before
	f, s := c.f, &x.cur
	if before.Events == 0 {
		k := recentKey{x.site, s.OpenedAt - s.OpenedAt%minuteMs}
		if c.recent == nil {
			c.recent = make(map[recentKey][]string)
		}
		if c.recent[k] == nil {
			c.opened = append(c.opened, k)
		}
		c.recent[k] = append(c.recent[k], x.id)
	}
	days := c.days(x.site, sinks.AttrSessionDays, f.settings.Retention.SessionDays)
	ttl := expires(s.EndedAt, days)
	if ttl.passed(c.now) {
		c.expired(sinks.EntitySession)
		return
	}
	if expires(before.EndedAt, days).passed(c.now) {
		x.inTable = false // The store may have deleted it.
	}
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
		sinks.Attr{Name: sinks.AttrPrev, Value: sinks.Bytes(c.encode(before, entry, exit))})
	if entry != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrEntryPage, Value: sinks.Str(entry)},
			sinks.Attr{Name: sinks.AttrExitPage, Value: sinks.Str(exit)})
	}
	if !x.inTable {
		x.inTable = true
		set = append(set, sinks.Attr{Name: sinks.AttrSiteID, Value: sinks.Str(x.site.id)},
			sinks.Attr{Name: sinks.AttrSessionID, Value: sinks.Str(x.id)},
			sinks.Attr{Name: sinks.AttrOpenedAt, Value: sinks.Int(s.OpenedAt)})
		set = x.first.attrs(set)
		x.identified = true
	}
	if x.identified {
		x.identified = false
		set = c.identity(x, set)
	}
	set = ttl.attr(set)
	add := append(c.attrs.room(2), sinks.Attr{Name: sinks.AttrEvents, Value: sinks.Int(s.Events - before.Events)})
	if n := s.PageViews - before.PageViews; n != 0 {
		add = append(add, sinks.Attr{Name: sinks.AttrPageViews, Value: sinks.Int(n)})
	}
	c.p.writes = append(c.p.writes, guarded(sinks.EntitySession, x.key, c.guard, add, set))
}

// encode returns the state's bytes. Those of a step's sessions lie one after the other in a few larger pieces.
func (c *statsCut) encode(s *SessionState, entryPage, exitPage string) []byte {
	if cap(c.bytes)-len(c.bytes) < maxStateBytes {
		c.bytes = make([]byte, 0, 32*maxStateBytes)
	}
	from := len(c.bytes)
	c.bytes = s.appendBinary(c.bytes, entryPage, exitPage)
	return c.bytes[from:len(c.bytes):len(c.bytes)]
}

// maxSessionAttrs is how many attributes an update of a session sets at most.
const maxSessionAttrs = 22

// identity appends who the session belongs to, and its places in the indexes: they are written when they become
// known, and never change.
func (c *statsCut) identity(x *session, set []sinks.Attr) []sinks.Attr {
	if x.user == "" && x.visitor == "" {
		return set
	}
	keys := c.f.keys
	order := sinks.SessionOrder(x.cur.OpenedAt, x.id, c.f.tp)
	if x.user != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrUserID, Value: sinks.Str(x.user)},
			sinks.Attr{Name: sinks.AttrGSI1PK, Value: sinks.Str(keys.User(x.site.id, x.user))},
			sinks.Attr{Name: sinks.AttrGSI1SK, Value: sinks.Str(order)})
	}
	if x.visitor != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrVisitorID, Value: sinks.Str(x.visitor)},
			sinks.Attr{Name: sinks.AttrGSI2PK, Value: sinks.Str(keys.Visitor(x.site.id, x.visitor))},
			sinks.Attr{Name: sinks.AttrGSI2SK, Value: sinks.Str(order)})
	}
	return set
}

// recents lists the sessions that the step saw first, by the minute in which they were opened.
func (c *statsCut) recents() {
	f := c.f
	for _, k := range c.opened {
		ttl := expires(k.minute+minuteMs+RecentTTL.Milliseconds(), 0)
		if ttl.passed(c.now) {
			c.expired(sinks.EntityRecent)
			continue
		}
		ids := c.recent[k]
		for i := 0; len(ids) > 0; i++ {
			n := min(len(ids), recentPerItem)
			step := f.step
			if plant.RecentMoved && step == f.again {
				step++
			}
			key := f.keys.Recent(k.site.id, k.minute, f.tp, step, i)
			c.p.writes = append(c.p.writes, write{kind: sinks.EntityRecent, item: sinks.Item{
				sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
				sinks.AttrEntity: sinks.Str(sinks.EntityRecent), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
				sinks.AttrTTL: sinks.Int(ttl.at), sinks.AttrSessionIDs: sinks.Strings(ids[:n]),
			}})
			ids = ids[n:]
		}
	}
}

func (c *statsCut) hour(h *hour) {
	f := c.f
	ttl := expires(h.start+hourMs, c.days(h.site, sinks.AttrHourDays, f.settings.Retention.HourDays))
	add, news, dirty := h.sums.attrs(), h.news, h.dirty
	h.sums, h.news, h.dirty = sums{}, false, false
	if dirty {
		f.weigh(h)
	}
	if ttl.passed(c.now) {
		c.expired(sinks.EntityStats)
		return
	}
	if dirty {
		c.breakdown(h, ttl)
	}
	var set []sinks.Attr
	if news {
		part, err := h.visitors.AppendBinary(nil)
		if err != nil {
			panic(fmt.Sprintf("our own sketch does not encode: %v", err))
		}
		if n := h.visitors.Entries(); n >= 0 && n <= inlineEntries {
			set = append(set, sinks.Attr{Name: sinks.AttrUniques(f.tp), Value: sinks.Bytes(part)})
		} else {
			c.p.writes = append(c.p.writes, guarded(sinks.EntityUniques, f.keys.Uniques(h.site.id, h.start, f.tp),
				c.guard, nil, ttl.attr([]sinks.Attr{{Name: sinks.AttrPart, Value: sinks.Bytes(part)}})))
		}
	}
	if len(add)+len(set) == 0 {
		return // Corrections that cancel out.
	}
	key := f.keys.HourStats(h.site.id, h.start)
	if plant.OtherSite {
		key = f.keys.HourStats(f.hours[0].site.id, h.start)
	}
	c.p.writes = append(c.p.writes, guarded(sinks.EntityStats, key, c.guard, add, ttl.attr(set)))
}

func (c *statsCut) day(d *day) {
	f := c.f
	ttl := expires(d.start+dayMs, c.days(d.site, sinks.AttrDayDays, f.settings.Retention.DayDays))
	add := d.sums.attrs()
	delete(d.site.days, d.start) // A day has no state beyond its step.
	d.site.lastDay = nil
	if ttl.passed(c.now) {
		c.expired(sinks.EntityStats)
		return
	}
	c.p.days = append(c.p.days, guarded(sinks.EntityStats, f.keys.DayStats(d.site.id, d.start),
		c.guard, add, ttl.attr(nil)))
}

func (f *statsFold) states() int { return f.kept.live }

func (f *statsFold) settled(step int64) {
	f.kept.settled(step)
	if len(f.sites) <= maxIdleSites {
		return
	}
	for id, s := range f.sites {
		if s.empty() {
			delete(f.sites, id)
		}
	}
}

// maxIdleSites is how many sites without any state in memory a worker remembers, at some 300 bytes each.
const maxIdleSites = 10_000

func (x *session) lastStep() int64 { return x.step }
func (x *session) drop() int {
	delete(x.site.sessions, x.id)
	return 1
}

func (h *hour) lastStep() int64 { return h.step }
func (h *hour) drop() int {
	delete(h.site.hours, h.start)
	if h.site.lastHour == h {
		h.site.lastHour = nil
	}
	if h.asked {
		return hourWeight + h.weight
	}
	return h.weight
}

func flag(b bool) sinks.Value {
	if b {
		return sinks.Int(1)
	}
	return sinks.Int(0)
}
