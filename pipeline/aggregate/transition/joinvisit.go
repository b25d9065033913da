package transition

import (
	"github.com/footfall/footfall/pipeline/state"
)

// JoinVisit finds the visit of the event at t whose record has the position pos, and returns the position that names it. A visit
// takes an event that is at most gap before its start or after its last, unless it would then be longer than longest. Of
// several, the one that started last takes it; of those, the one opened last. An event that no visit takes opens one.
func JoinVisit(s *state.Visitor, t, pos, gap, longest int64) int64 {
	best := -1
	for i, v := range s.Visits() {
		if t < v.Start-gap || t > v.Last+gap || max(t, v.Last)-min(t, v.Start) > longest {
			continue
		}
		if best < 0 || startedLater(v, s.Spans[best]) {
			best = i
		}
	}
	if best < 0 {
		openVisit(s, state.Visit{Pos: pos, Start: t, Last: t})
		return pos
	}
	v := s.Spans[best]
	v.Start, v.Last = min(v.Start, t), max(v.Last, t)
	moveToEnd(s.Visits()[best:], v)
	return v.Pos
}

// startedLater reports whether a started after b, or was opened after b if they started together.
func startedLater(a, b state.Visit) bool {
	return a.Start > b.Start || a.Start == b.Start && a.Pos > b.Pos
}

// moveToEnd drops the first visit and appends v.
func moveToEnd(visits []state.Visit, v state.Visit) {
	copy(visits, visits[1:])
	visits[len(visits)-1] = v
}

// openVisit remembers a visit. A ninth takes the place of the visit that was updated longest ago in the log. The event times of
// visits do not matter here: where an old file follows newer ones, a visit of that file must outlive its next event.
func openVisit(s *state.Visitor, v state.Visit) {
	if s.N == state.MaxVisits {
		moveToEnd(s.Visits(), v)
		return
	}
	s.Spans[s.N] = v
	s.N++
}
