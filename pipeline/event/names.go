package event

import (
	"bytes"
	"hash/maphash"
)

// names are the keys of the objects that are open, for finding those that an object has twice. The keys of an object
// follow those of the object around it, which continue once it is closed.
//
// The first keys of an object are compared with each other. Beyond maxCompared they are found by a hash with a seed of
// the process, so that no record can choose keys that are slow: it decides how long the search takes, never what it
// finds.
type names struct {
	list  [][]byte
	twice []byte // the key that was the same as one before
	count int    // of the keys of the record so far, those of closed objects included

	slots  []uint16 // open addressing: index in list, plus 1. Of closed objects an index may be that of another key
	filled bool
}

const maxCompared = 16

// nameSlots is a power of two, more than the keys of a record: none is taken out.
const nameSlots = 2048

var nameSeed = maphash.MakeSeed()

// begin forgets the keys of the record before.
func (n *names) begin() {
	n.list, n.twice, n.count = n.list[:0], nil, 0
	if n.filled {
		clear(n.slots)
		n.filled = false
	}
}

// add remembers a key of the object whose keys begin at list[open]. It returns false if the object has it already.
func (n *names) add(open int, name []byte) bool {
	switch own := n.list[open:]; {
	case len(own) < maxCompared:
		for _, other := range own {
			if bytes.Equal(other, name) {
				n.twice = name
				return false
			}
		}
	case len(own) == maxCompared:
		for i := range own {
			n.index(open, open+i)
		}
		fallthrough
	default:
		n.list = append(n.list, name)
		return n.index(open, len(n.list)-1)
	}
	n.list = append(n.list, name)
	return true
}

// index makes list[at] known. It returns false if another key from list[open] on is the same.
func (n *names) index(open, at int) bool {
	if n.slots == nil {
		n.slots = make([]uint16, nameSlots)
	}
	n.filled = true
	slot := maphash.Bytes(nameSeed, n.list[at])
	for ; n.slots[slot%nameSlots] > 0; slot++ {
		if i := int(n.slots[slot%nameSlots]) - 1; i >= open && i < at && bytes.Equal(n.list[i], n.list[at]) {
			n.twice = n.list[at]
			return false
		}
	}
	n.slots[slot%nameSlots] = uint16(at + 1)
	return true
}
