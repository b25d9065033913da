package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/internal/additions"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
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

	Met       bool // its entry in the list of sites was looked at
	Found     bool // and was there
	Claimed   bool // by who creates the site
	Listed    bool // it is in the list, and the first rules that it got there are known
	RawItems  bool // its entry says that raw events may be items
	RawPacks  bool // its entry says that raw events may lie in packs
	Refused   bool // it is among the worker's refused ones
	Standing  [Lanes]Standing
	Admitted  [Lanes]int64 // the step in which each lane has admitted it; 0: it has not
	admitting int          // of those, how many are not settled

	// The buckets of the event before, nil at first and when they have been let go: most events fall into them.
	lastHour   *hour
	lastMinute *minute
	lastDay    *day
	hourEnd    int64 // of lastHour
	dayBegin   int64 // of lastDay
	dayEnd     int64
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
	place         uint8  // on the page
	page          *page  // that its room is of; nil: none
}

// Sites are the sites that a worker has seen, by id.
type Sites map[string]*Site

// Of returns the site of a record, which is looked up for the first lane that asks.
func (m Sites) Of(r *Input) *Site {
	if r.Site == nil {
		id := r.Event.SiteID
		r.Site = m[string(id)]
		if r.Site == nil {
			r.Site = &Site{ID: string(id)}
			m[r.Site.ID] = r.Site
		}
	}
	return r.Site
}

// hour returns the bucket of an instant under the rules that the site has.
func (s *Site) hour(t int64) *hour {
	if s.lastHour == nil || t < s.lastHour.start || t >= s.hourEnd {
		var start int64
		start, s.hourEnd = s.Ruled.Zone(t).Hour(t)
		s.lastHour = s.hourAt(start)
	}
	return s.lastHour
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
	if s.lastDay == nil || t < s.dayBegin || t >= s.dayEnd {
		var name int64
		name, s.dayBegin, s.dayEnd = s.Ruled.Day(t)
		s.lastDay = s.dayAt(name)
	}
	return s.lastDay
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
	h := s.lastHour
	if h == nil || t < h.start || t >= s.hourEnd {
		h = s.Hours[t-t%event.HourMs]
	}
	return h != nil && h.Breakdown.loaded()
}
