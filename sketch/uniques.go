package sketch

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
)

// Uniques counts distinct 64-bit hashes: exactly up to its limit, by HyperLogLog beyond (Flajolet, Fusy, Gandouet and
// Meunier 2007). The zero value is an empty sketch as NewHour makes it. Not safe for concurrent use, except that
// readers may share one that nobody changes.
//
// The state is canonical: it depends only on the set of hashes added, here or to a sketch that was merged in. Up to
// the limit it is that set, above it the registers, so folding records again, merging in any order and a trip through
// bytes all end in equal states. The registers have the layout of axiomhq/hyperloglog, which is not used to fill them
// because its own sparse form costs 200 to 600 ns an insert between 300 and 7,700 hashes, ours 3 to 10.
type Uniques struct {
	set  []uint64 // open addressing, a power of two of slots, 0 marks a free one
	regs []byte   // a register a byte, or slots (sparse.go); nil while exact
	n    int32    // hashes in the set, the hash 0 included, or registers in slots
	zero bool     // the hash 0 is in the set
	kind kind
}

// NewHour returns an empty sketch for an hour's visitors and all that is merged from hours: precision 14, exact to
// 1,024.
func NewHour() *Uniques { return &Uniques{} }

// NewMinute returns an empty sketch for a realtime minute's visitors: precision 10, exact to 128.
func NewMinute() *Uniques { return &Uniques{kind: minutely} }

// NewRow returns an empty sketch for the visitors of a breakdown's row: precision 12, exact to 64.
func NewRow() *Uniques { return &Uniques{kind: rowly} }

// Precision returns the sketch's precision: HourPrecision, MinutePrecision or RowPrecision.
func (u *Uniques) Precision() int { return traits[u.kind].precision }

func (u *Uniques) limit() int { return traits[u.kind].exact }

// Entries returns how many hashes the exact set holds, or -1 once there are too many and only registers are kept.
func (u *Uniques) Entries() int {
	if u.regs != nil {
		return -1
	}
	return int(u.n)
}

// Add adds a hash, which must be spread evenly over 64 bits, and reports whether the state changed. It allocates only
// when the set grows.
func (u *Uniques) Add(h uint64) (changed bool) {
	if u.regs == nil {
		return u.insert(h, nil)
	}
	if u.kind == rowly {
		i, rho := split(h, 1<<RowPrecision)
		return u.raise(i, rho) < rho
	}
	return fold(u.regs, h)
}

// split returns which of m registers h belongs to and what it raises that to. The product of h and 2^p splits h
// without a shift by a variable: its high word is the first p bits of h, the register, and its low word the rest, whose
// leading zeros count. The bit that is set below the rest bounds the count at 64-p, as axiomhq does.
func split(h, m uint64) (i uint64, rho byte) {
	i, rest := bits.Mul64(h, m)
	return i, byte(bits.LeadingZeros64(rest|m>>1) + 1)
}

// fold raises the register that h belongs to.
func fold(regs []byte, h uint64) bool {
	i, rho := split(h, uint64(len(regs)))
	if regs[i] >= rho {
		return false
	}
	regs[i] = rho
	return true
}

// insert adds h to the set and turns the set into registers when it is full. Tables are of from, which may be nil.
func (u *Uniques) insert(h uint64, from *sets) bool {
	if u.has(h) {
		return false
	}
	if int(u.n) == u.limit() {
		old := u.set
		u.toRegisters()
		from.give(old)
		u.Add(h)
		return true
	}
	u.n++
	if h == 0 {
		u.zero = true
		return true
	}
	if int(u.n)*4 > len(u.set)*3 {
		u.grow(from)
	}
	i, _ := u.slot(h)
	u.set[i] = h
	return true
}

func (u *Uniques) has(h uint64) bool {
	if h == 0 {
		return u.zero
	}
	_, found := u.slot(h)
	return found
}

// slot returns where h is, or the free slot where it belongs: there is always one, as a quarter stays free. Without a
// table it returns 0. Hashes are keyed and even, so their low bits spread them as they are.
func (u *Uniques) slot(h uint64) (i uint64, found bool) {
	if len(u.set) == 0 {
		return 0, false
	}
	mask := uint64(len(u.set) - 1)
	for i = h & mask; ; i = (i + 1) & mask {
		switch u.set[i] {
		case h:
			return i, true
		case 0:
			return i, false
		}
	}
}

