package repeats

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

// TestAWindowBeginsWhereTheLogWasRead: of segments below the floor, or below the log's start, no clock says that they are out of reach. An
// owner that was begun there needs the log from the first segment that is in reach above.
func TestAWindowBeginsWhereTheLogWasRead(t *testing.T) {
	of := checkpoint.Duplicates{WindowMs: 60_000, Positions: 1024}
	const read, again = 80, 400
	for _, begin := range []int64{0, read} {
		s := new(Sightings)
		s.Widen(of)
		for offset := begin; offset <= again; offset++ {
			ms := int64(1e12)
			if offset >= 160 {
				ms += 100_000
			}
			s.Time(offset, ms)
		}
		for name, got := range map[string]int64{"floor": s.Edge(of, again, begin, 0), "start of the log": s.Edge(of, again, 0, begin)} {
			if want := int64(152); got != want { // The next segment's clock is that of the last one before.
				t.Errorf("%s %d: the window needs the log from %d, want %d", name, begin, got, want)
			}
		}
	}
}
