// Package int128 holds the whole numbers of 128 bits that footfall adds up: sums of values in items and in breakdowns.
package int128

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Int is a whole number of 128 bits in two's complement, for sums that must not depend on where a flush cut
// them. The zero value is 0. Values compare with ==.
type Int struct {
	hi int64
	lo uint64
}

// From widens n.
func From(n int64) Int { return Int{n >> 63, uint64(n)} }

// Plus returns a + b. It wraps around beyond 128 bits, which 2^64 addends of int64 do not reach.
func (a Int) Plus(b Int) Int {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Int{a.hi + b.hi + int64(carry), lo}
}

// Neg returns -a.
func (a Int) Neg() Int {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	return Int{-a.hi - int64(borrow), lo}
}

// Sign returns -1, 0 or 1 as a is negative, zero or positive.
func (a Int) Sign() int { return a.Compare(Int{}) }

// Compare returns -1, 0 or 1 as a is less than b, equal to it, or greater.
func (a Int) Compare(b Int) int { return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo)) }

// Int64 returns a, or the nearest end of the range of int64.
func (a Int) Int64() int64 {
	if a.hi == int64(a.lo)>>63 {
		return int64(a.lo)
	}
	if a.hi < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// least is -2^127.
var least = new(big.Int).Lsh(big.NewInt(-1), 127)

func (a Int) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(a.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(a.lo))
}

// Float64 returns the nearest float64.
func (a Int) Float64() float64 {
	f, _ := new(big.Float).SetInt(a.big()).Float64()
	return f
}

// String returns a in decimal.
func (a Int) String() string {
	if n := a.Int64(); From(n) == a {
		return strconv.FormatInt(n, 10)
	}
	return a.big().String()
}

// Parse reads a decimal number. It refuses fractions and what does not fit.
func Parse(s string) (Int, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return From(n), nil
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return Int{}, fmt.Errorf("number %q is not a whole decimal number", s)
	}
	if n.BitLen() > 127 && n.Cmp(least) != 0 {
		return Int{}, fmt.Errorf("number %q does not fit in 128 bits", s)
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	hi := new(big.Int).Rsh(n, 64)
	return Int{hi.Int64(), lo.Uint64()}, nil
}

// Zigzag returns a such that numbers near 0 of either sign are small, as varints want them.
func (a Int) Zigzag() (hi, lo uint64) {
	sign := uint64(a.hi >> 63)
	return (uint64(a.hi)<<1 | a.lo>>63) ^ sign, a.lo<<1 ^ sign
}

// Unzigzag is the inverse of Zigzag.
func Unzigzag(hi, lo uint64) Int {
	sign := -(lo & 1)
	return Int{int64(hi>>1 ^ sign), (lo>>1 | hi<<63) ^ sign}
}
