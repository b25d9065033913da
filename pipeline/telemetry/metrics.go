package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// Metrics are what operators watch. NewMetrics registers them with a registry of the caller's.
type Metrics struct {
	RecordMetrics
	FlushMetrics
	TableMetrics
	PartitionMetrics
	ProcessMetrics
	Outage *prometheus.GaugeVec // seconds for which a service has not answered; 0 for the first 10 s
}

// The services whose outages are noticed.
const (
	ServiceTable    = "table"
	ServiceBrokers  = "brokers"
	ServiceRegistry = "schema registry"
)

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	r := registry{promauto.With(reg)}
	m := &Metrics{r.records(), r.flushes(), r.table(), r.partitions(), r.process(), r.outage()}
	m.begin()
	return m
}

func (r registry) outage() *prometheus.GaugeVec {
	return r.gauges("outage_seconds", "Time for which no request to the table, brokers or schema registry was answered; 0 below 10 s.",
		"service")
}

// begin shows from the start every series whose labels are known: a rate of what has just appeared is none, and alerts need the zero.
func (m *Metrics) begin() {
	for _, outcome := range []string{"counted", "duplicate", "rejected", "redone"} {
		m.Records.WithLabelValues(outcome)
	}
	for _, r := range event.Reasons {
		m.Rejected.WithLabelValues(string(r))
	}
	for _, name := range event.AllNotes.Names() {
		m.Notes.WithLabelValues(name)
	}
	for _, by := range []aggregate.Bot{aggregate.BotAgent, aggregate.BotReferrer, aggregate.BotRate} {
		m.Bots.WithLabelValues(string(by))
	}
	for _, reason := range slices.Concat(sinks.ThrottleReasons(), []string{otherReason}) {
		m.Throttles.WithLabelValues(reason)
	}
	for _, kind := range []string{sinks.EntityUniques, sinks.EntityBreakdown, sinks.EntityRealtime} {
		m.Quarantined.WithLabelValues(kind)
	}
	for _, service := range []string{ServiceTable, ServiceBrokers, ServiceRegistry} {
		m.Outage.WithLabelValues(service)
	}
	for _, operation := range operations {
		m.Requests.WithLabelValues(operation)
	}
	for _, lane := range checkpoint.Lanes {
		m.Steps.WithLabelValues(lane)
		m.Redone.WithLabelValues(lane)
		m.Staleness.WithLabelValues(lane)
		m.States.WithLabelValues(lane)
		m.Visible.WithLabelValues(lane)
		for _, phase := range Phases {
			m.Phases.WithLabelValues(lane, phase)
		}
	}
}
