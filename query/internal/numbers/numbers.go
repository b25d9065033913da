package numbers

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Clamp keeps an estimate of visitors from passing the number of events that they made.
func Clamp(estimate uint64, events int64) uint64 { return min(estimate, uint64(max(events, 0))) }

// Ratio divides, to six places; nil where there is nothing to divide by.
func Ratio(a, b int64) *float64 {
	if b <= 0 {
		return nil
	}
	q := SixPlaces(float64(a) / float64(b))
	return &q
}

// CappedRatio divides as Ratio does, to 1 at most: what a counts may be of a time that b lacks.
func CappedRatio(a, b int64) *float64 { return Ratio(min(a, b), b) }

// Average divides milliseconds, to whole ones; nil where there is nothing to divide by.
func Average(ms, n int64) *int64 {
	if n <= 0 {
		return nil
	}
	avg := int64(math.Round(float64(ms) / float64(n)))
	return &avg
}

func SixPlaces(f float64) float64 { return math.Round(f*1e6) / 1e6 }

// Decimal spells millionths exactly, without trailing zeros: 12500000 is 12.5.
func Decimal(micros fmt.Stringer) string {
	n, ok := new(big.Int).SetString(micros.String(), 10)
	if !ok {
		panic("a whole number spelled " + micros.String())
	}
	return Plain(new(big.Rat).SetFrac(n, big.NewInt(1e6)))
}

// Plain spells a decimal of at most six places without trailing zeros.
func Plain(r *big.Rat) string {
	return strings.TrimRight(strings.TrimRight(r.FloatString(6), "0"), ".")
}
