package sketch

import (
	"math/big"
	"math/bits"
)

// Sum is a whole number of 128 bits in two's complement: Hi times 2^64 plus Lo. The zero value is 0.
type Sum struct {
	Hi int64
	Lo uint64
}

// SumOf widens n.
func SumOf(n int64) Sum { return Sum{n >> 63, uint64(n)} }

// Plus returns s + o. It wraps around beyond 128 bits, which 2^64 addends of int64 do not reach.
func (s Sum) Plus(o Sum) Sum {
	lo, carry := bits.Add64(s.Lo, o.Lo, 0)
	return Sum{s.Hi + o.Hi + int64(carry), lo}
}

// String returns s in decimal.
func (s Sum) String() string {
	n := new(big.Int).Lsh(big.NewInt(s.Hi), 64)
	return n.Add(n, new(big.Int).SetUint64(s.Lo)).String()
}

// zigzag returns s such that numbers near 0 of either sign are small, as varints want them.
func (s Sum) zigzag() (hi, lo uint64) {
	sign := uint64(s.Hi >> 63)
	return (uint64(s.Hi)<<1 | s.Lo>>63) ^ sign, s.Lo<<1 ^ sign
}

func unzigzag(hi, lo uint64) Sum {
	sign := -(lo & 1)
	return Sum{int64(hi>>1 ^ sign), (lo>>1 | hi<<63) ^ sign}
}
