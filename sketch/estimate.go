package sketch

import "math"

// maxEstimate bounds every estimate. Registers that no real traffic fills, as of a million visitors a second for
// 285 years, would otherwise estimate up to 2^63, which is negative as int64. Up to 2^53 a float64 in a reader's
// JSON is exact too.
const maxEstimate = 1 << 53

// Estimate returns the number of distinct hashes: the exact number up to the limit; above it LogLog-Beta's estimate
// (Qin, Kim and Tung, "LogLog-Beta and More", arXiv:1612.02284), the same integer that axiomhq/hyperloglog returns for
// the registers, but never more than 2^53. Its relative standard error is 1.04/sqrt(m): 0.81 % of an hour, 1.63 % of a
// row, 3.25 % of a minute. It need not grow with each hash, nor at the switch from exact to registers.
//
// We sum over a histogram of the registers instead of over them: 64 powers of two instead of 16,384.
func (u *Uniques) Estimate() uint64 {
	if u.regs == nil {
		return uint64(u.n)
	}
	var histogram [256]int32
	if u.sparse() {
		histogram[0] = 1<<RowPrecision - u.n
		slots(u.regs).each(func(_ uint64, is byte) { histogram[is]++ })
	} else {
		for _, r := range u.regs {
			histogram[r]++
		}
	}
	sum := 0.0
	for r := len(histogram) - 1; r >= 0; r-- {
		if n := histogram[r]; n > 0 {
			sum += math.Ldexp(float64(n), -r)
		}
	}
	m, empty := float64(int(1)<<u.Precision()), float64(histogram[0])
	alpha := 0.7213 / (1 + 1.079/m)
	estimate := alpha * m * (m - empty) / (sum + u.beta(empty))
	if !(estimate < maxEstimate) {
		return maxEstimate
	}
	return uint64(estimate + 0.5)
}

func (u *Uniques) beta(empty float64) float64 {
	c := traits[u.kind].beta
	l := math.Log(empty + 1)
	p := 0.0
	for i := len(c) - 1; i >= 1; i-- {
		p = (p + c[i]) * l
	}
	return c[0]*empty + p
}

// StandardError returns the relative standard error of Estimate, 1.04/sqrt(m); 0: it is exact.
func (u *Uniques) StandardError() float64 {
	if u.regs == nil {
		return 0
	}
	return 1.04 / math.Sqrt(float64(int(1)<<u.Precision()))
}
