package passing

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/sinks"
)

// maxFilterSessions bounds the sessions that filters hold at once: 4 million take some 500 MB, and 1 GB if rows are by their pages. Paths
// add 80 to 340 bytes to each, by the size of their fields.
const maxFilterSessions = 4_000_000

// filterSessions finds the sessions and visits of raw events that come in the order of event time, of equal times in the order of the log.
type filterSessions struct {
	counting rawevents.Counting
	held     map[uint64]*filterSession // by a hash of the partition and the sessionId, or the visitorId of a visit
	swept    int64                     // visits that had ended by then are gone
	end      func(*filterSession)      // called with each session once no event of it comes any more
}

func newFilterSessions(c rawevents.Counting) *filterSessions {
	return &filterSessions{counting: c, held: make(map[uint64]*filterSession)}
}

// find returns the session of an event, which it makes if the event opens it. nil: the event has none.
func (f *filterSessions) find(it sinks.Item, at int64) (s *filterSession, opened bool) {
	key, visit, ok := f.keyOf(it)
	if !ok {
		return nil, false
	}
	f.sweep(at)
	s = f.held[key]
	if s != nil && visit && f.ended(s, at) {
		f.end(s)
		s = nil
	}
	if s == nil {
		s, opened = &filterSession{start: at, end: at, last: at, visit: visit}, true
		f.held[key] = s
	}
	s.last = at
	return s, opened
}

// touch has an event of a bot that was detected by its rate keep its visit open.
func (f *filterSessions) touch(it sinks.Item, at int64) {
	if key, visit, ok := f.keyOf(it); ok && visit && it[sinks.AttrBot].Str() == "rate" {
		if s := f.held[key]; s != nil && !f.ended(s, at) {
			s.last = at
		}
	}
}

// keyOf returns what an event's session is held by, and whether it is a visit. ok is false if the event has no session.
func (f *filterSessions) keyOf(it sinks.Item) (key uint64, visit, ok bool) {
	source := it["source"].Str()
	partition := source[:strings.LastIndexByte(source, '/')+1]
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(partition)
	switch {
	case it[sinks.AttrSessionID].Kind() != sinks.None:
		_, _ = d.WriteString("s" + it[sinks.AttrSessionID].Str())
	case it[sinks.AttrVisitorID].Kind() != sinks.None && f.counting.VisitGapMs > 0:
		visit = true
		_, _ = d.WriteString("v" + it[sinks.AttrVisitorID].Str())
	default:
		return 0, false, false
	}
	return d.Sum64(), visit, true
}

// ended reports whether a visit does not take an event of that time.
func (f *filterSessions) ended(s *filterSession, at int64) bool {
	return at > s.last+f.counting.VisitGapMs || at-s.start > f.counting.VisitLongestMs
}

// sweep forgets visits that have ended, once an hour of event time.
func (f *filterSessions) sweep(at int64) {
	if at < f.swept+calendar.HourMs {
		return
	}
	f.swept = at
	for key, s := range f.held {
		if s.visit && f.ended(s, at) {
			f.end(s)
			delete(f.held, key)
		}
	}
}

// endAll ends the sessions that are held.
func (f *filterSessions) endAll() {
	for _, s := range f.held {
		f.end(s)
	}
}

// full reports whether too many sessions are held.
func (f *filterSessions) full() bool { return len(f.held) > maxFilterSessions }

// add folds an event into its session, and the change into what the session counts in.
func (f *filterSessions) add(s *filterSession, it sinks.Item, at int64, opened bool) {
	var before sessionSums
	if !opened {
		before = s.sums()
	}
	s.end = max(s.end, at)
	switch typ := it["type"].Str(); {
	case typ == pageViewType:
		s.pageViews++
	case !slices.Contains(f.counting.NonInteractive, typ):
		s.interactive = true
	}
	after := s.sums()
	for _, sums := range s.counted {
		sums.sessionSums.change(before, after)
	}
}
