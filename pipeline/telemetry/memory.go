package telemetry

import "github.com/prometheus/client_golang/prometheus"

// MemoryMetrics show what the process holds for its partitions against the ceilings of Limits.
type MemoryMetrics struct {
	Bytes    *prometheus.GaugeVec // by kind: states, with flushes under way, or fetched, and not folded yet
	Ceiling  *prometheus.GaugeVec // by kind
	Released prometheus.Counter   // bytes of states that were let go above the ceiling
}

func newMemoryMetrics(r registry) *MemoryMetrics {
	return &MemoryMetrics{
		Bytes: r.gauges("memory_bytes", "Bytes in memory by kind: states (with flushes in progress) or fetched (not counted yet).", "kind"),
		Ceiling: r.gauges("memory_ceiling_bytes",
			"Ceiling of footfall_memory_bytes, by kind: limits.memoryBytes and limits.fetchedBytes.", "kind"),
		Released: r.counter("memory_released_bytes_total",
			"Bytes of states evicted early because limits.memoryBytes was reached. They are read again when a record needs them."),
	}
}
