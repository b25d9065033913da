package lanes

import (
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Ticks of many partitions spread over the interval, whatever it is: a table that takes a step a second should not get sixty at
// once.
func TestTicksOfManyPartitionsDoNotFallTogether(t *testing.T) {
	for _, interval := range []time.Duration{time.Second, 5 * time.Second, time.Minute, 5 * time.Minute} {
		var tenths [10]int
		for p := range int32(100) {
			at := (&Lane{Name: checkpoint.LaneStats, Interval: interval}).FirstTick("events", p)
			if at <= 0 || at > interval {
				t.Fatalf("interval %v: partition %d ticks first after %v", interval, p, at)
			}
			tenths[(at-1)*10/interval]++
		}
		for i, n := range tenths {
			if n == 0 || n > 25 {
				t.Errorf("interval %v: %d of 100 partitions tick first in tenth %d, want some ten: %v", interval, n, i, tenths)
			}
		}
	}
}
