package aggregate

import (
	"strings"

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
type Stats struct {
	Place
	StatsOptions
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
	grown      int   // bytes that breakdowns have grown since they were weighed
	rows       int   // of breakdowns in the accumulating step
	breakdowns int64 // asked for so far

	late late

	goalsFull int           // conversions that the accumulating step could not note: their session has reached too many goals
	budgets   []*allowance  // touched by the accumulating step
	visitless []sessionless // records of the present chunk whose visits are not known yet
	visitID   []byte        // of the record before; the room serves the next
}

// StatsOptions are how a stats lane begins.
type StatsOptions struct {
	Base      int64                            // of the lane: position = offset + base
	Epoch     int64                            // of the chain, as this owner took it over
	Again     int64                            // the step that is a redo; 0: none
	Undecided int64                            // end of the last step that a gap left undecided: its writes may be in the table in part
	Journal   Journal                          // when old hours are journaled
	Overtaken func(item sinks.Key, mark int64) // has the chain looked at, since a state was read that is ahead of the fold
}

func NewStats(at Place, o StatsOptions) *Stats {
	return &Stats{Place: at, StatsOptions: o, dims: newDimensioner(at.Classes), kept: cohorts{keep: at.Keep, max: at.Max}}
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

func (f *Stats) Begin(step int64, s *checkpoint.Settings) {
	f.step, f.settings = step, s
	if s.Breakdowns != f.rows {
		f.rows = s.Breakdowns
		f.forgetUnfed()
	}
}

func (f *Stats) At(now int64) { f.now = now }

func (f *Stats) Under(v sites.View) { f.rules = v }

// position is the record's position in the lane.
func (f *Stats) position(r *Input) int64 { return r.Offset + f.Base }

// rule gives the site the rules of the accumulating step.
func (f *Stats) rule(s *Site) {
	if !s.Ruled.known || s.Ruled.rev != f.rules.Rev {
		erased := f.rules.Erased(s.ID)
		s.Ruled = ruled{f.rules.Site(s.ID), erased, sites.IndexDrops(erased.Drops()), f.rules.Rev, true}
		s.lastHour, s.lastDay = nil, nil // They may end elsewhere now.
	}
}

func (f *Stats) Want(r *Input, l Asker) {
	e := &r.Event
	s := f.Sites.Of(r)
	f.rule(s)
	f.cover(r)
	h := s.hour(e.Timestamp)
	r.hour, r.session, r.Bot = h, nil, f.listed(r, f.settings, s.Ruled.Rules)
	r.Foreign, r.Over = foreign(e, s.Ruled.Rules), false
	if r.Bot != NotBot { // It touches sums alone, which need not be there.
		return
	}
	f.wantHour(h, l)
	if f.budget(s) > 0 && !f.spend(s.budget, r) {
		r.Over = true
		return
	}
	if !h.Breakdown.loaded() && f.settings.Breakdowns > 0 {
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
func (f *Stats) wantHour(h *hour, l Asker) {
	if !h.visitors.asked {
		h.visitors.asked = true
		f.kept.live += hourWeight
		f.kept.weigh(&h.bytes, hourRoom)
		f.askHour(h, l)
	}
}

// wantSession finds the record's session, and asks for it.
func (f *Stats) wantSession(r *Input, id []byte, l Asker) {
	x := r.Site.session(id)
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
func (f *Stats) bookedUnread(x *session, h *hour) bool {
	return x.Cur.Hour != h.start && x.Cur.Events > 0 && x.Cur.Booked != state.NotBooked && !x.site.hourAt(x.Cur.Hour).Breakdown.loaded()
}

// askHour reads this partition's part of the hour's visitors, which lies in the stats item, in an item of its
// own, or, after it has grown, in both: the part is their union.
func (f *Stats) askHour(h *hour, l Asker) {
	h.visitors.Uniques = sketch.NewHour()
	merge := func(b []byte) error {
		part := sketch.NewHour()
		if err := part.UnmarshalBinary(b); err != nil {
			return err
		}
		return h.visitors.Merge(part)
	}
	stats := f.Keys.HourStats(h.Site.ID, h.start)
	l.Ask(stats, func(it sinks.Item) error {
		h.visitors.mark = it[f.Mark].Int()
		return f.readHour(h.Site.ID, stats, it, merge)
	})
	uniques := f.Keys.Uniques(h.Site.ID, h.start, f.TP)
	l.Ask(uniques, func(it sinks.Item) error {
		h.visitors.parted = it != nil
		return f.readUniques(h.Site.ID, uniques, it, merge)
	})
}

// askSession reads a session's two states. Where the item carries the very step that is being accumulated, this
// is a redo, and the step began from the state before: taking the one after would count the step's records twice.
func (f *Stats) askSession(x *session, l Asker) {
	x.key = f.Keys.Session(x.site.ID, x.id, f.TP, f.SessionShards)
	l.Ask(x.key, func(it sinks.Item) error {
		if it == nil {
			return nil
		}
		var wrong Faults
		wrong.Mark(it, f.Mark)
		wrong.Kinds(sinks.EntitySession, f.TP, it)
		if err := wrong.State(x.key); err != nil {
			return err
		}
		attr := sinks.AttrCur
		mark := it[f.Mark].Int()
		f.checkMark(x.key, mark)
		if mark == f.step {
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
		x.Cur, x.inTable, x.stale, x.swept = cur, cur.Events > 0 || it[sinks.AttrLost(f.TP)].Kind() == sinks.None, it.Expired(f.now/1000),
			it[sinks.AttrErased].Int()
		x.visitor, x.user = it[sinks.AttrVisitorID].Str(), it[sinks.AttrUserID].Str()
		if cur.Events > 0 && !cur.Erased {
			x.opened(f.dims.read(it))
		}
		return nil
	})
}

// checkMark looks at the mark of a state that was read. One that is ahead of the fold, or level with a step that is no redo,
// was written by another owner, who has done this step and perhaps gone on. Our updates would be refused; but our lists
// of recent sessions, which are put without a guard since they are the same in every redo, would lack sessions, and
// states of both owners together are none that ever were.
func (f *Stats) checkMark(key sinks.Key, mark int64) {
	if mark > f.step || mark == f.step && f.step != f.Again {
		f.Overtaken(key, mark)
	}
}

func (f *Stats) Add(r *Input) {
	f.applyErasure(r)
	if f.isBot(r) {
		f.addBot(r)
		return
	}
	e, h := &r.Event, r.hour
	f.touchHour(h)
	h.sums.add(e)
	if h.visitors.Add(r.Visitor) {
		h.visitors.unlogged = h.visitors.unlogged || r.Over
		if !h.visitors.news {
			h.visitors.news = true
			f.bytes += partBytes(h.visitors.Uniques)
		}
	}
	d := h.Site.day(e.Timestamp)
	f.touchDay(d)
	d.sums.add(e)
	r.addForeign(h, d)
	if r.Over {
		r.addOver(h, d)
		return
	}
	if f.settings.Breakdowns == 0 {
		if r.session != nil {
			f.addSession(r)
			r.session.Cur.Booked = state.NotBooked
		}
		return
	}
	f.addBrokenDown(r)
}

// addSession folds a record into its session.
func (f *Stats) addSession(r *Input) {
	e, x := &r.Event, r.session
	f.touchSession(x)
	f.identify(x, e)
	if x.Cur.Events == 0 {
		x.unlisted = x.Cur.Erased
	}
	if x.Cur.Events == 0 || e.Timestamp < x.Cur.StartedAt {
		x.Cur.Hour, x.Cur.Day = r.hour.start, x.site.day(e.Timestamp).start
	}
	addToSession(&x.Cur, e, f.position(r), r.Page, f.settings.Interactive(e.Type))
	f.convert(r)
}

// touchSession notes that the step changes a session's state, and how it was before.
func (f *Stats) touchSession(x *session) {
	if x.step == f.step {
		return
	}
	if x.Cur.Events > 0 { // What it has booked must stay in memory as long as it does.
		f.touchHour(x.site.hourAt(x.Cur.Hour))
	}
	x.step = f.step
	f.sessions = append(f.sessions, touchedSession{x, x.Cur})
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

func (f *Stats) touchHour(h *hour) {
	if h.step != f.step {
		h.step = f.step
		f.hours = append(f.hours, h)
		f.bytes += hourBytes
	}
}

func (f *Stats) touchDay(d *day) {
	if d.step != f.step {
		d.step = f.step
		f.days = append(f.days, d)
		f.bytes += hourBytes
	}
}

func (f *Stats) Size() (items, bytes int) {
	return len(f.hours) + len(f.days) + len(f.sessions) + len(f.visitors) + len(f.conversions) + len(f.budgets), f.bytes
}

func (f *Stats) States() int { return f.kept.live }

func (f *Stats) Brought() int {
	n := f.drawn
	f.drawn = 0
	return n
}

func (f *Stats) Held() int {
	return f.kept.held() + f.grown*breakdownGrowth + cap(f.sessions)*touchedRoom + cap(f.visitors)*touchedRoom + cap(f.unbooked)*unbookedRoom
}

func (f *Stats) Release(settled int64, need int) (freed int) {
	before := f.Held()
	f.kept.release(settled, need)
	if len(f.sessions) == 0 {
		f.sessions, f.unbooked = nil, nil
	}
	if len(f.visitors) == 0 {
		f.visitors = nil
	}
	if f.idle != f.step && before-f.Held() < need { // It looks at all sites: once a step is enough.
		f.idle = f.step
		f.forgetIdle()
	}
	return before - f.Held()
}

func (f *Stats) Settled(step int64) {
	f.late.settled(step)
	f.kept.settled(step)
	if len(f.Sites) > maxIdleSites {
		f.forgetIdle()
	}
}

// forgetIdle forgets the sites that have no state in memory.
func (f *Stats) forgetIdle() {
	for id, s := range f.Sites {
		if s.Empty() {
			delete(f.Sites, id)
		}
	}
}

// maxIdleSites is how many sites without any state in memory a worker remembers, at some 300 bytes each.
const maxIdleSites = 10_000

func (x *session) lastStep() int64 { return x.step }
func (x *session) drop() (weight, bytes int) {
	delete(x.site.Sessions, x.id)
	return 1, int(x.bytes)
}

func (h *hour) lastStep() int64 { return h.step }
func (h *hour) drop() (weight, bytes int) {
	delete(h.Site.Hours, h.start)
	for _, x := range h.journal.entries {
		x.release()
	}
	if h.Site.lastHour == h {
		h.Site.lastHour = nil
	}
	if h.visitors.asked {
		return hourWeight + h.Breakdown.weight, int(h.bytes)
	}
	return h.Breakdown.weight, int(h.bytes)
}
