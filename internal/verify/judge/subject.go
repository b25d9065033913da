package judge

import (
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/sinks"
)

// OfMonth reports whether a sealed item is of a month. If not, it is of a day.
func (s Subject) OfMonth() bool { return Kinds[s.Kind].month }

// Sealed reports whether a subject is a sealed item.
func (s Subject) Sealed() bool { return Kinds[s.Kind].sealed }

// Days returns the first day of a sealed item and the last.
func (s Subject) Days() (first, last int64) {
	if s.OfMonth() {
		return s.At, sinks.LastDay(s.At)
	}
	return s.At, s.At
}

// Subject is what is compared at a time: an item, or the items in which one partition lists the sessions that were
// opened in a minute, or those of visitors that were opened in an hour.
type Subject struct {
	Kind string
	Site string
	At   int64    // start of the hour, day or minute
	ID   string   // of the session, visitor or goal; of new sites the lane
	goal uint64   // number of a conversion's goal
	TP   sinks.TP // whose part it is; zero for what partitions share
	Raw  recount.RawKey
}

// InLists reports whether the subject is several items of lists.
func (s Subject) InLists() bool { return s.Kind == finding.KindRecent || s.Kind == finding.KindListed }
