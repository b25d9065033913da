package pipeline_test

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// The largest flush is measured at an eighth of its size: its items and the requests in flight are an eighth of what a
// partition has in a process of eight. Each round of requests takes five milliseconds.
const (
	eighth     = 8
	partitions = 8 // of the process

	drainBound = 30 * time.Second // of a drain's open flushes; the group waits for a minute
)

// largest are the options under which flushes are measured, on a table that answers after five milliseconds.
func largest(w *world) (pipeline.Options, *metered) {
	m := &metered{Table: w.table, ranges: none}
	o := w.options()
	o.Table, o.Settings.RawEvents, o.Settings.Breakdowns = m, false, 0
	o.Limits.StepItems = pipeline.DefaultLimits.StepItems / eighth
	o.Limits.InFlight = pipeline.DefaultLimits.InFlight / partitions / eighth
	o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
	return o, m
}

// TestLargestFlushesAreDrainedInTime asks a process to end while a flush of the default limits.flushItems is being written
// and the next one accumulates.
func TestLargestFlushesAreDrainedInTime(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o, _ := largest(w)
		run := w.start(o)
		v := newVisibility(w, 1)
		v.publish(0, 2*o.Limits.StepItems)
		for testutil.ToFloat64(o.Metrics.Writes.WithLabelValues(sinks.EntitySession)) == 0 {
			w.pass(100 * time.Millisecond) // The first flush has been written, and the second one begins.
		}
		first := time.Since(bubbleStart)
		start := time.Now()
		run.drain()
		took := time.Since(start)
		t.Logf("a flush of %d items was in the table %v after its first record was published; the drain took %v", o.Limits.StepItems*eighth,
			first, took)
		if took > drainBound {
			t.Errorf("the drain took %v, want %v at most", took, drainBound)
		}
		if c := w.checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); !c.Done || c.Step != 2 {
			t.Errorf("stats checkpoint %+v, want step 2 done: else the test is void", c)
		}
		w.recounts(2 * o.Limits.StepItems)
	})
}

// TestLargestFlushIsRedone kills a process at the end of such a flush. The next owner has its own, smaller limits, and repeats
// the flush as it was begun.
func TestLargestFlushIsRedone(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o, m := largest(w)
		o.Table = &killOnStats{Table: m}
		v := newVisibility(w, 1)
		v.publish(0, o.Limits.StepItems+chunk)
		if err := w.ends(o); !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		open := w.checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		o, _ = largest(w)
		o.Limits.StepItems /= 10
		start := time.Now()
		run := w.start(o)
		w.until("the flush is redone", func() bool {
			return testutil.ToFloat64(o.Metrics.Redone.WithLabelValues(checkpoint.LaneStats)) == 1
		})
		t.Logf("%d records of %d items were redone after %v", open.To-open.From, o.Limits.StepItems*10*eighth, time.Since(start))
		if open.To-open.From < int64(o.Limits.StepItems)*9 {
			t.Errorf("the open flush has %d records: the test is void", open.To-open.From)
		}
		run.drain()
		w.recounts(len(v.at[0]))
	})
}

// chunk is more than what may be folded after the record that reaches a limit.
const chunk = 300
