package requests

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/pipeline/telemetry"
	"github.com/footfall/footfall/sinks"
)

// answering takes every update at once.
type answering struct{ sinks.Table }

func (answering) Update(context.Context, sinks.Update) (sinks.Result, error) {
	return sinks.Result{Units: 1}, nil
}

// BenchmarkSend measures what a guarded update costs beside the table's own work: its place among those in flight, the metrics, and
// the retries that it does not need.
func BenchmarkSend(b *testing.B) {
	s := NewSender(answering{}, 64, telemetry.NewMetrics(prometheus.NewRegistry()))
	var p Pulse
	u := sinks.Update{Key: sinks.Key{PK: "p", SK: "s"}, If: []sinks.Cond{{Attr: "m", Op: sinks.AbsentOrLess, Value: sinks.Int(7)}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Update(b.Context(), &p, sinks.EntityStats, u); err != nil {
			b.Fatal(err)
		}
	}
}
