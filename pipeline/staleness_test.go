package pipeline_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// TestStalenessCountsFromTheFirstRecordThatWaits: the table goes away while the topic is idle, so that the next record cannot even be
// folded. Its wait shows from the start, and until the record is in the table.
func TestStalenessCountsFromTheFirstRecordThatWaits(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		var away atomic.Bool
		o := w.options()
		o.Table = &via{w.table, func(ctx context.Context, _ request, pass func(context.Context) error) error {
			if away.Load() {
				return throttled(ctx)
			}
			return pass(ctx)
		}}
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		stale := func(lane string) float64 { return testutil.ToFloat64(o.Metrics.Staleness.WithLabelValues(lane)) }
		run := w.start(o)
		w.produce(traffic(1, 2, 10, bubbleStart)...)
		w.settled()
		w.pass(5 * time.Minute)
		for _, lane := range checkpoint.Lanes {
			if have := stale(lane); have != 0 {
				t.Errorf("lane %s is %v s stale on an idle topic", lane, have)
			}
		}
		away.Store(true)
		late := traffic(2, 1, 1, time.Now())
		w.produce(late...)
		came := time.Now()
		for range 2 {
			w.pass(100 * time.Second)
			for _, lane := range checkpoint.Lanes {
				if have, want := stale(lane), time.Since(came).Seconds(); have < want-2 || have > want {
					t.Errorf("lane %s is %v s stale, want %v: its only record waits so long", lane, have, want)
				}
			}
		}
		away.Store(false)
		for range 120 {
			w.pass(time.Second)
			for _, lane := range checkpoint.Lanes {
				if have, want := stale(lane), time.Since(came).Seconds(); have != 0 && have < want-2 {
					t.Fatalf("lane %s is %v s stale %v s after its only record came, want 0 or that", lane, have, want)
				}
			}
		}
		for _, lane := range checkpoint.Lanes {
			if have := stale(lane); have != 0 {
				t.Errorf("lane %s is %v s stale two minutes after the outage", lane, have)
			}
		}
		run.drain()
	})
}
