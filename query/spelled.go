package query

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// clamp keeps an estimate of visitors from passing the number of events that they made.
func clamp(estimate uint64, events int64) uint64 { return min(estimate, uint64(max(events, 0))) }

// ratio divides, to six places; nil where there is nothing to divide by.
func ratio(a, b int64) *float64 {
	if b <= 0 {
		return nil
	}
	q := sixPlaces(float64(a) / float64(b))
	return &q
}

// average divides milliseconds, to whole ones; nil where there is nothing to divide by.
func average(ms, n int64) *int64 {
	if n <= 0 {
		return nil
	}
	avg := int64(math.Round(float64(ms) / float64(n)))
	return &avg
}

func sixPlaces(f float64) float64 { return math.Round(f*1e6) / 1e6 }

// decimal spells millionths exactly, without trailing zeros: 12500000 is 12.5.
func decimal(micros fmt.Stringer) string {
	n, ok := new(big.Int).SetString(micros.String(), 10)
	if !ok {
		panic("a whole number spelled " + micros.String())
	}
	return plain(new(big.Rat).SetFrac(n, big.NewInt(1e6)))
}

// plain spells a decimal of at most six places without trailing zeros.
func plain(r *big.Rat) string {
	return strings.TrimRight(strings.TrimRight(r.FloatString(6), "0"), ".")
}
