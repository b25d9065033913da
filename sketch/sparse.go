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

// sparse reports whether the registers are in slots.
func (u *Uniques) sparse() bool {
	return u.kind == rowly && u.regs != nil && len(u.regs) < 1<<RowPrecision
}

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

// raise raises register i to rho, which is above 0, and returns what it was.
func (u *Uniques) raise(i uint64, rho byte) (was byte) {
	if !u.sparse() {
		was = u.regs[i]
		u.regs[i] = max(was, rho)
		return was
	}
	if rho > highestShort {
		u.widen()
		return u.raise(i, rho)
	}
	s := slots(u.regs)
	slot, was := s.find(i)
	if was == 0 {
		if 4*int(u.n+1) > 3*len(s)/slotBytes {
			u.growSlots()
			return u.raise(i, rho)
		}
		u.n++
	}
	s.put(slot, uint16(i)<<4|uint16(max(was, rho)))
	return was
}

// growSlots doubles the slots, or replaces them by a byte for each register.
func (u *Uniques) growSlots() {
	old := slots(u.regs)
	if len(old) == mostSlots*slotBytes {
		u.widen()
		return
	}
	more := make(slots, 2*len(old))
	old.each(func(i uint64, is byte) {
		slot, _ := more.find(i)
		more.put(slot, uint16(i)<<4|uint16(is))
	})
	u.regs = more
}

// widen makes the registers a byte each.
func (u *Uniques) widen() {
	if u.sparse() {
		u.regs, u.n = u.registers(), 0
	}
}

// eachRegister calls f with every register above 0. There must be registers.
func (u *Uniques) eachRegister(f func(i uint64, is byte)) {
	if u.sparse() {
		slots(u.regs).each(f)
		return
	}
	for i, is := range u.regs {
		if is > 0 {
			f(uint64(i), is)
		}
	}
}

// spread writes the registers to all, which are 0.
func (u *Uniques) spread(all []byte) {
	if !u.sparse() {
		copy(all, u.regs)
		return
	}
	slots(u.regs).each(func(i uint64, is byte) { all[i] = is })
}
