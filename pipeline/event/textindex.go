package event

import (
	"math/bits"
	"unicode/utf8"
)

// textIndex finds all quotes and backslashes of a record at once, with vector instructions, where the processor has them. A string ends
// at the next quote; what is after a backslash is passed over. A record with control characters is left to scanString.
type textIndex struct {
	able   bool                                 // the processor has the instructions
	holds  bool                                 // the present record is indexed
	plain  bool                                 // and has neither a backslash nor a byte above 0x7f
	blocks int                                  // of the record, 64 bytes each; the last may have fewer
	stops  [MaxRecordBytes/blockSize + 1]uint64 // a bit for each quote and backslash, and a word without bits after the last block
	high   [MaxRecordBytes/blockSize + 1]uint64 // a bit for each byte above 0x7f
}

const blockSize = 64

// take indexes a record, unless it has a control character, in a string or between values.
func (x *textIndex) take(b []byte) {
	if !x.able || len(b) < blockSize {
		return
	}
	whole, rest := len(b)/blockSize, len(b)%blockSize
	control, escapes, above := indexBlocks(&b[0], whole, &x.stops[0], &x.high[0])
	x.blocks = whole
	if rest > 0 { // The last 64 bytes, without those of the block before.
		c, e, a := indexBlocks(&b[len(b)-blockSize], 1, &x.stops[whole], &x.high[whole])
		control, escapes, above = control|c, escapes|e, above|a
		x.stops[whole] >>= blockSize - rest
		x.high[whole] >>= blockSize - rest
		x.blocks++
	}
	x.stops[x.blocks] = 0
	x.holds = control == 0
	x.plain = control|escapes|above == 0
}

// near returns the index of the first stop from index i on, if it is in the same block, else -1.
func (x *textIndex) near(i int) int {
	if at := x.stops[uint(i)/blockSize] >> (uint(i) % blockSize); at != 0 {
		return i + bits.TrailingZeros64(at)
	}
	return -1
}

// stop returns the index of the first stop from index i on, -1 if there is none.
func (x *textIndex) stop(i int) int {
	if i/blockSize >= x.blocks {
		return -1
	}
	if at := x.near(i); at >= 0 {
		return at
	}
	for n := i/blockSize + 1; n < x.blocks; n++ {
		if x.stops[n] != 0 {
			return n*blockSize + bits.TrailingZeros64(x.stops[n])
		}
	}
	return -1
}

// allASCII reports whether b[from:to] has no byte above 0x7f.
func (x *textIndex) allASCII(from, to int) bool {
	first, last := from/blockSize, to/blockSize
	before, within := ^uint64(0)<<(uint(from)%blockSize), uint64(1)<<(uint(to)%blockSize)-1
	if first == last {
		return x.high[first]&before&within == 0
	}
	seen := x.high[first]&before | x.high[last]&within
	for n := first + 1; n < last; n++ {
		seen |= x.high[n]
	}
	return seen == 0
}

// stringEnd returns what scanString does.
func (d *Decoder) stringEnd(b []byte, i int) (quote int, escaped bool) {
	x := &d.index
	if x.plain {
		if quote = x.near(i); quote >= 0 {
			return quote, false
		}
		return x.stop(i), false
	}
	if !x.holds {
		return scanString(b, i)
	}
	for quote = x.stop(i); quote >= 0 && b[quote] == '\\'; quote = x.stop(quote + 2) {
		escaped = true
	}
	if quote < 0 || !x.allASCII(i, quote) && !utf8.Valid(b[i:quote]) {
		return -1, false
	}
	return quote, escaped
}
