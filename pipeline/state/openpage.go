package state

import (
	"encoding/binary"

	"github.com/footfall/footfall/pipeline/event"
)

// OpenPage is the page view with a url of a session that is its last in the log, and what is counted of how it was read. The zero value is
// none: there was no such page view, or the session lies in no breakdown.
type OpenPage struct {
	PageVisit
	Shift  int32 // how far the hour in which it is counted begins from that of UTC, in ms
	TimeMs int32 // counted of it, where it may be taken back: Timing is ToNext
	Timing Timing
	Scroll uint8 // the greatest depth counted of it, in percent, plus one; 0: none
}

// Hour is where the hour begins in which the page view is counted.
func (o *OpenPage) Hour() int64 { return o.At - o.At%event.HourMs + int64(o.Shift) }

// Timing says by what the time on a page is known.
type Timing uint8

// The timings.
const (
	AwaitsNext Timing = iota // not known before the session's next event in the log
	NotLater                 // not known, as that event was not later
	ToNext                   // to that event
	Engaged                  // by what events of engagement say
)

// The bytes of an open page: a byte (its Timing; 4: it is not the exit, and its visit follows, with the page always; 8: its hour does not
// begin as that of UTC does; 16: a depth is counted); then, as far as there are such, the visit, the shift, the time and the scroll.
// Of most it is one byte.
const (
	openTiming    = 3
	openElsewhere = 4
	openShift     = 8
	openScroll    = 16
	allOpen       = 31

	maxOpenBytes = 1 + 2*binary.MaxVarintLen64 + 2 + MaxPageBytes + 2*binary.MaxVarintLen32 + 1
)

func (o *OpenPage) appendBinary(b []byte, openedAt int64, exit *PageVisit) []byte {
	flags := byte(o.Timing)
	if o.PageVisit != *exit {
		flags |= openElsewhere
	}
	if o.Shift != 0 {
		flags |= openShift
	}
	if o.Scroll != 0 {
		flags |= openScroll
	}
	b = append(b, flags)
	if flags&openElsewhere != 0 {
		b = o.PageVisit.appendBinary(b, &PageVisit{At: openedAt, Pos: exit.Pos})
	}
	if o.Shift != 0 {
		b = binary.AppendVarint(b, int64(o.Shift))
	}
	if o.Timing == ToNext {
		b = binary.AppendVarint(b, int64(o.TimeMs))
	}
	if o.Scroll != 0 {
		b = append(b, o.Scroll)
	}
	return b
}

func (r *varints) openPage(openedAt int64, exit *PageVisit) (o OpenPage) {
	flags := r.byte()
	o.PageVisit, o.Timing = *exit, Timing(flags&openTiming)
	if flags&openElsewhere != 0 {
		o.PageVisit = r.visit(&PageVisit{At: openedAt, Pos: exit.Pos})
	}
	if flags&openShift != 0 {
		o.Shift = r.small()
		r.bad = r.bad || o.Shift == 0
	}
	if o.Timing == ToNext {
		o.TimeMs = r.small()
	}
	if flags&openScroll != 0 {
		o.Scroll = r.byte()
		r.bad = r.bad || o.Scroll == 0
	}
	r.bad = r.bad || flags > allOpen || o.Page == "" || flags&openElsewhere != 0 && o.PageVisit == *exit
	return o
}

func (r *varints) small() int32 {
	n := r.next()
	r.bad = r.bad || int64(int32(n)) != n
	return int32(n)
}
