package checkpoint

import (
	"fmt"
	"strconv"
	"time"
)

// Duplicates is a window of duplicates: how far the last sighting of an event may be from a record that repeats it. The zero
// value is none.
//
// A record repeats its event if the record times of both are at most WindowMs apart, and if the sighting is in reach. Reach
// bounds what an owner keeps in memory and what the next owner reads again. It depends on the record's own log alone:
//
//   - The offsets of the log are divided into segments of Segment offsets. The clock of a segment is the median of the record
//     times that are sampled there, the first record of each of its cells. A minority of wrong times does not move it.
//   - A sighting is in reach of the segments up to Near after its own.
//   - It is in reach of the segments up to Back after its own while the clock of no segment between the two is more than
//     WindowMs and an eighth ahead of the sighting's segment, or of the one after that if its clock is later.
//
// Once a sighting is out of reach, it is so for all records that follow.
type Duplicates struct {
	WindowMs  int64 `json:"windowMs"`
	Positions int64 `json:"positions"` // that the window reaches back at most
}

// DefaultDuplicates is the window of a fresh configuration. A collector that sends a batch again within a quarter of an hour
// has it counted once at up to 279 events a second in a partition, for at most 6 MiB of memory.
var DefaultDuplicates = Duplicates{WindowMs: (15 * time.Minute).Milliseconds(), Positions: (6 << 20) / DuplicateBytes}

// DuplicateBytes is what one position of a window takes in memory: 20 for the sighting and 4 for its place among those of
// the same hash, and the segment beyond the last whole one.
const DuplicateBytes = 25

const (
	segmentsBack = 128 // segments that a window of many positions reaches back
	segmentCells = 64  // cells of a segment of as many offsets or more
)

// Off reports whether no record is a duplicate.
func (d Duplicates) Off() bool { return d.WindowMs <= 0 || d.Positions <= 0 }

// Segment is how many offsets a segment has.
func (d Duplicates) Segment() int64 { return max(1, d.Positions/segmentsBack) }

// Cell is how many offsets a cell of a segment has. The last one may have fewer.
func (d Duplicates) Cell() int64 { return max(1, d.Segment()/segmentCells) }

// Back is how many segments after its own a sighting is in reach at most.
func (d Duplicates) Back() int64 { return d.Positions / d.Segment() }

// Near is how many segments after its own a sighting is in reach whatever the clocks are: a quarter of the positions.
func (d Duplicates) Near() int64 { return max(0, d.Back()/4-1) }

// Longest is how far ahead of a sighting's segment the clocks may be.
func (d Duplicates) Longest() int64 { return d.WindowMs + d.WindowMs/8 }

// Start is the offset from which the log has to be read so that a record at an offset is judged as it was by whoever read all of it.
func (d Duplicates) Start(offset int64) int64 {
	return max(0, offset/d.Segment()-d.Back()) * d.Segment()
}

// Text spells the window in a header: milliseconds and positions.
func (d Duplicates) Text() string {
	return strconv.FormatInt(d.WindowMs, 10) + "/" + strconv.FormatInt(d.Positions, 10)
}

// String describes the window.
func (d Duplicates) String() string {
	if d.Off() {
		return "none"
	}
	return fmt.Sprintf("%v of record time, %d positions at most", time.Duration(d.WindowMs)*time.Millisecond, d.Positions)
}

// The record times that a window distinguishes: any before 1970 are one, and any after the year 10000.
const maxDuplicateTime = 1<<48 - 1

// DuplicateTime is a record time as windows of duplicates take it.
func DuplicateTime(ms int64) int64 { return min(max(ms, 0), maxDuplicateTime) }
