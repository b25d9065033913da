package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/internal/additions"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Memory is a cache of the table. A state is read once, strongly, when a step first touches it, belongs to the
// worker's goroutine from then on, and is let go only when every step that touched it has settled.

// Site is what a worker keeps of a site: the rules that it has, and the states below it.
type Site struct {
	ID          string
	Zone        sites.Zone // that its entry fixes, see sites.EntryZone; known before a record of the site is folded
	Ruled       ruled      // the stats lane's
	minuteRuled ruled      // the realtime lane's
	Hours       map[int64]*hour
	Sessions    map[string]*session
	visitors    map[string]*visitor           // whose events have no sessionId
	arrivals    map[sites.PersonHash]*arrival // where new visitors are counted
	names       sinks.SiteNames
	host        string // of the last event whose session had another; "": none
	minutes     int    // how many the realtime lane has in memory
	days        map[int64]*day
	budget      *allowance // the stats lane's; nil: not in memory
	sessions    *sessions  // that has its sessions; nil before the first one

	Entry     Entry
	Refused   bool // it is among the worker's refused ones
	Standing  [Lanes]Standing
	Admitted  [Lanes]int64 // the step in which each lane has admitted it; 0: it has not
	admitting int          // of those, how many are not settled
	Since     int64        // when it was met, the revision after the site's last purge, 1 if there was none; 0: not known

	last lastBuckets
}

// Entry is what a worker knows of a site's entry in the list of sites.
type Entry struct {
	Met      bool // it was looked at
	Found    bool // and was there
	Claimed  bool // by who creates the site
	Listed   bool // the site is in the list, and the first rules that it got there are known
	RawItems bool // it says that raw events may be items
	RawPacks bool // it says that raw events may lie in packs
}

// day is what the accumulating step adds to a day.
type day struct {
	site  *Site
	start int64 // of the same date in UTC, which names the day
	sums  additions.Sums
	step  int64
}

// session is a session as this partition sees it. While no open step touches it, it rests, in as few bytes as hold its state.
type session struct {
	site   *Site
	id     string
	*awake        // nil while it rests
	rest   string // its state while it rests, see appendRest; else ""
	step   int64  // last step that touched it
	bytes  int32  // in memory, as weighed last
}

// awake is what a session has while records of open steps change it.
type awake struct {
	key           sinks.Key // of its item
	Cur           state.Session
	visitor, user string // the first ones seen; "" while there are none
	spots         spots
	first         values // room for Cur.First
	swept         int64  // the revision of a tombstone that the item had when it was read; 0: none
	redone        int64  // the step that the item had when it was read, which is done again; 0: it had not
	erased        int64  // the revision of the tombstone that erased it here; 0: none
	unbookedIn    *hour  // whose breakdown lacks what records have changed of it; nil: none does
	firstBytes    int32  // that Cur.First takes in memory
	stale         bool   // the item had expired when it was read: a later state may not have been written
	inTable       bool   // the item has what never changes
	newVisitor    bool   // the visitor became known in the accumulating step
	newUser       bool   // the user did
	listing       bool   // the accumulating step lists it by visitor
	midway        bool   // a record of the accumulating step has erased it, not the step's first touch
	unlisted      bool   // erased as it was opened: the recent sessions do not have it
	place         uint8  // in the slab
	slab          *slab  // that its room is of; nil: none
}

// Sites are the sites that a worker has seen, by id.
type Sites map[string]*Site

// hour returns the bucket of an instant under the rules that the site has.
func (s *Site) hour(t int64) *hour {
	if !s.last.inHour(t) {
		var start int64
		start, s.last.hourEnd = s.Ruled.Zone(t).Hour(t)
		s.last.hour = s.hourAt(start)
	}
	return s.last.hour
}

// hourAt returns the bucket that begins at start, under whichever rules it does.
func (s *Site) hourAt(start int64) *hour {
	h := s.Hours[start]
	if h == nil {
		if s.Hours == nil {
			s.Hours = make(map[int64]*hour)
		}
		h = &hour{Site: s, start: start}
		s.Hours[start] = h
	}
	return h
}

// day returns the day of an instant under the rules that the site has.
func (s *Site) day(t int64) *day {
	if !s.last.inDay(t) {
		var name int64
		name, s.last.dayBegin, s.last.dayEnd = s.Ruled.Day(t)
		s.last.day = s.dayAt(name)
	}
	return s.last.day
}

