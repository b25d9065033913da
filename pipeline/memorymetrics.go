package pipeline

import "github.com/prometheus/client_golang/prometheus"

// MemoryMetrics show what the process holds for its partitions against the ceilings of Limits.
type MemoryMetrics struct {
	Bytes    *prometheus.GaugeVec // by kind: states, with flushes under way, or fetched, and not folded yet
	Ceiling  *prometheus.GaugeVec // by kind
	Released prometheus.Counter   // bytes of states that were let go above the ceiling
}

func newMemoryMetrics(reg prometheus.Registerer) *MemoryMetrics {
	gauges := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "footfall", Name: name, Help: help}, []string{"kind"})
	}
	m := &MemoryMetrics{
		Bytes:   gauges("memory_bytes", "Bytes in memory by kind: states (with flushes in progress) or fetched (not counted yet)."),
		Ceiling: gauges("memory_ceiling_bytes", "Ceiling of footfall_memory_bytes, by kind: limits.memoryBytes and limits.fetchedBytes."),
		Released: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footfall", Name: "memory_released_bytes_total",
			Help: "Bytes of states evicted early because limits.memoryBytes was reached. They are read again when a record needs them."}),
	}
	reg.MustRegister(m.Bytes, m.Ceiling, m.Released)
	return m
}

// show publishes what is held, and the ceilings.
func (b *budget) show(m *MemoryMetrics) {
	for _, x := range []struct {
		kind          string
		held, ceiling int64
	}{{"states", b.held.Load(), b.ceiling}, {"fetched", b.fetched.Load(), b.fetchedCeiling}} {
		m.Bytes.WithLabelValues(x.kind).Set(float64(x.held))
		m.Ceiling.WithLabelValues(x.kind).Set(float64(x.ceiling))
	}
}
