package sinks

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Int128 is a whole number of 128 bits in two's complement, for sums that must not depend on where a flush cut
// them. The zero value is 0. Values compare with ==.
type Int128 struct {
	hi int64
	lo uint64
}

// Int128From widens n.
func Int128From(n int64) Int128 { return Int128{n >> 63, uint64(n)} }

// Plus returns a + b. It wraps around beyond 128 bits, which 2^64 addends of int64 do not reach.
func (a Int128) Plus(b Int128) Int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Int128{a.hi + b.hi + int64(carry), lo}
}

// Neg returns -a.
func (a Int128) Neg() Int128 {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	return Int128{-a.hi - int64(borrow), lo}
}

// Less reports whether a < b.
func (a Int128) Less(b Int128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// Int64 returns a, or the nearest end of the range of int64.
func (a Int128) Int64() int64 {
	if a.hi == int64(a.lo)>>63 {
		return int64(a.lo)
	}
	if a.hi < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// least128 is -2^127.
var least128 = new(big.Int).Lsh(big.NewInt(-1), 127)

func (a Int128) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(a.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(a.lo))
}

// Float64 returns the nearest float64.
func (a Int128) Float64() float64 {
	f, _ := new(big.Float).SetInt(a.big()).Float64()
	return f
}

// String returns a in decimal.
func (a Int128) String() string {
	if n := a.Int64(); Int128From(n) == a {
		return strconv.FormatInt(n, 10)
	}
	return a.big().String()
}

// pairs returns how many pairs of decimal digits a has, from its units up, without those that are 00 behind all others: 3 of
// 1,001,000, which is 1 00 10 00. 0 has none.
func (a Int128) pairs() (n int) {
	rest := a.Int64()
	if Int128From(rest) != a {
		text := strings.TrimPrefix(a.String(), "-")
		for strings.HasSuffix(text, "00") {
			text = text[:len(text)-2]
		}
		return (len(text) + 1) / 2
	}
	for rest != 0 && rest%100 == 0 {
		rest /= 100
	}
	for ; rest != 0; rest /= 100 {
		n++
	}
	return n
}

// ParseInt128 reads a decimal number. It refuses fractions and what does not fit.
func ParseInt128(s string) (Int128, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Int128From(n), nil
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return Int128{}, fmt.Errorf("number %q is not a whole decimal number", s)
	}
	if n.BitLen() > 127 && n.Cmp(least128) != 0 {
		return Int128{}, fmt.Errorf("number %q does not fit in 128 bits", s)
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	hi := new(big.Int).Rsh(n, 64)
	return Int128{hi.Int64(), lo.Uint64()}, nil
}
