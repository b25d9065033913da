package pipeline

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/pipeline/telemetry"
)

// Metrics are what operators watch. NewMetrics registers them with a registry of the caller's.
type Metrics struct {
	telemetry.Metrics
	seal *seal.Metrics // of days and months
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	return &Metrics{*telemetry.NewMetrics(reg), seal.NewMetrics(reg)}
}

// What traces show of a flush.
type (
	Flush      = telemetry.Flush
	FlushPhase = telemetry.FlushPhase
)

// CalmEvents is for how many records an item of the realtime lane is worth writing at each interval. A lane that has fewer is calm:
// its flush waits for further ticks until it has as many, at most for Options.RealtimeMax after the flush's first record.
const CalmEvents = lanes.CalmEvents

// FormatMicros spells millionths as a decimal number without needless zeros: 1500000 is 1.5.
func FormatMicros(n int64) string { return outgoing.FormatMicros(n) }
