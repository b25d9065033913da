package pipeline

import (
	"context"
	"sync"
	"time"
)

// roster is what the process has of the topic's partitions: which are assigned to it, their workers, and what becomes of the others.
type roster struct {
	*shared

	mu        sync.Mutex // covers all below; never held across I/O
	workers   map[int32]*worker
	assigned  map[int32]bool
	fences    map[int32][]time.Time // of the last minutes, by partition
	returning map[int32]*int        // partitions that a goroutine is bringing back, each with a token of its own
	parked    map[int32]*standstill
	regained  []regained          // acquired again, to be started by the poll loop
	stalled   map[int32]time.Time // whose fetching the poll loop is to restart, and since when
	breakOff  context.CancelFunc  // ends the poll that is under way, if there is one
	closing   bool
}

// regained is a worker that waits for the poll loop to seek to its start.
type regained struct {
	worker *worker
	io     context.Context
}

func newRoster(common *shared) *roster {
	return &roster{shared: common, workers: make(map[int32]*worker), assigned: make(map[int32]bool), fences: make(map[int32][]time.Time),
		returning: make(map[int32]*int), parked: make(map[int32]*standstill), stalled: make(map[int32]time.Time),
		breakOff: func() {}}
}

// worker returns the worker of a partition, nil if it has none.
func (r *roster) worker(partition int32) *worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.workers[partition]
}

// has reports whether this process counts a partition, or keeps it parked.
func (r *roster) has(partition int32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.workers[partition] != nil || r.parked[partition] != nil
}

func (r *roster) owned() []*worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*worker, 0, len(r.workers))
	for _, w := range r.workers {
		list = append(list, w)
	}
	return list
}

func (r *roster) of(parts []int32) []*worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*worker
	for _, n := range parts {
		if w := r.workers[n]; w != nil {
			list = append(list, w)
		}
	}
	return list
}

// serves reports whether a partition is assigned to this process, which is not ending.
func (r *roster) serves(partition int32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.assigned[partition] && !r.closing
}

// beginReturn notes that a goroutine, which the token stands for, brings a partition back. It returns false if another one does, or the
// process does not serve the partition.
func (r *roster) beginReturn(partition int32, token *int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.returning[partition] != nil || !r.assigned[partition] || r.closing {
		return false
	}
	r.returning[partition] = token
	return true
}

// returns reports whether the partition is still to be brought back by the token's goroutine.
func (r *roster) returns(partition int32, token *int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.returning[partition] != token { // The partition was revoked, whether or not it came back.
		return false
	}
	if r.closing || r.workers[partition] != nil {
		delete(r.returning, partition)
		return false
	}
	return true
}

// takeRegained returns the workers that were acquired again since it was called last.
func (r *roster) takeRegained() []regained {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.regained
	r.regained = nil
	return list
}

// takeStalled returns the workers of the partitions that have stalled since it was called last.
func (r *roster) takeStalled() []*worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*worker
	for n := range r.stalled {
		if w := r.workers[n]; w != nil {
			list = append(list, w)
		}
	}
	clear(r.stalled)
	return list
}
