package verify

import (
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// TestASegmentBelowTheFloorHasNoClock: the first segment was read from its middle on. With a clock of its own, what was seen there is in
// reach of a record far ahead; without one the next segment decides, whose clock is earlier.
func TestASegmentBelowTheFloorHasNoClock(t *testing.T) {
	of := checkpoint.Duplicates{WindowMs: 60_000, Positions: 1024}
	x := newSegments(of)
	const start, again = 4, 400
	if x.size != 2*start || again/x.size <= x.near || again/x.size > x.back {
		t.Fatal("the test is void")
	}
	at := func(offset int64) int64 {
		switch offset / x.size {
		case 0:
			return 1e12 + 60_000
		case 1:
			return 1e12
		}
		return 1e12 + 100_000 // Too far ahead of the second segment, and not of the first.
	}
	for offset := int64(start); offset <= again; offset++ {
		x.add(offset, at(offset))
	}
	for floor, want := range map[int64]bool{0: true, start: false, x.size: true} {
		if got := x.joined(start, again, floor); got != want {
			t.Errorf("nothing read below %d: in reach %v, want %v", floor, got, want)
		}
	}
}
