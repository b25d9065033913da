package duplicates

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/dchest/siphash"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Window remembers which events a partition's log held lately: the same siteId and id within a window of record time
// are one event that its producer published again. Whether a record repeats another depends on the log alone, never on flushes,
// owners or clocks of processes, so that every owner and every recount give the same verdict: see [checkpoint.Duplicates].
// A new owner reads again what is in reach of the position where it continues.
//
// Every well-formed record with an id is remembered, whatever becomes of it: one that is too late, or a repetition
// itself, hides the next. The settings of the step decide whether a lane counts a repetition.
//
// Sightings are in a ring by offset. Those of the same hash are a list from the last one to earlier ones, as in the hash
// chains of Deutsch's deflate (RFC 1951, section 4): what is overwritten ends a list, so that nothing is ever taken out of the
// index. A lookup looks at the head of a list and at one sighting on average. It takes 20 bytes a position for the sighting
// and 4 for the head. It is the worker's alone.
type Window struct {
	reaches []*reach
	Edge    int64 // the oldest offset in reach of any
	begun   int64 // the offset that was read first
	wants   int64 // the least of the reaches
	most    int64 // sightings that the ring grows to
	k0, k1  uint64
	origin  int64      // places count from it
	last    int64      // the offset of the last sighting
	ring    []sighting // by place modulo its length
	heads   []uint32   // places of the last sightings, by hash; 0: none
	text    []byte     // what is hashed
}

// sighting is an event's identity and when it was seen last. Identities are told apart by 80 bits of SipHash under
// a key of this process's own: no producer can make one site's event hide another's.
type sighting struct {
	lo, mid uint32
	hi      uint16
	late    uint16 // of the record time, the upper 16 of 48 bits
	early   uint32
	before  uint32 // place of the sighting before it in the list; 0: none
}

// Repetition says what a record repeats.
type Repetition struct {
	Distance int64 // how many offsets before it the event was seen last; 0: in reach of no window
	Within   uint8 // a bit for each of Window.reaches: the window has that sighting
}

const (
	firstRing  = 256     // how many sightings a window begins with: most partitions of most topics are idle
	mostPlaces = 1 << 31 // of an origin
)

// NewWindow makes the windows of a log that is read from start on. No sighting was made below floor.
func NewWindow(windows []checkpoint.Duplicates, start, floor int64) *Window {
	var key [16]byte
	rand.Read(key[:]) // Never fails.
	d := &Window{begun: start, Edge: start, wants: start, origin: start,
		k0: binary.LittleEndian.Uint64(key[:]), k1: binary.LittleEndian.Uint64(key[8:])}
	for _, of := range windows {
		d.reaches = append(d.reaches, newReach(of, start, floor))
		d.most = max(d.most, (of.Back()+1)*of.Segment())
	}
	return d
}

// Off reports whether nothing is remembered.
func (d *Window) Off() bool { return len(d.reaches) == 0 }

// Note takes in a record's time, of each record before its event. Offsets ascend.
func (d *Window) Note(offset, ms int64) {
	if offset < d.wants {
		return
	}
	ms = checkpoint.DuplicateTime(ms)
	d.wants, d.Edge = 1<<63-1, 1<<63-1
	for _, r := range d.reaches {
		if offset >= r.wants {
			r.note(offset, ms)
		}
		d.wants, d.Edge = min(d.wants, r.wants), min(d.Edge, r.edge())
	}
	d.Edge = max(d.Edge, d.begun)
}

// See takes in the event with an id of the record that was noted last.
func (d *Window) See(siteID, id []byte, offset, ms int64) (found Repetition) {
	ms = checkpoint.DuplicateTime(ms)
	d.text = append(append(append(d.text[:0], byte(len(siteID))), siteID...), id...)
	lo, hi := siphash.Hash128(d.k0, d.k1, d.text)
	s := sighting{lo: uint32(lo), mid: uint32(lo >> 32), hi: uint16(hi), late: uint16(ms >> 32), early: uint32(ms)}

	if offset-d.Edge >= int64(len(d.ring)) || offset-d.origin >= mostPlaces {
		d.rebuild(offset)
	}
	place, size := uint32(offset-d.origin)+1, uint32(len(d.ring))
	head := &d.heads[s.lo&uint32(len(d.heads)-1)]
	for link := head; *link != 0 && place-*link < size; {
		e := &d.ring[(*link-1)%size]
		if e.lo == s.lo && e.mid == s.mid && e.hi == s.hi {
			found = d.judge(offset-int64(place-*link), offset, ms-e.at())
			*link = e.before // So that a list has each identity once.
			break
		}
		link = &e.before
	}
	s.before = *head
	*head = place
	d.ring[(place-1)%size] = s
	d.last = offset
	return found
}

func (s *sighting) at() int64 { return int64(s.late)<<32 | int64(s.early) }

// judge finds the windows that have a sighting. apart is by how much the record is later than it.
func (d *Window) judge(sighted, offset, apart int64) (found Repetition) {
	for i, r := range d.reaches {
		if -r.of.WindowMs <= apart && apart <= r.of.WindowMs && sighted >= d.begun && r.reaches(sighted) {
			found = Repetition{offset - sighted, found.Within | 1<<i}
		}
	}
	return found
}

// Has reports whether what was found lies within a window.
func (d *Window) Has(found Repetition, window checkpoint.Duplicates) bool {
	for i, r := range d.reaches {
		if found.Within>>i&1 == 1 && r.of == window {
			return true
		}
	}
	return false
}

// Shortened returns how many positions have left the first window for want of memory since it was asked last, and how many
// milliseconds it reached back then.
func (d *Window) Shortened() (positions, span int64) {
	r := d.reaches[0]
	positions, r.shortened = r.shortened, 0
	return positions, r.span
}

// First is the window that steps act on first.
func (d *Window) First() checkpoint.Duplicates { return d.reaches[0].of }

// rebuild lets the ring grow to hold what is in reach of an offset, and counts places from there on.
func (d *Window) rebuild(offset int64) {
	size := max(firstRing, int64(len(d.ring)))
	for size <= offset-d.Edge {
		size *= 2
	}
	size = min(size, d.most)
	heads := int64(1)
	for 2*heads <= size+size/16 { // A list of two sightings at most, on average; and never twice the places.
		heads *= 2
	}
	ring, index := make([]sighting, size), make([]uint32, heads)
	var list []int64 // places of one list, the last sighting first
	for _, place := range d.heads {
		list = list[:0]
		for place != 0 && d.origin+int64(place)-1 >= max(d.Edge, d.last-int64(len(d.ring))+1) {
			list = append(list, int64(place))
			place = d.ring[(place-1)%uint32(len(d.ring))].before
		}
		for i := len(list) - 1; i >= 0; i-- {
			s := d.ring[(list[i]-1)%int64(len(d.ring))]
			head := &index[s.lo&uint32(heads-1)]
			s.before, *head = *head, uint32(d.origin+list[i]-d.Edge)
			ring[int64(*head-1)%size] = s
		}
	}
	d.ring, d.heads, d.origin = ring, index, d.Edge
}