// dayAt returns the day of that name.
func (s *Site) dayAt(start int64) *day {
	d := s.days[start]
	if d == nil {
		if s.days == nil {
			s.days = make(map[int64]*day)
		}
		d = &day{site: s, start: start}
		s.days[start] = d
	}
	return d
}

// session returns the session of an id, for the lane of in.
func (s *Site) session(id []byte, in *sessions) *session {
	x := s.Sessions[string(id)]
	if x == nil {
		s.sessions = in
		if s.Sessions == nil {
			s.Sessions = make(map[string]*session)
		}
		x = s.sessions.memory.states.Take()
		x.site, x.id = s, s.sessions.memory.ids.Text(id)
		s.Sessions[x.id] = x
	}
	return x
}

// Empty reports whether nothing hangs below the site, so that it can be forgotten; it is met again then.
func (s *Site) Empty() bool {
	return len(s.Hours)+len(s.Sessions)+len(s.visitors)+len(s.arrivals)+s.minutes+len(s.days)+s.admitting == 0 && s.budget == nil
}

// HasAll reports whether the event's hour and session are in memory. s may be nil.
func (s *Site) HasAll(e *event.Event) bool {
	return s != nil && s.Has(e.Timestamp) && e.SessionID != nil && s.Sessions[string(e.SessionID)] != nil
}

// Has reports whether an instant's hour is in memory; it may miss hours of zones that do not begin when those of UTC do.
func (s *Site) Has(t int64) bool {
	h := s.last.hour
	if !s.last.inHour(t) {
		h = s.Hours[t-t%event.HourMs]
	}
	return h != nil && h.Breakdown.loaded()
}

// hour is a bucket of a site: what the accumulating step adds to it, and this partition's part of its visitors and of its
// breakdown.
type hour struct {
	of        *accumulating // that has asked for it; nil: none has
	Site      *Site
	start     int64 // milliseconds since the epoch; its end is a matter of the site's zone
	step      int64 // last step that touched it
	sums      additions.Sums
	visitors  hourVisitors
	extremes  additions.Extremes
	Breakdown hourBreakdown
	journal   hourJournal
	bytes     int32 // it takes in memory, as it was weighed last
}

// hourVisitors is this partition's part of an hour's visitors.
type hourVisitors struct {
	*sketch.Uniques       // nil until asked for
	mark            int64 // of the hour's stats, when they were read
	asked           bool
	news            bool // the accumulating step added a visitor
	unlogged        bool // a visitor of an event over the budget, which no log of the hour has
	parted          bool // they have an item of their own
	journaled       bool // the journal has visitors that the hour's parts lack
}

// hourBreakdown is this partition's part of an hour's breakdown.
type hourBreakdown struct {
	*sketch.Breakdown       // nil until asked for
	reading           int64 // of the breakdown; no other has this number
	skip              int64 // this step is in the breakdown already: a redo leaves the whole of it out
	purged            int64 // revision of the rules at which rows were last dropped from the breakdown in memory; -1: none
	ruled             int64 // revision of the rules that its numbers of rows are of; -1: none
	pending           pendingEvents
	short             string      // the first booking that took back more than was there; ""
	waiting           waiting     // sessions whose bookings it lacks
	packed            int         // bytes of it as its item has it; 0: none
	mark              int64       // of that item, when it was read
	ttl               plan.Expiry // of that item
	dirty             bool        // the accumulating step changed it
	absent            bool        // there was no item when it was asked for
	mayLack           bool        // the item had expired or was gone: it may lack what sessions have booked in it
}

// loaded reports whether the breakdown is in memory, or was asked for.
func (b *hourBreakdown) loaded() bool { return b.Breakdown != nil }

// hourJournal is what the journal has of an hour's breakdown, and what it is to get.
type hourJournal struct {
	log     *sketch.BreakdownLog // what the accumulating step has done to the breakdown; nil: that is not noted
	step    int64                // which step has decided so
	fed     int                  // events that this step has fed
	entries []*lateItem          // that the breakdown's item lacks
	bytes   int                  // of their logs
	busy    bool                 // its last log became too long
}

