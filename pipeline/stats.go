package pipeline

import (
	"strings"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

const (
	// InlineVisitors is how many visitors a part may have to ride in the hour's stats item: 16 hashes take about
	// 150 bytes and leave the item within one write unit.
	InlineVisitors = 16
	// RecentPerItem bounds an item of recent sessions: 500 ids of 256 bytes are 128 KB.
	RecentPerItem = 500
)

// statsFold is the fold of the stats lane: hours, days, uniques, breakdowns, sessions, recent sessions.
type statsFold struct {
	place
	statsOptions
	step     int64
	settings *checkpoint.Settings
	rules    sites.View
	dims     *dimensioner

	// Touched by the accumulating step, in the order of first touch.
	hours    []*hour
	days     []*day
	sessions []touchedSession
	visitors []touchedVisitor
	bytes    int
	kept     cohorts

	conversions []conversion // of the accumulating step

	fresh  []*session // asked for by the present chunk
	booked []*session // of them, those whose hour is being asked for

	unbooked   []unbooked
	drawn      int   // hours that sessions brought
	idle       int64 // the step in which idle sites were forgotten last, to give up memory
	grown      int   // bytes by which breakdowns have become longer since they were weighed
	rows       int   // of breakdowns in the accumulating step
	breakdowns int64 // asked for so far

	late late

	goalsFull int           // conversions that the accumulating step could not note: their session has reached too many goals
	budgets   []*allowance  // touched by the accumulating step
	visitless []sessionless // records of the present chunk whose visits are not known yet
	visitID   []byte        // of the record before; the room serves the next
}

// statsOptions are how a stats lane begins.
type statsOptions struct {
	base      int64                            // of the lane: position = offset + base
	epoch     int64                            // of the chain, as this owner took it over
	again     int64                            // the step that is a redo; 0: none
	undecided int64                            // end of the last step that a gap left undecided: its writes may be in the table in part
	journal   Journal                          // when old hours are journaled
	overtaken func(item sinks.Key, mark int64) // has the chain looked at, since a state was read that is ahead of the fold
}

func newStats(at place, o statsOptions) *statsFold {
	return &statsFold{place: at, statsOptions: o, dims: newDimensioner(at.classes), kept: cohorts{keep: at.keep, max: at.max}}
}

// touchedSession is a session that the accumulating step touches.
type touchedSession struct {
	*session
	before state.Session // as it was when the step began
}

// Rough sizes of an item's request, for the bound on a step's bytes.
const (
	sessionBytes = 700
	hourBytes    = 500
	// hourWeight is how many sessions an hour counts for where what is kept in memory is bounded: its sketch takes up
	// to 16 KB, a session about half a kilobyte, and nearly one with breakdowns.
	hourWeight = 32
	// A breakdown takes some 6.6 KB with its first record, and 2 MB when its bytes are 228 KB, in rows of one visitor:
	// half a kilobyte for each 60 of them.
	breakdownBase   = 13
	breakdownWeight = 60
)

func (f *statsFold) begin(step int64, s *checkpoint.Settings) {
	f.step, f.settings = step, s
	if s.Breakdowns != f.rows {
		f.rows = s.Breakdowns
		f.forgetUnfed()
	}
}

func (f *statsFold) at(now int64) { f.now = now }

func (f *statsFold) under(v sites.View) { f.rules = v }

// position is the record's position in the lane.
func (f *statsFold) position(r *input) int64 { return r.offset + f.base }

// rule gives the site the rules of the accumulating step.
func (f *statsFold) rule(s *site) {
	if !s.ruled.known || s.ruled.rev != f.rules.Rev {
		erased := f.rules.Erased(s.id)
		s.ruled = ruled{f.rules.Site(s.id), erased, sites.IndexDrops(erased.Drops()), f.rules.Rev, true}
		s.lastHour, s.lastDay = nil, nil // They may end elsewhere now.
	}
}

func (f *statsFold) want(r *input, l asker) {
	e := &r.event
	s := f.sites.of(r)
	f.rule(s)
	f.cover(r)
	h := s.hour(e.Timestamp)
	r.hour, r.session, r.bot = h, nil, f.listed(r, f.settings, s.ruled.Rules)
	r.foreign, r.over = foreign(e, s.ruled.Rules), false
	if r.bot != NotBot { // It touches sums alone, which need not be there.
		return
	}
	f.wantHour(h, l)
	if f.budget(s) > 0 && !f.spend(s.budget, r) {
		r.over = true
		return
	}
	if h.breakdown == nil && f.settings.Breakdowns > 0 {
		f.askBreakdown(h, l)
	}
	switch {
	case e.SessionID != nil:
		f.wantSession(r, e.SessionID, l)
	case f.settings.VisitGapMs > 0:
		f.wantVisit(r, l)
	}
}

// wantHour asks for the hour's part of the visitors.
func (f *statsFold) wantHour(h *hour, l asker) {
	if !h.asked {
		h.asked = true
		f.kept.live += hourWeight
		f.kept.weigh(&h.bytes, hourRoom)
		f.askHour(h, l)
	}
}

// wantSession finds the record's session, and asks for it.
func (f *statsFold) wantSession(r *input, id []byte, l asker) {
	x := r.site.session(id)
	switch {
	case !x.asked:
		x.asked = true
		f.kept.live++
		f.fresh = append(f.fresh, x)
		f.askSession(x, l)
		f.kept.weigh(&x.bytes, x.room())
	case f.settings.Breakdowns > 0 && f.bookedUnread(x, r.hour): // Read in a step without breakdowns.
		f.fresh = append(f.fresh, x)
	}
	r.session = x
}

// bookedUnread reports whether a session has booked in an hour, other than h, whose breakdown has not been asked for.
func (f *statsFold) bookedUnread(x *session, h *hour) bool {
	return x.cur.Hour != h.start && x.cur.Events > 0 && x.cur.Booked != state.NotBooked && x.site.hourAt(x.cur.Hour).breakdown == nil
}

// askHour reads this partition's part of the hour's visitors, which lies in the stats item, in an item of its
// own, or, after it has grown, in both: the part is their union.
func (f *statsFold) askHour(h *hour, l asker) {
	h.visitors = sketch.NewHour()
	merge := func(b []byte) error {
		part := sketch.NewHour()
		if err := part.UnmarshalBinary(b); err != nil {
			return err
		}
		return h.visitors.Merge(part)
	}
	stats := f.keys.HourStats(h.site.id, h.start)
	l.ask(stats, func(it sinks.Item) error {
		h.statsMark = it[f.mark].Int()
		return f.readHour(h.site.id, stats, it, merge)
	})
	if plant.PartForgotten {
		return
	}
	uniques := f.keys.Uniques(h.site.id, h.start, f.tp)
	l.ask(uniques, func(it sinks.Item) error {
		h.parted = it != nil
		return f.readUniques(h.site.id, uniques, it, merge)
	})
}

// askSession reads a session's two states. Where the item carries the very step that is being accumulated, this
// is a redo, and the step began from the state before: taking the one after would count the step's records twice.
func (f *statsFold) askSession(x *session, l asker) {
	x.key = f.keys.Session(x.site.id, x.id, f.tp, f.sessionShards)
	l.ask(x.key, func(it sinks.Item) error {
		if it == nil {
			return nil
		}
		var wrong faults
		wrong.mark(it, f.mark)
		wrong.kinds(sinks.EntitySession, f.tp, it)
		if err := wrong.state(x.key); err != nil {
			return err
		}
		attr := sinks.AttrCur
		mark := it[f.mark].Int()
		f.checkMark(x.key, mark)
		if mark == f.step && !plant.NoPrev {
			attr = sinks.AttrPrev
			x.redone = f.step
		}
		bytes := it[attr].Bytes()
		// Rows of breakdowns may keep the pages; a store may have made them parts of the whole item.
		entry, exit := strings.Clone(it[sinks.AttrEntryPage].Str()), strings.Clone(it[sinks.AttrExitPage].Str())
		cur, err := state.DecodeSession(bytes, entry, exit)
		if err != nil {
			return sinks.Damaged(x.key, attr, err)
		}
		if plant.FloodForgotten {
			cur.Flooded = false
		}
		if plant.ReachedForgotten {
			cur.Reached = ""
		}
		if plant.ReachedOfCur && mark == f.step {
			after, _ := state.DecodeSession(it[sinks.AttrCur].Bytes(), entry, exit)
			cur.Reached = after.Reached
		}
		x.cur, x.inTable, x.stale, x.swept = cur, cur.Events > 0 || it[sinks.AttrLost(f.tp)].Kind() == sinks.None, it.Expired(f.now/1000), it[sinks.AttrErased].Int()
		x.visitor, x.user = it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str()
		if cur.Events > 0 && !cur.Erased {
			x.first = f.dims.read(it)
		}
		return nil
	})
}

// checkMark looks at the mark of a state that was read. One that is ahead of the fold, or level with a step that is no redo,
// was written by another owner, who has done this step and perhaps gone on. Our updates would be refused; but our lists
// of recent sessions, which are put without a guard since they are the same in every redo, would lack sessions, and
// states of both owners together are none that ever were.
func (f *statsFold) checkMark(key sinks.Key, mark int64) {
	if mark > f.step || mark == f.step && f.step != f.again {
		f.overtaken(key, mark)
	}
}

func (f *statsFold) add(r *input) {
	f.applyErasure(r)
	if f.isBot(r) {
		f.addBot(r)
		return
	}
	e, h := &r.event, r.hour
	f.touchHour(h)
	h.sums.add(e)
	if h.visitors.Add(r.visitor) {
		h.unlogged = h.unlogged || r.over
		if !h.news {
			h.news = true
			f.bytes += partBytes(h.visitors)
		}
	}
	d := h.site.day(e.Timestamp)
	f.touchDay(d)
	d.sums.add(e)
	r.addForeign(h, d)
	if r.over {
		r.addOver(h, d)
		return
	}
	if f.settings.Breakdowns == 0 {
		if r.session != nil {
			f.addSession(r)
			r.session.cur.Booked = state.NotBooked
		}
		return
	}
	f.addBrokenDown(r)
}

// addSession folds a record into its session.
func (f *statsFold) addSession(r *input) {
	e, x := &r.event, r.session
	f.touchSession(x)
	f.identify(x, e)
	if x.cur.Events == 0 {
		x.unlisted = x.cur.Erased
	}
	if x.cur.Events == 0 || e.Timestamp < x.cur.StartedAt {
		x.cur.Hour, x.cur.Day = r.hour.start, x.site.day(e.Timestamp).start
	}
	addToSession(&x.cur, e, f.position(r), r.page, f.settings.Interactive(e.Type))
	f.convert(r)
}

// touchSession notes that the step changes a session's state, and how it was before.
func (f *statsFold) touchSession(x *session) {
	if x.step == f.step {
		return
	}
	if x.cur.Events > 0 { // What it has booked must stay in memory as long as it does.
		f.touchHour(x.site.hourAt(x.cur.Hour))
	}
	x.step = f.step
	f.sessions = append(f.sessions, touchedSession{x, x.cur})
	f.bytes += sessionBytes
	f.eraseKnown(x)
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
	return len(f.hours) + len(f.days) + len(f.sessions) + len(f.visitors) + len(f.conversions) + len(f.budgets), f.bytes
}

func (f *statsFold) states() int { return f.kept.live }

func (f *statsFold) brought() int {
	n := f.drawn
	f.drawn = 0
	return n
}

func (f *statsFold) held() int {
	return f.kept.held() + f.grown*breakdownGrowth + cap(f.sessions)*touchedRoom + cap(f.visitors)*touchedRoom + cap(f.unbooked)*unbookedRoom
}

func (f *statsFold) release(settled int64, need int) (freed int) {
	before := f.held()
	f.kept.release(settled, need)
	if len(f.sessions) == 0 {
		f.sessions, f.unbooked = nil, nil
	}
	if len(f.visitors) == 0 {
		f.visitors = nil
	}
	if f.idle != f.step && before-f.held() < need { // It looks at all sites: once a step is enough.
		f.idle = f.step
		f.forgetIdle()
	}
	return before - f.held()
}

func (f *statsFold) settled(step int64) {
	f.late.settled(step)
	f.kept.settled(step)
	if len(f.sites) > maxIdleSites {
		f.forgetIdle()
	}
}

// forgetIdle forgets the sites of which nothing is in memory.
func (f *statsFold) forgetIdle() {
	for id, s := range f.sites {
		if s.empty() {
			delete(f.sites, id)
		}
	}
}

// maxIdleSites is how many sites without any state in memory a worker remembers, at some 300 bytes each.
const maxIdleSites = 10_000

func (x *session) lastStep() int64 { return x.step }
func (x *session) drop() (weight, bytes int) {
	delete(x.site.sessions, x.id)
	return 1, int(x.bytes)
}

func (h *hour) lastStep() int64 { return h.step }
func (h *hour) drop() (weight, bytes int) {
	delete(h.site.hours, h.start)
	for _, x := range h.late {
		x.release()
	}
	if h.site.lastHour == h {
		h.site.lastHour = nil
	}
	if h.asked {
		return hourWeight + h.weight, int(h.bytes)
	}
	return h.weight, int(h.bytes)
}
