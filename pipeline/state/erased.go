package state

import (
	"slices"

	"github.com/footfall/footfall/sinks"
)

// Erase removes from the state of a session what an erased session does not keep: its pages, and its place in breakdowns. A session
// that has not been seen yet begins as an erased one.
func (s *Session) Erase() {
	s.Erased, s.Booked = true, NotBooked
	s.Entry, s.Exit = PageVisit{}, PageVisit{}
}

// NamingAttrs are the attributes that name a person or their pages. The item of an erased session does not have them.
var NamingAttrs = []string{sinks.AttrSessionID, sinks.AttrVisitorID, sinks.AttrUserID, sinks.AttrGSI1PK, sinks.AttrGSI1SK,
	sinks.AttrGSI2PK, sinks.AttrGSI2SK, sinks.AttrEntryPage, sinks.AttrExitPage}

// PersonalAttrs are NamingAttrs and the dimensions.
var PersonalAttrs = func() []string {
	all := slices.Clone(NamingAttrs)
	for _, name := range sinks.DimensionAttrs {
		if name != "" {
			all = append(all, name)
		}
	}
	return all
}()
