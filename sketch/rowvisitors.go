package sketch

import (
	"fmt"
	"math/bits"
)

const (
	rowRegisters = 1 << RowPrecision
	// fromTall is the lowest register that gets a byte of its own among half bytes, which say only that. Of a thousand visitors
	// 1000/2^14 = 0.06 registers are that high, of a million 60.
	fromTall = 15
	// fewFilled is how many registers above 0 are written by groups; see below.
	fewFilled = rowRegisters/4 - 1

	// The first byte of a row's visitors: how many hashes there are, or one of these.
	headGroups = RowExact + 1
	headUnary  = RowExact + 2
	headHalf   = RowExact + 3
)

// rowVisitors is a Uniques of a row together with what its bytes depend on, so that their number is known after each
// hash without a look at all registers.
//
// Registers are written in the shortest of three forms. In unary, a register takes as many bits as it is, and one more. While few of them
// are above 0, these are named by groups of 2^k, which costs one bit a group, and k and one for each of them: with n of them, less than a
// bit for every register while n is below a quarter. From some 10,000 visitors on, half a byte is less than a register in unary.
//
//	visitors       65   300   1,000   3,000   10,000   100,000
//	bytes          83   280     700   1,200    2,000     2,060
type rowVisitors struct {
	u            Uniques
	filled, tall uint16 // registers above 0, and from fromTall; 0 while exact
	sum          uint32 // of all registers
}

func newRowVisitors() rowVisitors { return rowVisitors{u: Uniques{kind: rowly}} }

// add adds a hash and returns how many bytes more the visitors take now. They take fewer once their set has become
// registers. Tables are of from, which may be nil.
func (v *rowVisitors) add(h uint64, from *sets) (more int) {
	if v.u.regs != nil {
		return v.raise(h)
	}
	before := v.bytes()
	if v.u.insert(h, from) {
		v.count()
	}
	return v.bytes() - before
}

func (v *rowVisitors) raise(h uint64) (more int) {
	i, rho := split(h, rowRegisters)
	was := v.u.raise(i, rho)
	if was >= rho {
		return 0
	}
	before := v.bytes()
	v.note(was, rho)
	return v.bytes() - before
}

// note takes in that a register was raised.
func (v *rowVisitors) note(was, is byte) {
	if was == 0 {
		v.filled++
	}
	if was < fromTall && is >= fromTall {
		v.tall++
	}
	v.sum += uint32(is - was)
}

// merge adds all that o has.
func (v *rowVisitors) merge(o *rowVisitors) {
	if o.u.regs == nil { // as of most rows that are evicted
		o.u.each(func(h uint64) { v.add(h, nil) })
		return
	}
	if err := v.u.Merge(&o.u); err != nil {
		panic(fmt.Sprintf("sketch: visitors of a row: %v", err)) // both are of the same kind
	}
	v.count()
}

// count sets what is known of the registers.
func (v *rowVisitors) count() {
	v.filled, v.tall, v.sum = 0, 0, 0
	v.u.eachRegister(func(_ uint64, is byte) { v.note(0, is) })
}

// bytes returns how many bytes append appends.
func (v *rowVisitors) bytes() int {
	if v.u.regs == nil {
		return 1 + 8*int(v.u.n)
	}
	_, n := v.form()
	return n
}

// form returns the first byte of the registers' form, and how many bytes they take.
func (v *rowVisitors) form() (head byte, n int) {
	if v.filled <= fewFilled {
		k := groupBits(int(v.filled))
		return headGroups, 2 + bitsInBytes(rowRegisters>>k+int(v.filled)*(1+k)+int(v.sum))
	}
	unary, half := 1+bitsInBytes(rowRegisters+int(v.sum)), 1+rowRegisters/2+int(v.tall)
	if unary <= half {
		return headUnary, unary
	}
	return headHalf, half
}

// groupBits returns k for a number of registers above 0: a group of 2^k holds one of them on average, or nearly.
func groupBits(filled int) int { return RowPrecision - bits.Len(uint(filled)) }

func bitsInBytes(n int) int { return (n + 7) / 8 }
