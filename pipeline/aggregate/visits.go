package aggregate

import (
	"github.com/footfall/footfall/pipeline/state"
)

// joinVisit finds the visit of the event at t whose record has the position pos, and returns the position that names it. A visit
// takes an event that is at most gap before its start or after its last, unless it would then be longer than longest. Of
// several, the one that started last takes it; of those, the one opened last. An event that no visit takes opens one.
func joinVisit(s *state.Visitor, t, pos, gap, longest int64) int64 {
	best := -1
	for i, v := range s.Visits() {
		if t < v.Start-gap || t > v.Last+gap || max(t, v.Last)-min(t, v.Start) > longest {
			continue
		}
		if best < 0 || v.Start >= s.Spans[best].Start {
			best = i
		}
	}
	if best < 0 {
		openVisit(s, state.Visit{Pos: pos, Start: t, Last: t})
		return pos
	}
	v := &s.Spans[best]
	v.Start, v.Last = min(v.Start, t), max(v.Last, t)
	return v.Pos
}

// openVisit remembers a visit. Of more than MaxVisits the one that ended first is forgotten, of equals the one opened first: it
// may be the new one.
func openVisit(s *state.Visitor, v state.Visit) {
	if s.N < state.MaxVisits {
		s.Spans[s.N] = v
		s.N++
		return
	}
	first := 0
	for i, o := range s.Spans {
		if o.Last < s.Spans[first].Last {
			first = i
		}
	}
	if v.Last < s.Spans[first].Last {
		return
	}
	copy(s.Spans[first:], s.Spans[first+1:])
	s.Spans[state.MaxVisits-1] = v
}
