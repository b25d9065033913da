package pipeline

import (
	"sync"
	"sync/atomic"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// budget bounds what the partitions of a process hold in memory, all of them together. Only the owner of a partition touches
// its states, so no worker takes memory from another: each worker publishes how much it holds, and once the sum is above the
// ceiling, every worker that holds more than its share, the ceiling divided by the partitions, gives up what it can by
// itself. It lets go of states that no open step has touched, oldest first; it cuts a step early; and it stops folding while
// its own last step is being applied.
//
// That cannot deadlock: a worker waits for its own step and for nothing that another worker does, and without an open step
// it folds at least one portion of a chunk, whatever the sum is. When a flush is cut, and what memory holds, changes no number.
type budget struct {
	ceiling int64
	held    atomic.Int64

	fetchedCeiling int64
	fetched        atomic.Int64

	partitions atomic.Int64

	mu      sync.Mutex // covers workers
	workers map[*worker]struct{}
}

func newBudget(l Limits) *budget {
	return &budget{ceiling: int64(l.MemoryBytes), fetchedCeiling: int64(l.FetchedBytes), workers: make(map[*worker]struct{})}
}

// join takes a worker in.
func (b *budget) join(w *worker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.workers[w] = struct{}{}
	b.partitions.Store(int64(len(b.workers)))
}

// leave forgets a worker and all that it held.
func (b *budget) leave(w *worker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.workers, w)
	b.partitions.Store(int64(len(b.workers)))
	b.held.Add(-w.held)
	w.held = 0
}

// share is what a partition may hold although the sum is above the ceiling.
func (b *budget) share() int64 { return b.ceiling / max(1, b.partitions.Load()) }

// queueReserve is how many bytes a partition may have fetched although the sum is above the ceiling.
func (b *budget) queueReserve() int64 { return b.fetchedCeiling / (2 * max(1, b.partitions.Load())) }

// change takes note of what a worker holds more. When the sum passes the ceiling, all workers look what they can give up.
func (b *budget) change(more int64) {
	now := b.held.Add(more)
	if now <= b.ceiling || now-more > b.ceiling {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.workers {
		w.signal()
	}
}

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
