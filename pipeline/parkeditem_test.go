package pipeline_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// beforePark runs a function right before the request that records why a partition is parked.
type beforePark struct {
	sinks.Table
	run func()
}

func (t *beforePark) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if slices.ContainsFunc(u.Set, func(a sinks.Attr) bool { return a.Name == checkpoint.AttrPark }) {
		t.run()
	}
	return t.Table.Update(ctx, u)
}

// An owner that has read a damaged item parks its partition after the quarantine of the item has looked for parked partitions. The
// partition continues nevertheless.
func TestQuarantineWhileItsPartitionIsBeingParked(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		s := newSpy(w.Table)
		records := traffic(31, 2, 300, bubbleStart)
		w.Folded(w.With(s, 0), records[:200])
		mark := sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: 1})
		keys := w.damage(s, sinks.AttrCur, "truncated", func(it sinks.Item) bool {
			return it[sinks.AttrEntity].Str() == sinks.EntitySession && it[mark].Kind() != sinks.None
		})
		var resumed []int32
		o := w.With(s, 0)
		o.Table = &beforePark{o.Table, sync.OnceFunc(func() {
			for _, key := range keys {
				done, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: w.Topic, Table: w.Table, Key: key})
				if err != nil {
					t.Errorf("Item(%v) = %v", key, err)
				}
				resumed = append(resumed, done.Resumed...)
			}
		})}
		w.Produce(records[200:]...)
		run := w.Start(o)
		w.Pass(time.Minute)
		if err := w.Behind(); err != nil {
			t.Error(err)
		}
		run.Drain()
		if resumed != nil {
			t.Errorf("the quarantine has resumed %v, so that nothing is shown", resumed)
		}
		w.wantLost(keys)
	})
}
