package pipeline_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/slow"
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

// A largest flush is one that ends early at a limit.
type largestFlush struct {
	name    string
	limit   func(*pipeline.Options)
	records int // that fill it, about
	publish func(v *visibility, n int)
}

// largestFlushes are the two that limits make of default settings: one of sessions without breakdowns and raw events, by its items, and
// one of everything, by its bytes.
var largestFlushes = []largestFlush{
	{"items", func(o *pipeline.Options) {
		o.Settings.RawEvents, o.Settings.Breakdowns = false, 0
		o.Limits.StepItems = pipeline.DefaultLimits.StepItems / eighth
	}, pipeline.DefaultLimits.StepItems / eighth, func(v *visibility, n int) { v.publish(0, n) }},
	{"bytes", func(o *pipeline.Options) {
		o.Settings.RawEvents, o.Settings.RawPacked = true, true
		o.Limits.StepBytes = pipeline.DefaultLimits.StepBytes / eighth
	}, 10_400, func(v *visibility, n int) { v.publishPages(n) }},
}

// publishPages publishes n events of 40 sites, three in a session, with what browsers send.
func (v *visibility) publishPages(n int) {
	v.w.T.Helper()
	const agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	now := time.Now()
	var records []record
	for range n {
		i := len(v.at[0])
		v.at[0] = append(v.at[0], now)
		session := i / 3
		records = append(records, record{Key: "k", At: now, Value: mustJSON(map[string]any{
			"siteId": fmt.Sprint("site-", session%40), "type": "page_view", "timestamp": now.UnixMilli(), "id": fmt.Sprintf("%032x", i*7919),
			"visitorId": fmt.Sprintf("%032x", session*104729), "sessionId": fmt.Sprintf("%032x", session*15485863),
			"url": fmt.Sprintf("https://www.example.org/articles/page-%d?utm_source=newsletter", i%500), "title": fmt.Sprint("Page ", i%500),
			"userAgent": agent, "country": []string{"DE", "FR", "US"}[i%3]})})
	}
	v.w.Produce(records...)
}

// options are those under which the flush is measured, on a table that answers after five milliseconds.
func (f *largestFlush) options(w *world) (pipeline.Options, *metered) {
	m := &metered{Table: w.Table, ranges: none}
	o := w.Options()
	o.Table, o.StatsInterval = m, time.Hour
	f.limit(&o)
	o.Limits.InFlight = pipeline.DefaultLimits.InFlight / partitions / eighth
	o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
	return o, m
}

// heldKB is what states, with flushes under way, take in memory.
func heldKB(o *pipeline.Options) int {
	return int(testutil.ToFloat64(o.Metrics.Memory.Bytes.WithLabelValues("states"))) >> 10
}

// TestLargestFlushesAreDrainedInTime asks a process to end while a flush of the default limits is being written and the next one
// accumulates.
func TestLargestFlushesAreDrainedInTime(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for _, f := range largestFlushes[:slow.Of(t, 1, len(largestFlushes))] {
		t.Run(f.name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o, _ := f.options(w)
				v := newVisibility(w, 1)
				f.publish(v, 17*f.records/10)
				run := w.Start(o)
				for testutil.ToFloat64(o.Metrics.Writes.WithLabelValues(sinks.EntitySession)) == 0 {
					w.Pass(100 * time.Millisecond) // The first flush has been written, and the second one begins.
				}
				first, held := time.Since(bubbleStart), heldKB(&o)
				start := time.Now()
				run.Drain()
				took := time.Since(start)
				t.Logf("an eighth of the largest flush by %s was in the table %v after its first record was published, when %d KB were held; "+
					"the drain took %v", f.name, first, held, took)
				if took > drainBound {
					t.Errorf("the drain took %v, want %v at most", took, drainBound)
				}
				if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); !c.Done || c.Step != 2 {
					t.Errorf("stats checkpoint %+v, want step 2 done: else the test is void", c)
				}
				w.recounts(17 * f.records / 10)
			})
		})
	}
}

// TestLargestFlushIsRedone kills a process at the end of such a flush. The next owner has its own, smaller limits, and repeats
// the flush as it was begun.
func TestLargestFlushIsRedone(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for _, f := range largestFlushes[:slow.Of(t, 1, len(largestFlushes))] {
		t.Run(f.name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o, m := f.options(w)
				o.Table = &killOnStats{Table: m}
				v := newVisibility(w, 1)
				f.publish(v, 17*f.records/10)
				if err := w.Ends(o); !errors.Is(err, errKilled) {
					t.Fatalf("Run = %v, want the kill", err)
				}
				open := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
				o, _ = f.options(w)
				o.Limits.StepItems, o.Limits.StepBytes = o.Limits.StepItems/10, o.Limits.StepBytes/10
				start := time.Now()
				run := w.Start(o)
				w.until("the flush is redone", func() bool {
					return testutil.ToFloat64(o.Metrics.Redone.WithLabelValues(checkpoint.LaneStats)) == 1
				})
				t.Logf("an eighth of the largest flush by %s, %d records, was redone after %v, when %d KB were held", f.name, open.To-open.From,
					time.Since(start), heldKB(&o))
				if n := open.To - open.From; n < int64(f.records)*9/10 || n > int64(f.records)*11/10 {
					t.Errorf("the open flush has %d records, about %d are wanted: the test is void", n, f.records)
				}
				w.Settled()
				run.Drain()
				w.recounts(len(v.at[0]))
			})
		})
	}
}
