package sketch

import "encoding/binary"

// The registers of a breakdown's row are kept in slots of two bytes while few of them are above 0: a breakdown has hundreds of rows, and
// all registers of a row would take 4 KB. Uniques.regs is then a table with open addressing and less than a byte for each register:
//
//	slot: 12 bits which register, 4 bits what it is; 0: free
//
// It has room for 96 registers in 256 bytes at first, and for 768 in 2 KB at last. One more, or one above 15, which one of 2^15
// visitors has, makes it a byte for each register. So the form and its length follow from the registers.
const (
	firstSlots   = 128
	mostSlots    = 1 << RowPrecision / 4
	slotBytes    = 2
	highestShort = 15
)

// slots are the registers in slots.
type slots []byte

func (s slots) at(slot int) uint16        { return binary.LittleEndian.Uint16(s[slotBytes*slot:]) }
func (s slots) put(slot int, both uint16) { binary.LittleEndian.PutUint16(s[slotBytes*slot:], both) }

// find returns the slot of register i, or the free one where it belongs, and what the register is. A quarter of the slots is free.
func (s slots) find(i uint64) (slot int, is byte) {
	mask := len(s)/slotBytes - 1
	for slot = int(i) & mask; ; slot = (slot + 1) & mask {
		if both := s.at(slot); both == 0 || uint64(both>>4) == i {
			return slot, byte(both & 15)
		}
	}
}

// each calls f with every register above 0.
func (s slots) each(f func(i uint64, is byte)) {
	for slot := range len(s) / slotBytes {
		if both := s.at(slot); both != 0 {
			f(uint64(both>>4), byte(both&15))
		}
	}
}
