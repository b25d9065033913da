package pipeline

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
	// siteRoom is a site with its maps, each for up to eight states.
	siteRoom     = int(unsafe.Sizeof(site{})) + 4*208
	touchedRoom  = int(unsafe.Sizeof(touchedVisitor{}))
	unbookedRoom = int(unsafe.Sizeof(unbooked{}))
	// breakdownGrowth is how many bytes a breakdown takes for one of its item's: 2.4 MB for 350 KB in rows of one visitor.
	breakdownGrowth = 8
)

// room is about how many bytes the session takes.
func (x *session) room() int {
	n := sessionRoom + len(x.id) + len(x.key.PK) + len(x.key.SK) + len(x.visitor) + len(x.user) + len(x.cur.Reached) +
		len(x.cur.Entry.Page) + len(x.cur.Exit.Page)
	if x.first != nil {
		n += int(unsafe.Sizeof(*x.first))
		for i := range x.first {
			n += len(x.first[i])
		}
	}
	if x.spots != nil {
		n += int(unsafe.Sizeof(*x.spots))
	}
	return n
}

// room is about how many bytes the visitor takes.
func (v *visitor) room() int { return visitorRoom + len(v.id) + len(v.key.PK) + len(v.key.SK) }

// room is about how many bytes the hour takes, its breakdown among them.
func (h *hour) room() int {
	n := hourRoom
	if h.visitors != nil {
		n += h.visitors.Weight()
	}
	if h.breakdown != nil {
		n += h.breakdown.Weight()
	}
	return n
}

// Of a step's writes.
const (
	writeRoom = int(unsafe.Sizeof(write{})) + 128 // with its keys
	attrRoom  = 48
)

// room is about how many bytes the writes take until they are answered, without the parts, which are counted as they are made.
func (p *plan) room() int {
	n := p.parts
	for _, list := range [...][]write{p.writes, p.days} {
		for i := range list {
			n += writeRoom + attrRoom*(len(list[i].update.Set)+len(list[i].update.Add)+2*len(list[i].item))
		}
	}
	return n
}
