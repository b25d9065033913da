package event

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// names are the keys of the objects that are open, for finding those that an object has twice. The keys of an object
// follow those of the object around it, which continue once it is closed.
//
// The first keys of an object are compared with each other, where their prints are equal. Beyond maxCompared they are found by a hash
// with a seed of the process, so that no record can choose keys that are slow: it decides how long the search takes, never what it
// finds.
type names struct {
	list  []name
	twice []byte // the key that was the same as one before
	count int    // of the keys of the record so far, those of closed objects included
	known uint64 // of the record itself, see add

	slots  []uint16 // open addressing: index in list, plus 1. Of closed objects an index may be that of another key
	filled bool
}

type name struct {
	text  []byte
	print uint64 // the same for the same text, and for few others
}

const maxCompared = 32

// nameSlots is a power of two, more than the keys of a record: none is taken out.
const nameSlots = 2048

var nameSeed = maphash.MakeSeed()

// begin forgets the keys of the record before.
func (n *names) begin() {
	n.list, n.twice, n.count, n.known = n.list[:0], nil, 0, 0
	if n.filled {
		clear(n.slots)
		n.filled = false
	}
}

// add remembers a key of the object whose keys begin at list[open]. It returns false if the object has it already. known has a bit
// for each key of the object, chosen by its print: a key whose bit is not set is a new one.
func (n *names) add(open int, text []byte, known *uint64) bool {
	p := printOf(text)
	bit := uint64(1) << (p * 0x9e3779b97f4a7c15 >> 58)
	own := n.list[open:]
	n.list = append(n.list, name{text, p})
	if len(own) >= maxCompared {
		if len(own) == maxCompared {
			for i := range own {
				n.index(open, open+i)
			}
		}
		return n.index(open, open+len(own))
	}
	if *known&bit != 0 {
		for i := range own {
			if own[i].print == p && bytes.Equal(own[i].text, text) {
				n.twice = text
				return false
			}
		}
	}
	*known |= bit
	return true
}

// printOf is made of a text's length and its first and last bytes.
func printOf(text []byte) uint64 {
	n := len(text)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(text) ^ binary.LittleEndian.Uint64(text[n-8:])*31 + uint64(n)
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(text)) | uint64(binary.LittleEndian.Uint32(text[n-4:]))<<32 + uint64(n)
	case n > 0:
		return uint64(text[0]) | uint64(text[n/2])<<8 | uint64(text[n-1])<<16 | uint64(n)<<24
	}
	return 0
}

// index makes list[at] known. It returns false if another key from list[open] on is the same.
func (n *names) index(open, at int) bool {
	if n.slots == nil {
		n.slots = make([]uint16, nameSlots)
	}
	n.filled = true
	slot := maphash.Bytes(nameSeed, n.list[at].text)
	for ; n.slots[slot%nameSlots] > 0; slot++ {
		if i := int(n.slots[slot%nameSlots]) - 1; i >= open && i < at && bytes.Equal(n.list[i].text, n.list[at].text) {
			n.twice = n.list[at].text
			return false
		}
	}
	n.slots[slot%nameSlots] = uint16(at + 1)
	return true
}
