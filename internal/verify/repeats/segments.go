package repeats

import (
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// segments are the stretches of a partition's log that a window of duplicates is measured by: see checkpoint.Duplicates, whose
// definition is computed here with numbers and code of our own.
type segments struct {
	of                     checkpoint.Duplicates
	size, cell, back, near int64
	times                  map[int64][]int64 // the samples of each segment, in the order of the log
	medians                map[int64]int64   // of segments that are over, once they were asked for
	last                   int64             // the latest segment
	cells                  int64             // the cell after that of the latest sample, counted from the log's beginning
}

func newSegments(of checkpoint.Duplicates) *segments {
	x := &segments{of: of, size: max(1, of.Positions/128)}
	x.cell, x.back = max(1, x.size/64), of.Positions/x.size
	x.near = max(0, x.back/4-1)
	x.clear()
	return x
}

func (x *segments) clear() {
	x.times, x.medians, x.last, x.cells = make(map[int64][]int64), make(map[int64]int64), 0, 0
}

// add takes in the time of a record: the first of each cell is a sample.
func (x *segments) add(offset, ms int64) {
	segment := offset / x.size
	perSegment := (x.size + x.cell - 1) / x.cell
	cell := segment*perSegment + offset%x.size/x.cell
	if cell < x.cells {
		return
	}
	x.cells = cell + 1
	if segment > x.last {
		for s := range x.times {
			if s < segment-x.back {
				delete(x.times, s)
				delete(x.medians, s)
			}
		}
		x.last = segment
	}
	x.times[segment] = append(x.times[segment], ms)
}

// clock is the median of the samples of a segment that is over. A segment has none where its beginning lies below the floor.
func (x *segments) clock(segment, floor int64) (ms int64, ok bool) {
	times := x.times[segment]
	if len(times) == 0 || segment*x.size < floor && floor < (segment+1)*x.size {
		return 0, false
	}
	ms, ok = x.medians[segment]
	if !ok {
		sorted := slices.Sorted(slices.Values(times))
		ms = sorted[(len(sorted)-1)/2]
		x.medians[segment] = ms
	}
	return ms, true
}

// joined reports whether a sighting is in reach of a record. Nothing was read below the floor.
func (x *segments) joined(sighted, offset, floor int64) bool {
	from, to := sighted/x.size, offset/x.size
	switch distance := to - from; {
	case distance > x.back:
		return false
	case distance <= x.near:
		return true
	}
	own, ok := x.clock(from, floor)
	if next, has := x.clock(from+1, floor); from+1 < to && has && (!ok || next > own) {
		own, ok = next, true
	}
	if !ok {
		return true
	}
	for s := from + 1; s < to; s++ {
		if at, has := x.clock(s, floor); has && at-own > x.of.WindowMs+x.of.WindowMs/8 {
			return false
		}
	}
	return true
}

// inRange is a record time as windows take it: of 1970 to some time after the year 10000.
func inRange(ms int64) int64 { return max(0, min(ms, 1<<48-1)) }
