package simulation_test

import (
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
)

// ahead draws how many chunks a process decodes ahead. Most seeds publish fewer records at once than a chunk may have, so half of the
// processes that decode ahead get a queue that is small enough for several chunks of a few records each.
//
// A seed means the same at every depth. Decoding takes no time of the fake clock, and the owner waits for a chunk where it would decode it
// itself, so how the goroutine is scheduled decides nothing.
func (s *simulation) ahead(l *pipeline.Limits) int {
	depth := []int{0, 1, pipeline.MaxChunksAhead}[s.depths.IntN(3)]
	if depth > 0 && s.depths.IntN(2) == 0 && l.QueueBytes == 0 {
		l.QueueBytes = map[int]int{1: 6_000, pipeline.MaxChunksAhead: testpipeline.FewAChunk}[depth]
	}
	return depth
}
