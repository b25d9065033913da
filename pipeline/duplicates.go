package pipeline

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/dchest/siphash"
)

// duplicates remembers which events a partition's log held lately: the same siteId and id within a window of that many
// positions are one event that its producer published again. Whether a record repeats another depends on the log
// alone, never on flushes, owners or clocks, so that every owner and every recount give the same verdict. A new owner reads the
// window's worth of records before the position where it continues.
//
// Every well-formed record with an id is remembered, whatever becomes of it: one that is too late, or a repetition
// itself, hides the next. What a lane makes of a repetition is its step's settings' business.
//
// The window is a ring of what came, in order, and an index into it: a table of open addressing with linear probing
// (Knuth, The Art of Computer Programming 3, 6.4, algorithms L and R) that is at most two thirds full. A sighting is 24
// bytes in the ring and 12 to 24 in the index: 40 in all at the default of 65,536 positions. It is the worker's alone.
type duplicates struct {
	window int64 // positions; 0: nothing is remembered
	k0, k1 uint64
	ring   []sighting // by serial number modulo its length, which doubles until it holds the window
	first  uint64     // serial number of the oldest sighting in the ring
	next   uint64     // of the next one
	index  []indexed  // by hash
	text   []byte     // what is hashed
}

// sighting is an event's identity and where it was last seen. Identities are told apart by 128 bits of SipHash under
// a key of this process's own: no producer can make one site's event hide another's.
type sighting struct {
	lo, hi uint64
	offset int64
}

// indexed says where in the ring an identity is. The part of its hash that is kept beside tells where in the index it
// belongs, and spares most looks at the ring, which are looks at memory that is in no cache.
type indexed struct {
	place uint32 // plus 1; 0: a free slot
	hash  uint32
}

// firstRing is how many sightings a window begins with: most partitions of most topics are idle.
const firstRing = 256

func newDuplicates(window int64) *duplicates {
	var key [16]byte
	rand.Read(key[:]) // Never fails.
	return &duplicates{window: window, k0: binary.LittleEndian.Uint64(key[:]), k1: binary.LittleEndian.Uint64(key[8:])}
}

// see takes in the event with an id at an offset that is higher than all before. It returns how many offsets ago
// the event was seen last, 0 when that was not within the window.
func (d *duplicates) see(siteID, id []byte, offset int64) (distance int64) {
	if d.window == 0 {
		return 0
	}
	d.text = append(append(append(d.text[:0], byte(len(siteID))), siteID...), id...)
	s := sighting{offset: offset}
	s.lo, s.hi = siphash.Hash128(d.k0, d.k1, d.text)

	for d.first < d.next && d.at(d.first).offset < offset-d.window {
		d.forget()
	}
	if int(d.next-d.first) == len(d.ring) {
		d.grow()
	}
	place := uint32(d.next % uint64(len(d.ring)))
	d.ring[place] = s
	d.next++
	slot := &d.index[d.slot(&s)]
	if slot.place != 0 {
		distance = offset - d.ring[slot.place-1].offset
	}
	*slot = indexed{place + 1, uint32(s.lo)}
	return distance
}

func (d *duplicates) at(serial uint64) *sighting { return &d.ring[serial%uint64(len(d.ring))] }

// slot finds the identity's place in the index: where it is, or the free one where it belongs.
func (d *duplicates) slot(s *sighting) int {
	mask := len(d.index) - 1
	for i := int(uint32(s.lo)) & mask; ; i = (i + 1) & mask {
		e := d.index[i]
		if e.place == 0 {
			return i
		}
		if e.hash == uint32(s.lo) {
			if r := &d.ring[e.place-1]; r.lo == s.lo && r.hi == s.hi {
				return i
			}
		}
	}
}

// forget takes the oldest sighting out of the index, unless the event was seen again since, and closes the gap, so
// that no identity after it is missed.
func (d *duplicates) forget() {
	gap := d.slot(d.at(d.first))
	place := uint32(d.first%uint64(len(d.ring))) + 1
	d.first++
	if d.index[gap].place != place {
		return
	}
	mask := len(d.index) - 1
	for i := (gap + 1) & mask; d.index[i].place != 0; i = (i + 1) & mask {
		home := int(d.index[i].hash) & mask
		if (i-home)&mask >= (i-gap)&mask { // Its home is not between the gap and it.
			d.index[gap] = d.index[i]
			gap = i
		}
	}
	d.index[gap] = indexed{}
}

// grow doubles the ring, up to what the window can hold at one sighting an offset, and rebuilds the index.
func (d *duplicates) grow() {
	size := min(max(firstRing, 2*len(d.ring)), int(d.window)+1)
	ring := make([]sighting, size)
	for serial := d.first; serial < d.next; serial++ {
		ring[serial%uint64(size)] = *d.at(serial)
	}
	slots := 1
	for slots < size+size/2 {
		slots *= 2
	}
	d.ring, d.index = ring, make([]indexed, slots)
	for serial := d.first; serial < d.next; serial++ {
		s := d.at(serial)
		d.index[d.slot(s)] = indexed{uint32(serial%uint64(size)) + 1, uint32(s.lo)} // The last one remains.
	}
}
