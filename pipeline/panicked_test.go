package pipeline_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// tornRead answers the first read of a breakdown with one that lacks what sessions have booked. A new owner takes the partition over while
// that answer is under way.
type tornRead struct {
	sinks.Table
	key      sinks.Key
	takeOver sync.Once
	taken    error
}

func (x *tornRead) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := x.Table.BatchGet(ctx, g)
	if it, ok := r.Items[x.key]; ok && err == nil {
		x.takeOver.Do(func() {
			none, err := sketch.PackBreakdown(sketch.NewBreakdown(checkpoint.DefaultSettings().Breakdowns))
			it = maps.Clone(it)
			it[sinks.AttrPart] = sinks.Bytes(none)
			r.Items[x.key] = it
			if x.taken = err; err == nil {
				_, x.taken = x.Update(ctx, sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats),
					Add: []sinks.Attr{{Name: checkpoint.AttrEpoch, Value: sinks.Int(1)}}})
			}
		})
	}
	return r, err
}

// An owner that has read items of before and after another's takeover finds an impossible state. It gives the partition up as after any
// takeover, and the process continues.
func TestPanicAfterATakeoverIsAFence(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.With(w.Table, 0), []record{visitTo("v", "a", "/1", "1", bubbleStart)})
		table := &tornRead{Table: w.Table, key: sinks.Keys{}.Breakdown("s", bubbleStart.UnixMilli(), sinks.TP{Topic: 1})}
		run := w.Start(w.With(table, 0))
		w.Produce(visitTo("v", "a", "/2", "2", bubbleStart.Add(time.Second)))
		w.until("the partition was taken over", func() bool { return w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats).Epoch > 2 })
		w.Settled()
		run.Drain()
		if table.taken != nil {
			t.Error(table.taken)
		}
		w.recounts(2)
	})
}
