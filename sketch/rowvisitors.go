package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const (
	rowRegisters = 1 << RowPrecision
	// fromTall is the lowest register that gets a byte of its own: its half byte says only that. Of a thousand visitors
	// 1000/2^14 = 0.06 registers are that high, of a million 60.
	fromTall = 15
	// fewFilled is how many registers other than 0 are written one by one, 2 bytes each; at 256 half a byte for every
	// register is as short.
	fewFilled = rowRegisters/4 - 1

	// The first byte of a row's visitors: how many hashes there are, or one of these two.
	headFew  = RowExact + 1
	headHalf = RowExact + 2
)

// rowVisitors is a Uniques of a row together with what its bytes depend on, so that their number is known after each
// hash without a look at all registers.
type rowVisitors struct {
	u            Uniques
	filled, tall uint16 // registers above 0, and from fromTall; 0 while exact
}

func newRowVisitors() rowVisitors { return rowVisitors{u: Uniques{kind: rowly}} }

// add adds a hash and returns how many bytes more the visitors take now. They take fewer once their set has become
// registers.
func (v *rowVisitors) add(h uint64) (more int) {
	if v.u.regs != nil {
		return v.raise(h)
	}
	before := v.bytes()
	if v.u.insert(h) {
		v.count()
	}
	return v.bytes() - before
}

func (v *rowVisitors) raise(h uint64) (more int) {
	i, rho := split(h, rowRegisters)
	was := v.u.regs[i]
	if was >= rho {
		return 0
	}
	before := v.bytes()
	v.u.regs[i] = rho
	if was == 0 {
		v.filled++
	}
	if was < fromTall && rho >= fromTall {
		v.tall++
	}
	return v.bytes() - before
}

// merge adds all that o has.
func (v *rowVisitors) merge(o *rowVisitors) {
	if o.u.regs == nil { // as of most rows that are evicted
		o.u.each(func(h uint64) { v.add(h) })
		return
	}
	if err := v.u.Merge(&o.u); err != nil {
		panic(fmt.Sprintf("sketch: visitors of a row: %v", err)) // both are of the same kind
	}
	v.count()
}

// count sets what is known of the registers.
func (v *rowVisitors) count() {
	v.filled, v.tall = 0, 0
	for _, r := range v.u.regs {
		if r > 0 {
			v.filled++
		}
		if r >= fromTall {
			v.tall++
		}
	}
}

// bytes returns how many bytes append appends.
func (v *rowVisitors) bytes() int {
	switch {
	case v.u.regs == nil:
		return 1 + 8*int(v.u.n)
	case v.filled <= fewFilled:
		return 2 + 2*int(v.filled)
	default:
		return 1 + rowRegisters/2 + int(v.tall)
	}
}

// append appends the visitors as the package comment draws them.
func (v *rowVisitors) append(b []byte) []byte {
	u := &v.u
	if u.regs == nil {
		return u.appendHashes(append(b, byte(u.n)))
	}
	if v.filled <= fewFilled {
		b = append(b, headFew, byte(v.filled))
		for i, r := range u.regs {
			if r > 0 {
				b = binary.BigEndian.AppendUint16(b, uint16(i)<<6|uint16(r))
			}
		}
		return b
	}
	b = append(b, headHalf)
	for i := 0; i < rowRegisters; i += 2 {
		b = append(b, min(u.regs[i], fromTall)<<4|min(u.regs[i+1], fromTall))
	}
	if v.tall == 0 {
		return b
	}
	for _, r := range u.regs {
		if r >= fromTall {
			b = append(b, r)
		}
	}
	return b
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
	head := r.bytes(1)
	if r.err != nil {
		return v
	}
	switch {
	case head[0] <= RowExact:
		hashes := r.bytes(8 * int(head[0]))
		if r.err == nil {
			r.err = v.u.setExact(hashes)
		}
		return v
	case head[0] == headFew:
		v.u.regs = r.fewRegisters()
	case head[0] == headHalf:
		v.u.regs = r.halfBytes()
	default:
		r.err = fmt.Errorf("the visitors of a row begin with %d: it must be %d at most", head[0], headHalf)
	}
	if r.err != nil {
		return v
	}
	if r.err = v.u.setRegisters(v.u.regs); r.err != nil {
		return v
	}
	v.count()
	if few := v.filled <= fewFilled; few != (head[0] == headFew) || v.filled == 0 {
		r.err = fmt.Errorf("%d registers of a row are not 0: they are not written in this form", v.filled)
	}
	return v
}

func (r *reader) fewRegisters() []byte {
	n := r.bytes(1)
	if r.err != nil {
		return nil
	}
	pairs := r.bytes(2 * int(n[0]))
	if r.err != nil {
		return nil
	}
	regs := make([]byte, rowRegisters)
	last := -1
	for pair := range slices.Chunk(pairs, 2) {
		both := binary.BigEndian.Uint16(pair)
		i, rho := int(both>>6), byte(both&63)
		if i <= last || rho == 0 {
			r.err = fmt.Errorf("register %d of a row is %d, after register %d", i, rho, last)
			return nil
		}
		regs[i], last = rho, i
	}
	return regs
}

var errNotTall = errors.New("a register of a row has a byte of its own that half a byte would hold")

func (r *reader) halfBytes() []byte {
	halves := r.bytes(rowRegisters / 2)
	if r.err != nil {
		return nil
	}
	regs := make([]byte, 0, rowRegisters)
	for _, b := range halves {
		regs = append(regs, b>>4, b&15)
	}
	for i, half := range regs {
		if half < fromTall {
			continue
		}
		own := r.bytes(1)
		if r.err == nil && own[0] < fromTall {
			r.err = errNotTall
		}
		if r.err != nil {
			return nil
		}
		regs[i] = own[0]
	}
	return regs
}
