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
		o := w.Options()
		o.Table = &via{w.Table, func(ctx context.Context, _ request, pass func(context.Context) error) error {
			if away.Load() {
				return throttled(ctx)
			}
			return pass(ctx)
		}}
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		stale := func(lane string) float64 { return testutil.ToFloat64(o.Metrics.Staleness.WithLabelValues(lane)) }
		run := w.Start(o)
		w.Produce(traffic(1, 2, 10, bubbleStart)...)
		w.Settled()
		w.Pass(5 * time.Minute)
		for _, lane := range checkpoint.Lanes {
			if have := stale(lane); have != 0 {
				t.Errorf("lane %s is %v s stale on an idle topic", lane, have)
			}
		}
		away.Store(true)
		late := traffic(2, 1, 1, time.Now())
		w.Produce(late...)
		came := time.Now()
		for range 2 {
			w.Pass(100 * time.Second)
			for _, lane := range checkpoint.Lanes {
				if have, want := stale(lane), time.Since(came).Seconds(); have < want-2 || have > want {
					t.Errorf("lane %s is %v s stale, want %v: its only record waits so long", lane, have, want)
				}
			}
		}
		away.Store(false)
		for range 120 {
			w.Pass(time.Second)
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
		run.Drain()
	})
}
