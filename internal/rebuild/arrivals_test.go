package rebuild

import (
	"testing"
	"time"
)

// TestEstimateGrowsByWhatArrives: records that come while a rebuild counts take as much time each as those before, and others come while
// these are counted.
func TestEstimateGrowsByWhatArrives(t *testing.T) {
	for _, c := range []struct {
		perSecond float64
		takes     time.Duration
		units     float64
		overtaken bool
	}{
		{0, 100*time.Second + 28*time.Second, 4000, false},
		{5, 200*time.Second + 28*time.Second, 8000, false}, // 1,000 in 100 s: 500 + 250 + 125 ... more.
		{10, 100 * time.Second, 4000, true},
	} {
		e := Estimate{WriteUnits: 4000, Bytes: 1 << 20, Shortest: 100 * time.Second, PerSecond: c.perSecond}
		e.grow(1000, 10*time.Second)
		if e.Shortest != c.takes || e.WriteUnits != c.units || e.Overtaken != c.overtaken {
			t.Errorf("%v a second: %+v, want %v, %v units, overtaken %v", c.perSecond, e, c.takes, c.units, c.overtaken)
		}
	}
}