// minute is a realtime minute of a site.
type minute struct {
	of                *Realtime
	site              *Site
	start             int64
	key               sinks.Key // of its item
	asked             bool
	pageViews, events int64 // what the accumulating step adds
	sketch.Minute
	skip  int64 // this step is in the item already: a redo leaves the whole of it out
	step  int64 // last step that touched it
	bytes int32 // it takes in memory, as it was weighed last

	botPageViews, botEvents int64 // what the accumulating step adds of bots
}

// arrival is a visitor's arrival in memory.
type arrival struct {
	site *Site
	hash sites.PersonHash
	cur  state.Arrival
	step int64 // last step that touched it
}

// touchedArrival is an arrival that the accumulating step touches.
type touchedArrival struct {
	*arrival
	before state.Arrival // as it was when the step began
}

// allowance is a site's spending in memory.
type allowance struct {
	site        *Site
	cur, before transition.Spending
	step        int64 // last step that touched it
}

// visitor is the state of a visitor from those events in this partition that have no sessionId.
type visitor struct {
	site    *Site
	id      string
	key     sinks.Key // of its item
	hash    uint64    // in the ids of the visits
	cur     state.Visitor
	inTable bool  // the item has what never changes
	step    int64 // last step that touched it
	bytes   int32 // it takes in memory
}

// touchedVisitor is a visitor that the accumulating step touches.
type touchedVisitor struct {
	*visitor
	before state.Visitor // as it was when the step began
}

// touchedSession is a session that the accumulating step touches.
type touchedSession struct {
	*session
	before state.Session // as it was when the step began
}

// spots are where the values of a session's earliest event, and the page and the name of its last one, were counted last, for one visitor
// and one reading of an hour's breakdown: what was counted before it was read again may not be in it. Most of the session's events go
// there again.
type spots struct {
	reading int64
	visitor uint64
	round   int32 // of the hour's pending events, and the number of the session's last entry among them; 0: none
	entry   int32
	page    string // that its spot is of
	name    string
	spots   [len(values{})]sketch.Spot
}

// values are what an event says in each dimension of breakdowns; "" is nothing. The page is that of any event with a url.
type values = state.Values

// ruled are the rules of a site as a lane's step has them.
type ruled struct {
	*sites.Rules // nil: none
	erased       sites.Erased
	drops        sites.DropIndex // of them, those that include breakdowns
	rev          int64           // of the erasures
	of           int64           // revision of the rules
	known        bool
}

// Standing is whether a site is registered, as of the rules of a lane's step.
type Standing struct {
	sites.Standing
	Of     sites.View // the rules that it is as of
	Purged int64      // the revision of the site's last purge; 0: none
	Known  bool
}

// Lanes is how many lanes a partition has.
const Lanes = 2

// pendingEvents are the events of an hour that its rows do not count yet.
type pendingEvents struct {
	list    []pendingEntry
	planned bool         // dims and room hold: nothing was counted in a row of these dimensions since
	dims    dimensionSet // in which events may be pending
	room    int          // how many entries there may be
	bytes   int          // max. bytes that they add to the breakdown
	round   int32        // how often they were counted
}

// pendingEntry are events of a session and a visitor.
type pendingEntry struct {
	said              *values
	at                *spots // of the session
	position          int64  // of the first event
	visitor           uint64
	events, pageViews int32
	dims              dimensionSet // in which they are pending
}

// dimensionSet has a bit for each dimension.
type dimensionSet uint32

const _ = dimensionSet(1 << (len(values{}) - 1)) // There is one.

func (s dimensionSet) has(d sketch.Dimension) bool { return s>>d&1 == 1 }

// booking is what a session has in the breakdowns of an hour. The zero booking is none.
type booking struct {
	hour        *hour
	at          int64   // position of the record that booked it
	first       *values // what that says
	counts      sketch.Booking
	won         sketch.Conversions
	entry, exit state.PageVisit
}

// unbooked is a session that records of the step have changed since it was last booked.
type unbooked struct {
	*session
	had  *booking  // what the breakdowns have of it; nil: nothing yet
	next *unbooked // in the hour's list, or among those that are not in use
}

// waiting are the sessions of an hour that its breakdown lacks bookings of, in the order of the first record that has changed each.
type waiting struct {
	first, last *unbooked
	bytes       int // the most that they add to the size of the breakdown
}
