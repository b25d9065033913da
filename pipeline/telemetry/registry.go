package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// registry makes metrics of footfall and registers them.
type registry struct{ promauto.Factory }

func (r registry) counter(name, help string) prometheus.Counter {
	return r.NewCounter(prometheus.CounterOpts{Namespace: "footfall", Name: name, Help: help})
}

func (r registry) counters(name, label, help string) *prometheus.CounterVec {
	return r.NewCounterVec(prometheus.CounterOpts{Namespace: "footfall", Name: name, Help: help}, []string{label})
}

func (r registry) gauge(name, help string) prometheus.Gauge {
	return r.NewGauge(prometheus.GaugeOpts{Namespace: "footfall", Name: name, Help: help})
}

func (r registry) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return r.NewGaugeVec(prometheus.GaugeOpts{Namespace: "footfall", Name: name, Help: help}, labels)
}

func (r registry) seconds(name, help string, labels ...string) *prometheus.HistogramVec {
	return r.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footfall", Name: name, Help: help,
		Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 14)}, labels) // 1 ms to 149 s
}
