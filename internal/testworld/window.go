package testworld

import (
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Window is a partition's log, by which windows of duplicates are judged by their definition, without regard to time or memory.
type Window struct {
	offsets, times []int64 // of its records
}

// Add takes in a record. Offsets ascend.
func (w *Window) Add(offset, ms int64) {
	w.offsets, w.times = append(w.offsets, offset), append(w.times, checkpoint.DuplicateTime(ms))
}

// Repeats reports whether the record that was added last repeats one at an earlier offset. Nothing was read below the floor.
func (w *Window) Repeats(of checkpoint.Duplicates, sighted, floor int64) bool {
	if of.Off() || sighted < floor {
		return false
	}
	last := len(w.offsets) - 1
	i, ok := slices.BinarySearch(w.offsets, sighted)
	if apart := w.times[last] - w.times[i]; !ok || max(apart, -apart) > of.WindowMs {
		return false
	}
	from, to := sighted/of.Segment(), w.offsets[last]/of.Segment()
	if to-from <= of.Near() || to-from > of.Back() {
		return to-from <= of.Back()
	}
	own, runs := w.clock(of, from, floor)
	if next, ok := w.clock(of, from+1, floor); ok && (!runs || next > own) {
		own, runs = next, true
	}
	for s := from + 1; s < to; s++ {
		if at, ok := w.clock(of, s, floor); ok && runs && at-own > of.Longest() {
			return false
		}
	}
	return true
}

// clock is the median of the samples of a segment.
func (w *Window) clock(of checkpoint.Duplicates, segment, floor int64) (ms int64, ok bool) {
	begin, end := segment*of.Segment(), (segment+1)*of.Segment()
	if begin < floor && floor < end {
		return 0, false
	}
	var samples []int64
	cell := int64(-1)
	for i, _ := slices.BinarySearch(w.offsets, begin); i < len(w.offsets) && w.offsets[i] < end; i++ {
		if at := (w.offsets[i] - begin) / of.Cell(); at != cell {
			cell, samples = at, append(samples, w.times[i])
		}
	}
	if len(samples) == 0 {
		return 0, false
	}
	slices.Sort(samples)
	return samples[(len(samples)-1)/2], true
}
