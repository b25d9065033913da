package pipeline_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestOverdueFlushDoesNotWaitForATick: when an owner has died in a flush and its interval is over, the next owner repeats the flush and
// writes what else waits in the log as soon as it has read it. After a handover, flushes keep to the interval.
func TestOverdueFlushDoesNotWaitForATick(t *testing.T) {
	t.Parallel()
	const partitions = 16
	inWorld(t, partitions, func(t *testing.T, w *world) {
		number, err := sinks.EnsureTopic(t.Context(), w.Table, sinks.Keys{}, w.Topic)
		if err != nil {
			t.Fatal(err)
		}
		heads := func() (list []checkpoint.Head) {
			for p := range int32(partitions) {
				list = append(list, w.Checkpoint(sinks.TP{Topic: number, Partition: p}, checkpoint.LaneStats))
			}
			return list
		}
		flushedSoon := func(o *process, seed uint64) (soon []int) {
			t.Helper()
			before := heads()
			w.Pass(5 * time.Second) // The partitions are acquired.
			w.Produce(traffic(seed, partitions, 200, time.Now())...)
			w.Pass(2 * time.Second)
			for i, h := range heads() {
				if h.Step > before[i].Step {
					soon = append(soon, i)
				}
			}
			w.Settled()
			o.Drain()
			return soon
		}
		first := w.Start(w.Options())
		w.Produce(traffic(1, partitions, 200, bubbleStart)...)
		w.Settled()
		first.Drain()
		if soon := flushedSoon(w.Start(w.Options()), 2); len(soon) > partitions/2 {
			t.Errorf("%d of %d lanes flush within seconds after a handover, whose interval is a minute", len(soon), partitions)
		}
		w.Produce(traffic(3, partitions, 200, time.Now())...)
		if err := w.Ends(w.With(&killOnStats{Table: w.Table}, 0)); !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		var open []int
		for i, h := range heads() {
			if !h.Done {
				open = append(open, i)
			}
		}
		w.Pass(10 * time.Minute)
		soon := flushedSoon(w.Start(w.Options()), 4)
		for _, p := range open {
			if !slices.Contains(soon, p) {
				t.Errorf("partition %d, whose owner died in a flush ten minutes ago, has no new flush; %v of %v have", p, soon, open)
			}
		}
		if len(open) == 0 {
			t.Error("no flush was open: the test is void")
		}
	})
}

// TestOverdueFlushCutByItsSize: after an owner has died in a flush, the next owner writes all that waits in the log, also where it takes
// several flushes and the last of them is small.
func TestOverdueFlushCutByItsSize(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		number, err := sinks.EnsureTopic(t.Context(), w.Table, sinks.Keys{}, w.Topic)
		if err != nil {
			t.Fatal(err)
		}
		head := func() checkpoint.Head { return w.Checkpoint(sinks.TP{Topic: number}, checkpoint.LaneStats) }
		w.Produce(traffic(1, 1, 50, bubbleStart)...)
		if err := w.Ends(w.With(&killOnStats{Table: w.Table}, 0)); !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		w.Pass(10 * time.Minute)
		const later = 1030
		w.Produce(traffic(2, 1, later, time.Now())...)
		o := w.Options()
		o.Limits.StepItems = 60
		next := w.Start(o)
		w.Pass(7 * time.Second)
		h := head()
		if h.To != 50+later {
			t.Errorf("%d of %d records are flushed soon, in step %d", h.To, 50+later, h.Step)
		}
		if h.Step < 3 {
			t.Errorf("step %d has the last record, want a flush that was cut by its size before it", h.Step)
		}
		next.Drain()
	})
}
