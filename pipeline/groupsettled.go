package pipeline

import (
	"math"
)

// settled is how far the partitions of this process are, parked ones included.
func (r *roster) settled() map[int32]settledTo {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[int32]settledTo)
	for n, w := range r.workers {
		if at := w.settled.Load(); at != nil {
			all[n] = *at
		}
	}
	for n, still := range r.parked {
		if still.next > 0 {
			all[n] = settledTo{topicID: still.topicID, offset: still.next}
		}
	}
	return all
}

// compareCommitted reports a partition whose committed offset is not where its checkpoints are, once a takeover. A flush that the
// checkpoint has as open may have been settled.
func (o *owned) compareCommitted(committed int64) {
	low, high := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, l := range o.lanes {
		low = min(low, l.Durable-l.Base)
		high = min(high, max(l.Durable, l.Chain.Head.To)-l.Base)
	}
	switch {
	case committed < 0 || low <= committed && committed <= high:
	case o.stats.Chain.Head.Epoch == 1: // The first takeover that the table knows.
		o.log.Info("the table has not counted this partition before: the group's committed offset is not used, it is of another table or of "+
			"another program", "partition", o.partition, "committed", committed, "from", low)
	default:
		o.log.Info("the group's committed offset is not where the checkpoint is, which decides: the group was reset, or the last commit was "+
			"lost; neither recounts anything", "partition", o.partition, "committed", committed, "checkpoint", low)
	}
}
