package aggregate

import "unsafe"

// What states take in memory, so that it can be bounded: a state with its place in a map, and the bytes that hang from it.
// TestStatesWeighWhatTheHeapTakes holds the sums against the heap.
const (
	// inMap is what an entry of a map takes beside a key that is a string or a number and a pointer.
	inMap       = 48
	sessionRoom = int(unsafe.Sizeof(session{})) + inMap
	visitorRoom = int(unsafe.Sizeof(visitor{})) + inMap
	hourRoom    = int(unsafe.Sizeof(hour{})) + inMap
	minuteRoom  = int(unsafe.Sizeof(minute{})) + inMap
	// SiteRoom is a site with its maps, each for up to eight states.
	SiteRoom       = int(unsafe.Sizeof(Site{})) + 4*208
	arrivalRoom    = int(unsafe.Sizeof(arrival{})) + inMap
	arrivalTouched = int(unsafe.Sizeof(touchedArrival{}))
	touchedRoom    = int(unsafe.Sizeof(touchedSession{}))
	visitorTouched = int(unsafe.Sizeof(touchedVisitor{}))
	unbookedRoom   = int(unsafe.Sizeof(unbooked{}))
	bookingRoom    = int(unsafe.Sizeof(booking{}))
	pointerRoom    = int(unsafe.Sizeof((*booking)(nil)))
	// breakdownGrowth is how many bytes a breakdown takes for one of its item's: 2.4 MB for 350 KB in rows of one visitor.
	breakdownGrowth = 8
)

// room is about how many bytes the session takes.
func (x *session) room() int {
	n := sessionRoom + len(x.id) + len(x.rest)
	if x.awake == nil {
		return n
	}
	n += awakeRoom + len(x.key.PK) + len(x.key.SK) + len(x.visitor) + len(x.user) + len(x.Cur.Reached) + len(x.Cur.Entry.Page) +
		len(x.Cur.Exit.Page)
	if x.Cur.First != nil {
		n += int(x.firstBytes)
	}
	return n
}

// weighFirst weighs what the session's earliest event says, once: a step weighs each session that it touches.
func (x *session) weighFirst() {
	first := x.Cur.First
	if first == nil {
		return
	}
	n := 0
	if first != &x.first {
		n = int(unsafe.Sizeof(*first))
	}
	for i := range first {
		n += len(first[i])
	}
	x.firstBytes = int32(n)
}

// room is about how many bytes the visitor takes.
func (v *visitor) room() int { return visitorRoom + len(v.id) + len(v.key.PK) + len(v.key.SK) }

// room is about how many bytes the hour takes, its breakdown among them.
func (h *hour) room() int {
	n := hourRoom
	if h.visitors.Uniques != nil {
		n += h.visitors.Weight()
	}
	if h.Breakdown.loaded() {
		n += h.Breakdown.Weight()
	}
	return n
}

// weighHour counts an hour, its breakdown among it, for what it takes.
func (a *accumulating) weighHour(h *hour) { a.kept.Weigh(&h.bytes, h.room()) }
