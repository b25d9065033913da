package watch

import "github.com/prometheus/client_golang/prometheus"

// Metrics are what operators watch.
type Metrics struct {
	Attempts *prometheus.CounterVec // attempts to send a finding, by result
	Unsent   prometheus.Gauge       // findings that are to be sent
	Waiting  prometheus.Gauge       // sites that wait for partitions
}

// Results of attempts.
const (
	accepted = "accepted"
	refused  = "refused"  // it is tried again
	givenUp  = "given_up" // after a day
)

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		Attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footfall", Name: "alert_deliveries_total",
			Help: "Attempts to send a finding of an alert to its webhook, by result: accepted, refused (tried again) or given_up (after a day)."},
			[]string{"result"}),
		Unsent: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "footfall", Name: "alert_unsent_findings",
			Help: "Findings of alerts that are still to be sent to webhooks."}),
		Waiting: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "footfall", Name: "alert_waiting_sites",
			Help: "Sites whose alerts are not judged, because a partition with their events is not counted."}),
	}
	reg.MustRegister(m.Attempts, m.Unsent, m.Waiting)
	for _, result := range []string{accepted, refused, givenUp} {
		m.Attempts.WithLabelValues(result)
	}
	return m
}
