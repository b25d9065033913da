package telemetry

import "github.com/prometheus/client_golang/prometheus"

// ProcessMetrics are about what the process holds in memory, and about the site settings that it has read.
type ProcessMetrics struct {
	States        *prometheus.GaugeVec // states in memory, by lane
	QueueBytes    prometheus.Gauge     // fetched and not yet folded
	Memory        *MemoryMetrics       // what is held, and its ceilings
	RulesRevision prometheus.Gauge     // of the rules of sites, the last that is known
	RulesAge      prometheus.Gauge     // seconds since they were last read
}

func (r registry) process() ProcessMetrics {
	return ProcessMetrics{
		States:        r.gauges("states", "States in memory: sessions, visitors, hours and minutes.", "lane"),
		QueueBytes:    r.gauge("queue_bytes", "Bytes fetched and not counted yet."),
		Memory:        newMemoryMetrics(r),
		RulesRevision: r.gauge("rules_revision", "Newest revision of the site settings that the process has read."),
		RulesAge:      r.gauge("rules_age_seconds", "Time since the site settings were last read; the process ends at 43,200."),
	}
}

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
