package sketch

import (
	"hash/maphash"
	"math/bits"
)

// index finds a Top's row by its value: a table with open addressing of the places of rows, each plus one, 0 where
// it is free. It is nil while a look at every row is as fast; most minutes of most sites stay there. A map of
// strings would be several times as large, and be made anew with every minute.
type index []uint32

// lookedAt is how many rows are looked at one by one.
const lookedAt = 8

// seed makes places in the table unknown to those who choose values. Nothing that can be seen depends on it.
var seed = maphash.MakeSeed()

func hash[V string | []byte](value V) uint64 {
	switch v := any(value).(type) {
	case []byte:
		return maphash.Bytes(seed, v)
	default:
		return maphash.String(seed, string(value))
	}
}

func (x index) slot(hash uint64) int { return int(hash & uint64(len(x)-1)) }

func (x index) next(slot int) int { return (slot + 1) & (len(x) - 1) }

// add takes in the last of the rows. At most half of the table is in use.
func (x *index) add(rows []Row) {
	if *x == nil && len(rows) <= lookedAt {
		return
	}
	if 2*len(rows) > len(*x) {
		*x = make(index, 4<<bits.Len(uint(len(rows)-1)))
		for i := range rows {
			x.put(rows[i].Value, i)
		}
		return
	}
	x.put(rows[len(rows)-1].Value, len(rows)-1)
}

func (x index) put(value string, place int) {
	slot := x.slot(hash(value))
	for x[slot] != 0 {
		slot = x.next(slot)
	}
	x[slot] = uint32(place) + 1
}

// replace makes the place that of another value; the row still has its old one.
func (x index) replace(rows []Row, place int, value string) {
	if x == nil {
		return
	}
	x.remove(rows, place)
	x.put(value, place)
}

// move makes the row found at another place; it is still at its old one.
func (x index) move(rows []Row, from, to int) {
	if x != nil {
		x[x.slotOf(rows, from)] = uint32(to) + 1
	}
}

// slotOf returns where the table has the row at this place.
func (x index) slotOf(rows []Row, place int) int {
	slot := x.slot(hash(rows[place].Value))
	for x[slot] != uint32(place)+1 {
		slot = x.next(slot)
	}
	return slot
}

// remove takes out the row, which is still at its place.
func (x index) remove(rows []Row, place int) {
	if x == nil {
		return
	}
	free := x.slotOf(rows, place)
	// Move up what would no longer be found behind the free slot (Knuth, volume 3, 6.4, algorithm R).
	for slot := x.next(free); x[slot] != 0; slot = x.next(slot) {
		home := x.slot(hash(rows[x[slot]-1].Value))
		if (slot-home)&(len(x)-1) >= (slot-free)&(len(x)-1) {
			x[free] = x[slot]
			free = slot
		}
	}
	x[free] = 0
}
