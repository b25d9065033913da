package pipeline

import "github.com/footfall/footfall/pipeline/checkpoint"

// PartitionBytes is about what each partition may take in memory beside the ceilings of the process: its window of duplicates,
// the states of the portion of a chunk that is being folded, and what its classifiers remember. chunksAhead is Options.ChunksAhead.
func PartitionBytes(window checkpoint.Duplicates, chunksAhead int) int64 {
	n := int64(partitionReserve)
	if chunksAhead > 0 {
		n += classifierBytes // The goroutine that decodes has one of its own.
	}
	if !window.Off() {
		n += checkpoint.DuplicateBytes * window.Positions
	}
	return n
}

const (
	partitionReserve = 10 << 20 // with one classifier
	// classifierBytes is what a classifier remembers at most: texts of the longest lengths.
	classifierBytes = 4 << 20
)
