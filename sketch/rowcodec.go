package sketch

import (
	"errors"
	"fmt"
)

// append appends the visitors as the package comment draws them.
func (v *rowVisitors) append(b []byte) []byte {
	u := &v.u
	if u.regs == nil {
		return u.appendHashes(append(b, byte(u.n)))
	}
	var regs [rowRegisters]byte
	u.spread(regs[:])
	head, _ := v.form()
	b = append(b, head)
	switch head {
	case headGroups:
		k := groupBits(int(v.filled))
		return appendGroups(append(b, byte(k)), &regs, uint(k))
	case headUnary:
		w := bitWriter{to: b}
		for _, r := range regs {
			w.unary(r)
		}
		return w.end()
	}
	for i := 0; i < rowRegisters; i += 2 {
		b = append(b, min(regs[i], fromTall)<<4|min(regs[i+1], fromTall))
	}
	if v.tall == 0 {
		return b
	}
	for _, r := range regs {
		if r >= fromTall {
			b = append(b, r)
		}
	}
	return b
}

// appendGroups appends the registers above 0 by groups of 2^k.
func appendGroups(b []byte, regs *[rowRegisters]byte, k uint) []byte {
	w := bitWriter{to: b}
	for group := 0; group < rowRegisters; group += 1 << k {
		for i, r := range regs[group : group+1<<k] {
			if r > 0 {
				w.unary(r)
				w.put(uint64(i), k)
			}
		}
		w.unary(0)
	}
	return w.end()
}

func decodeRowVisitors(b []byte) (*Uniques, error) {
	r := reader{b: b}
	v := r.rowVisitors()
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes are left over", len(r.b))
	}
	return &v.u, r.err
}

// rowVisitors reads the visitors of a row.
func (r *reader) rowVisitors() rowVisitors {
	v := newRowVisitors()
	first := r.bytes(1)
	if r.err != nil {
		return v
	}
	head := first[0]
	if head <= RowExact {
		hashes := r.bytes(8 * int(head))
		if r.err == nil {
			r.err = v.u.setExact(hashes)
		}
		return v
	}
	k := 0
	switch head {
	case headGroups:
		v.u.regs = make([]byte, firstSlots*slotBytes)
		k = r.groups(&v)
	case headUnary:
		v.u.regs = make([]byte, rowRegisters)
		r.unaries(&v)
	case headHalf:
		v.u.regs = make([]byte, rowRegisters)
		r.halfBytes(&v)
	default:
		r.err = fmt.Errorf("the visitors of a row begin with %d: it must be %d at most", head, headHalf)
	}
	if r.err != nil {
		return v
	}
	if want, _ := v.form(); v.filled == 0 || head != want || head == headGroups && k != groupBits(int(v.filled)) {
		r.err = fmt.Errorf("%d registers of a row are not 0: they are not written in this form", v.filled)
	}
	return v
}

// set sets a register, which is not 0 and was not set before.
func (v *rowVisitors) set(i uint64, is byte) error {
	if is > highestRow {
		return fmt.Errorf("register %d of a row is %d: it can be %d at most", i, is, highestRow)
	}
	v.u.raise(i, is)
	v.note(0, is)
	return nil
}

// highestRow is the highest that a register can be.
const highestRow = 65 - RowPrecision

func (r *reader) groups(v *rowVisitors) (k int) {
	first := r.bytes(1)
	if r.err != nil {
		return 0
	}
	if k = int(first[0]); k >= RowPrecision {
		r.err = fmt.Errorf("groups of 2^%d registers", k)
		return 0
	}
	bits := bitReader{b: r.b}
	for group := uint64(0); group < rowRegisters; group += 1 << k {
		for next := uint64(0); ; {
			is := bits.unary()
			if is == 0 {
				break
			}
			i := bits.bits(uint(k))
			if i < next {
				r.err = fmt.Errorf("register %d of a group after register %d", i, next-1)
			} else if !bits.short() {
				r.err = v.set(group+i, is)
			}
			if r.err != nil || bits.short() {
				break
			}
			next = i + 1
		}
		if r.err != nil || bits.short() {
			break
		}
	}
	r.endBits(&bits)
	return k
}

func (r *reader) unaries(v *rowVisitors) {
	bits := bitReader{b: r.b}
	for i := range uint64(rowRegisters) {
		is := bits.unary()
		if bits.short() {
			break
		}
		if is > 0 {
			r.err = v.set(i, is)
		}
		if r.err != nil {
			return
		}
	}
	r.endBits(&bits)
}

// endBits continues after the byte that the bits end in.
func (r *reader) endBits(bits *bitReader) {
	if r.err != nil {
		return
	}
	if r.err = bits.end(); r.err == nil {
		r.b = r.b[bitsInBytes(bits.at):]
	}
}

var errNotTall = errors.New("a register of a row has a byte of its own that half a byte would hold")

func (r *reader) halfBytes(v *rowVisitors) {
	halves := r.bytes(rowRegisters / 2)
	for i := range uint64(2 * len(halves)) {
		is := halves[i/2] >> (4 * (1 - i%2)) & 15
		if is == fromTall {
			own := r.bytes(1)
			if r.err == nil && own[0] < fromTall {
				r.err = errNotTall
			}
			if r.err != nil {
				return
			}
			is = own[0]
		}
		if is > 0 {
			r.err = v.set(i, is)
		}
		if r.err != nil {
			return
		}
	}
}
