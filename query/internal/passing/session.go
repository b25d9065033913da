package passing

import (
	"slices"

	"github.com/footfall/footfall/query/filters"
)

// A filterSession is what is known of a session so far.
type filterSession struct {
	start, end  int64 // event times
	last        int64 // of a visit: the last event that keeps it open, also one of a bot
	pageViews   int64
	interactive bool
	visit       bool
	selected    bool          // by its earliest event
	source      bool          // it passes the filters by where visits come from and, once they are known, by its entry and exit page
	values      []string      // of its earliest event in the dimensions of rows; nil: none of them is by where visits come from
	counted     []*Sums       // where it counts; nil: nowhere
	reached     []reachedGoal // in no order
	landing     *landing      // nil: it is known whether it passes the filters by what it has as a whole, or there are none
	pages       *sessionPages // nil: neither filters nor rows are by its entry or exit page
	passed      *passedSums   // nil: no rows are by its entry or exit page
	path        *sessionPath  // nil: paths are not asked for, or it does not count
}

// sums are those of the session alone.
func (s *filterSession) sums() sessionSums {
	sums := sessionSums{Sessions: 1, DurationMs: s.end - s.start}
	if s.pageViews <= 1 && !s.interactive {
		sums.Bounces = 1
	}
	if sums.DurationMs >= engagedMs || s.pageViews >= 2 {
		sums.Engaged = 1
	}
	return sums
}

// engagedMs is how long a session lasts that is engaged whatever it views.
const engagedMs = 10_000

// A reachedGoal is a goal that a session has reached.
type reachedGoal struct {
	offset, at int64 // of the event
	micros     int64 // what it is worth
	goal       int32 // its index
	passes     bool  // the event passes the filters, but for those by what whole sessions have
}

// reach notes a goal, unless the session has reached it by an event before.
func (s *filterSession) reach(r reachedGoal, byDuration bool) {
	i := slices.IndexFunc(s.reached, func(had reachedGoal) bool { return had.goal == r.goal })
	switch {
	case i < 0:
		s.reached = append(s.reached, r)
	case !byDuration && r.offset < s.reached[i].offset:
		s.reached[i] = r
	}
}

// sessionPages are the entry and exit page of a session, as far as they are known.
type sessionPages struct {
	viewed                bool
	hidesEntry, hidesExit bool // its view does not pass the locked filters
	entry, exit           string
}

// visible returns the page that a dimension means; "": there is none, or locked filters hide it.
func (p *sessionPages) visible(d Dimension) string {
	if d.whole == filters.ExitDimension && p.hidesExit || d.whole == filters.EntryDimension && p.hidesEntry {
		return ""
	}
	return p.of(d)
}

// of returns the page that a dimension means.
func (p *sessionPages) of(d Dimension) string {
	if d.whole == filters.ExitDimension {
		return p.exit
	}
	return p.entry
}

// A landing is what of a session waits until it is decided about.
type landing struct {
	opening []string // values of the session's earliest event in the dimensions of rows
	waiting []waitingEvent
}

// A waitingEvent is one that passes all other filters.
type waitingEvent struct {
	countedEvent
	at     int64
	values []string // in the dimensions of rows
	n      int64    // of Events
}
