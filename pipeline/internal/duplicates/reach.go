package duplicates

import (
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// reach follows, record by record, how far back a window of duplicates reaches: see [checkpoint.Duplicates]. What it says of
// a sighting and a record depends on the records from the sighting's segment on, and on nothing else.
type reach struct {
	of    checkpoint.Duplicates
	floor int64 // the segment with this offset has no clock if it begins below; see worker.warmUp

	now     int64   // the segment of the record seen last
	first   int64   // the oldest segment in reach
	wants   int64   // the offset from which the next sample is taken
	samples []int64 // of the running segment
	clocks  []clock // by segment modulo their number: the running one and those that the window reaches back

	shortened int64 // positions that left for want of memory since it was asked last
	span      int64 // milliseconds that the window reached back then
}

// clock is the clock of a segment, and whether sightings there are in reach of the running one.
type clock struct {
	at      int64
	runs    bool // the segment has a sample, and all of its records were read
	inReach bool
}

// newReach begins a reach at the offset that is read first.
func newReach(of checkpoint.Duplicates, start, floor int64) *reach {
	now := start / of.Segment()
	return &reach{of: of, floor: floor, now: now, first: now, wants: start, clocks: make([]clock, of.Back()+1)}
}

func (r *reach) at(segment int64) *clock { return &r.clocks[segment%int64(len(r.clocks))] }

// note takes in the record at an offset that is wants or higher.
func (r *reach) note(offset, ms int64) {
	size, cell := r.of.Segment(), r.of.Cell()
	segment := offset / size
	if segment != r.now {
		r.end()
		r.begin(segment)
	}
	r.samples = append(r.samples, ms)
	begin := segment * size
	r.wants = begin + min(size, ((offset-begin)/cell+1)*cell)
}

// end gives the running segment its clock.
func (r *reach) end() {
	c := r.at(r.now)
	*c = clock{}
	if begin := r.now * r.of.Segment(); len(r.samples) == 0 || begin < r.floor && r.floor < begin+r.of.Segment() {
		return
	}
	slices.Sort(r.samples)
	c.at, c.runs = r.samples[(len(r.samples)-1)/2], true
}

// begin makes a later segment the running one, and finds out which sightings remain in reach.
func (r *reach) begin(segment int64) {
	n := int64(len(r.clocks))
	for s := max(r.now+1, segment-n+1); s < segment; s++ {
		*r.at(s) = clock{} // It has no record.
	}
	before := r.now
	r.now, r.samples = segment, r.samples[:0]
	if gone := segment - n; gone >= r.first && gone < before {
		r.leave(gone)
	}
	r.first = max(r.first, segment-n+1)
	latest, ahead := int64(-1), segment // The latest clock after s; the oldest segment in reach.
	for s := segment - 1; s >= r.first; s-- {
		own, runs := r.own(s)
		c := r.at(s)
		c.inReach = segment-s <= r.of.Near() || !runs || latest-own <= r.of.Longest()
		if c.inReach {
			ahead = s
		}
		if c.runs {
			latest = max(latest, c.at)
		}
	}
	r.first = ahead
}

// own is the clock that a segment's sightings are measured by: its own, or that of the next one if it is later.
func (r *reach) own(segment int64) (at int64, runs bool) {
	c := *r.at(segment)
	if next := r.at(segment + 1); segment+1 < r.now && next.runs && (!c.runs || next.at > c.at) {
		c = *next
	}
	return c.at, c.runs
}

// leave notes that a segment leaves although its time has not come.
func (r *reach) leave(segment int64) {
	own, runs := r.own(segment)
	if !runs {
		return
	}
	latest := int64(-1)
	for s := segment + 1; s < r.now; s++ {
		if c := r.at(s); c.runs {
			latest = max(latest, c.at)
		}
	}
	if latest-own <= r.of.WindowMs {
		r.shortened += r.of.Segment()
		r.span = max(0, latest-own)
	}
}

// reaches reports whether a sighting at an offset is in reach of the record noted last.
func (r *reach) reaches(offset int64) bool {
	s := offset / r.of.Segment()
	return s == r.now || s >= r.first && r.at(s).inReach
}

// edge is the offset of the oldest segment in reach.
func (r *reach) edge() int64 { return r.first * r.of.Segment() }
