package pipeline

import (
	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/sinks"
)

// owned is a partition with its lanes. Its methods touch nothing of what the worker reads and folds.
type owned struct {
	*shared
	partition int32
	tp        sinks.TP
	topicID   [16]byte
	topicHex  string
	lanes     []*lanes.Lane
	stats     *lanes.Lane   // the one of lanes that raw events, failed events and totals go with
	wake      chan struct{} // something was answered or queued
}

func (o *owned) signal() {
	select {
	case o.wake <- struct{}{}:
	default: // It is awake already.
	}
}

// Packed raw events are written by the flush that counts them, after its intent and before the next. So they are exactly the events of
// the flush under its recorded settings, and need no mark: who repeats the flush overwrites them with the same events. Neither the clock
// nor the compressor decides which packs there are.

// packed makes the packs of a flush. A pack whose last event has expired is left out, as items are.
func (o *owned) packed(b *pack.Builder, step int64) (writes []plan.Write) {
	if b.Len() == 0 {
		return nil
	}
	now, expired := o.now().Unix(), 0
	for it, expiry := range b.Items(pack.Place{Keys: o.keys, Topic: o.topic, TP: o.tp, Step: step}) {
		if expiry > 0 && expiry <= now {
			expired++
			continue
		}
		writes = append(writes, plan.Write{Kind: sinks.EntityPack, Item: it})
	}
	if expired > 0 {
		o.metrics.Expired.WithLabelValues(sinks.EntityPack).Add(float64(expired))
	}
	return writes
}
