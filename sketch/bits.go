package sketch

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// bitWriter appends bits, the highest of a byte first.
type bitWriter struct {
	to   []byte
	last uint64 // n bits at its low end are not in to yet, 7 at most between calls
	n    uint
}

// put appends the n low bits of b, 57 at most. The others must be 0.
func (w *bitWriter) put(b uint64, n uint) {
	w.last, w.n = w.last<<n|b, w.n+n
	for w.n >= 8 {
		w.n -= 8
		w.to = append(w.to, byte(w.last>>w.n))
	}
}

// unary appends as many ones, and a zero.
func (w *bitWriter) unary(ones byte) { w.put(1<<(ones+1)-2, uint(ones)+1) }

// end fills the last byte with zeros and returns all.
func (w *bitWriter) end() []byte {
	w.put(0, -w.n&7)
	return w.to
}

// bitReader reads what a bitWriter wrote. After the end there are zeros, and short is true.
type bitReader struct {
	b  []byte
	at int // bits that were read
}

// window returns the next bits at its high end, 57 at least.
func (r *bitReader) window() uint64 {
	from := min(r.at/8, len(r.b))
	if rest := r.b[from:]; len(rest) >= 8 {
		return binary.BigEndian.Uint64(rest) << (r.at % 8)
	}
	var room [8]byte
	copy(room[:], r.b[from:])
	return binary.BigEndian.Uint64(room[:]) << (r.at % 8)
}

// bits reads n bits, 57 at most.
func (r *bitReader) bits(n uint) uint64 {
	b := r.window() >> (64 - n)
	r.at += int(n)
	return b
}

// unary reads a number of ones up to a zero. Of more than 57 ones it reads 57 or more.
func (r *bitReader) unary() byte {
	ones := bits.LeadingZeros64(^r.window())
	r.at += ones + 1
	return byte(ones)
}

// short reports whether more was read than there is.
func (r *bitReader) short() bool { return r.at > 8*len(r.b) }

var errPadding = errors.New("the bits after the last register are not 0")

// end returns an error if more was read than there is, or if the last byte does not end in zeros.
func (r *bitReader) end() error {
	if r.short() {
		return errShort
	}
	if rest := -r.at & 7; rest > 0 && r.bits(uint(rest)) != 0 {
		return errPadding
	}
	return nil
}
