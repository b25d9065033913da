package pipeline

import (
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// takeovers are those of the partitions of this process, as the group's commits have them and since.
type takeovers struct {
	mu sync.Mutex
	of map[int32]checkpoint.Takeovers
}

// fetched takes what the group's last commits say.
func (t *takeovers) fetched(r *kmsg.OffsetFetchResponse) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add := func(partition int32, metadata *string) {
		if metadata != nil {
			t.of[partition] = t.of[partition].With(checkpoint.ReadTakeovers(*metadata)...).Recent(time.Now())
		}
	}
	for _, topic := range r.Topics {
		for _, p := range topic.Partitions {
			add(p.Partition, p.Metadata)
		}
	}
	for _, group := range r.Groups {
		for _, topic := range group.Topics {
			for _, p := range topic.Partitions {
				add(p.Partition, p.Metadata)
			}
		}
	}
}

// add adds that of a worker that has just become the owner.
func (t *takeovers) add(w *worker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := checkpoint.Takeover{At: time.Now().UTC().Truncate(time.Second), Epoch: w.stats.Chain.Head.Epoch, Owner: w.stats.Chain.Head.Owner}
	for _, l := range w.lanes {
		if l.Redo {
			one.Repeats = append(one.Repeats, l.Name)
		}
	}
	t.of[w.partition] = t.of[w.partition].With(one).Recent(one.At)
}

// metadata is that of a commit of a partition.
func (t *takeovers) metadata(partition int32, flushes string) *string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return kmsg.StringPtr(t.of[partition].Metadata(flushes, time.Now()))
}