// grow gives the set the smallest table in which a quarter stays free, twice the last one when it grew by one hash:
// small sites are the many, and ten visitors take 16 slots, 128 bytes.
func (u *Uniques) grow(from *sets) {
	slots := firstSet
	for int(u.n)*4 > slots*3 {
		slots *= 2
	}
	old := u.set
	u.set = from.take(slots)
	for _, h := range old {
		if h != 0 {
			i, _ := u.slot(h)
			u.set[i] = h
		}
	}
	from.give(old)
}

func (u *Uniques) toRegisters() {
	r := Uniques{regs: make([]byte, u.firstBytes()), kind: u.kind}
	u.each(func(h uint64) { r.Add(h) })
	*u = r
}

// firstBytes is what registers take while few are above 0.
func (u *Uniques) firstBytes() int {
	if u.kind == rowly {
		return firstSlots * slotBytes
	}
	return 1 << u.Precision()
}

// sparse reports whether the registers are in slots.
func (u *Uniques) sparse() bool {
	return u.kind == rowly && u.regs != nil && len(u.regs) < 1<<RowPrecision
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

// each calls f with every hash of the set, in no order that means anything.
func (u *Uniques) each(f func(h uint64)) {
	if u.zero {
		f(0)
	}
	for _, h := range u.set {
		if h != 0 {
			f(h)
		}
	}
}

// Merge makes u the sketch of the union. Merging the same again, or in another order, ends in the same state. Sketches
// of different kinds cannot be merged: that is an error, and u stays as it was.
func (u *Uniques) Merge(o *Uniques) error {
	if u.kind != o.kind {
		return fmt.Errorf("merge a sketch of precision %d, exact to %d, into one of precision %d, exact to %d: "+
			"only equal kinds merge", o.Precision(), o.limit(), u.Precision(), u.limit())
	}
	if o.regs == nil {
		o.each(func(h uint64) { u.Add(h) })
		return nil
	}
	if u.regs == nil {
		u.toRegisters()
	}
	if o.sparse() {
		slots(o.regs).each(func(i uint64, is byte) { u.raise(i, is) })
		return nil
	}
	u.widen()
	regs := u.regs
	for i, r := range o.regs[:len(regs)] {
		regs[i] = max(regs[i], r)
	}
	return nil
}

// Clone returns a copy that shares nothing with u.
func (u *Uniques) Clone() *Uniques {
	c := *u
	c.set = slices.Clone(u.set)
	c.regs = bytes.Clone(u.regs)
	return &c
}

// Equal reports whether both are of the same kind and have the same state, so that nothing tells them apart.
func (u *Uniques) Equal(o *Uniques) bool {
	if u.kind != o.kind || u.n != o.n || u.zero != o.zero || (u.regs == nil) != (o.regs == nil) {
		return false
	}
	hashes, registers := u.Differ(o)
	return hashes == 0 && registers == 0
}

// Differ returns in how much two sketches of the same kind differ: in hashes that only one of them has, while both are
// exact; else in registers, and then at least in one where one of them is exact and the other is not. Sketches of
// different kinds differ in all registers of the larger.
func (u *Uniques) Differ(o *Uniques) (hashes, registers int) {
	if u.kind != o.kind {
		return 0, 1 << max(u.Precision(), o.Precision())
	}
	if u.regs == nil && o.regs == nil {
		common := 0
		u.each(func(h uint64) {
			if o.has(h) {
				common++
			}
		})
		return int(u.n) + int(o.n) - 2*common, 0
	}
	if u.regs == nil || o.regs == nil {
		registers = 1
	}
	a, b := u.registers(), o.registers()
	differ := 0
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	return 0, max(registers, differ)
}

// registers returns the registers, a byte each, those that the set would turn into while it is exact. They must not be changed.
func (u *Uniques) registers() []byte {
	if u.regs == nil {
		c := *u
		c.toRegisters()
		u = &c
	}
	if !u.sparse() {
		return u.regs
	}
	all := make([]byte, 1<<u.Precision())
	u.spread(all)
	return all
}
