package pipeline_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestOverdueFlushDoesNotWaitForATick: after a pause in which no process owned the partitions, the next owner writes what waits in the log
// as soon as it has read it. After a handover without a pause, its flushes keep to the interval.
func TestOverdueFlushDoesNotWaitForATick(t *testing.T) {
	t.Parallel()
	const partitions = 16
	inWorld(t, partitions, func(t *testing.T, w *world) {
		number, err := sinks.EnsureTopic(t.Context(), w.table, sinks.Keys{}, w.topic)
		if err != nil {
			t.Fatal(err)
		}
		flushes := func() (list []int64) {
			for p := range int32(partitions) {
				list = append(list, w.checkpoint(sinks.TP{Topic: number, Partition: p}, checkpoint.LaneStats).Step)
			}
			return list
		}
		flushedSoon := func(o *process, seed uint64) (n int) {
			t.Helper()
			before := flushes()
			w.pass(5 * time.Second) // The partitions are acquired.
			w.produce(traffic(seed, partitions, 200, time.Now())...)
			w.pass(2 * time.Second)
			for i, step := range flushes() {
				if step > before[i] {
					n++
				}
			}
			w.settled()
			o.drain()
			return n
		}
		first := w.start(w.options())
		w.produce(traffic(1, partitions, 200, bubbleStart)...)
		w.settled()
		first.drain()
		if n := flushedSoon(w.start(w.options()), 2); n > partitions/2 {
			t.Errorf("%d of %d lanes flush within seconds after a handover, whose interval is a minute", n, partitions)
		}
		w.pass(10 * time.Minute)
		if n := flushedSoon(w.start(w.options()), 3); n != partitions {
			t.Errorf("%d of %d lanes flush as soon as they have read what waits, after a pause of ten minutes", n, partitions)
		}
	})
}
