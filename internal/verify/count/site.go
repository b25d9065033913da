package count

import (
	"github.com/footfall/footfall/internal/sites"
)

// Opening is a session and the position of its first record.
type Opening struct {
	Session  string
	Position int64
}

// Site is what one partition knows of a site.
type Site struct {
	Name       string
	First      int64 // position of its first counted record
	Hours      map[int64]*Cell[*Hour]
	Days       map[int64]*Cell[*Day]
	Breakdowns map[int64]*Cell[*Breakdown]
	Sessions   map[string]*Cell[*Session]
	Visitors   map[string]*Cell[*Visitor]
	Arrivals   map[string]*Cell[*Arrival] // by the visitor's hash
	Opened     map[int64][]Opening        // by minute of openedAt, in offset order
	Listings   map[int64][]Listing        // by hour of openedAt, in offset order

	Conversions map[Converted]*Conversion
	Drops       sites.DropIndex // as of a revision of the rules
	DropsRev    int64

	Budget map[struct{}]*Cell[*LatestCount] // one cell, of a site that has had a budget
}

// Listing is a record that lists a session.
type Listing struct {
	Session, Visitor string
	OpenedAt         int64
	Position         int64
	Until            int64 // as session.listed
}

const ListedForEver = -1

// Gone reports whether an item with the entry may have expired.
func (l *Listing) Gone(now int64) bool { return l.Until != ListedForEver && l.Until*DaySeconds <= now }
