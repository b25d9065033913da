package state

import (
	"github.com/footfall/footfall/sinks"
)

// Erase removes from the state of a session what an erased session does not keep: its pages, what its earliest event says, and its place
// in breakdowns. A session
// that has not been seen yet begins as an erased one.
func (s *Session) Erase() {
	s.Erased, s.Booked, s.Listed = true, NotBooked, 0
	s.Entry, s.Exit, s.Open, s.First = PageVisit{}, PageVisit{}, OpenPage{}, nil
}

// PersonalAttrs are the attributes that an erased session's item does not have: those that name a person. Pages and dimensions are in
// the states, which an erasure writes again without them.
var PersonalAttrs = []string{sinks.AttrSessionID, sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrGSI1PK, sinks.AttrGSI1SK}
