package chart

import "math"

// The graph in pixels; its width is that of the page. Lines are drawn in a box of graphWidth units that is stretched to it.
const (
	Width       = 1000.0
	graphTop    = 40.0  // above the top line, where the figure of a bucket is shown
	graphHeight = 190.0 // between the top line and the base line
	graphLabels = 26.0  // below the base line
)

// Scale returns the value at the top of a graph and the step between its lines: 1, 2 or 5 times a power of ten, with at most four steps
// to the greatest value. whole keeps steps of counts from being parts of 1.
func Scale(greatest float64, whole bool) (top, step float64) {
	if greatest <= 0 {
		greatest = 1
	}
	power := math.Pow(10, math.Floor(math.Log10(greatest/4)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if step = factor * power; step*4 >= greatest*(1-1e-9) {
			break
		}
	}
	if whole {
		step = max(step, 1)
	}
	return step * math.Ceil(greatest/step-1e-9), step
}
