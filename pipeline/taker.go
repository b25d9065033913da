package pipeline

import (
	"sync"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// taker takes partitions over: it acquires their chains and makes their workers.
type taker struct {
	*shared
	observed checkpoint.Duplicates // the window of duplicates that is only measured

	// What a takeover is to know of a partition. mu covers it, is never held across I/O, and may be taken while roster.mu is held.
	mu          sync.Mutex
	truncatedAt map[int32]int64            // where the log was found to be truncated, until that is looked at
	parking     map[int32]*checkpoint.Park // to be recorded when the partition is taken over next
	resumed     map[int32]checkpoint.Park  // what was parked last because of an item that had just been quarantined, and was resumed
	quiet       map[int32]checkpoint.Stand // where a later group's stats chain has stood still for quietAfter
	yielded     map[int32]bool             // what is left to a later group
}

func newTaker(common *shared, observed checkpoint.Duplicates) *taker {
	return &taker{shared: common, observed: observed, truncatedAt: make(map[int32]int64), parking: make(map[int32]*checkpoint.Park),
		resumed: make(map[int32]checkpoint.Park), quiet: make(map[int32]checkpoint.Stand),
		yielded: make(map[int32]bool)}
}

// forget drops what was found in the partition's log, and what the next takeover was to record.
func (t *taker) forget(partition int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.truncatedAt, partition)
	delete(t.parking, partition)
}

// truncated notes that a partition's log was found to end at an offset.
func (t *taker) truncated(partition int32, end int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, ok := t.truncatedAt[partition]; !ok || end < before {
		t.truncatedAt[partition] = end
	}
}

// toPark has the next takeover of a partition record why it is parked.
func (t *taker) toPark(partition int32, why *checkpoint.Park) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parking[partition] = why
}
