package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/sinks"
)

// TableMetrics are about the requests to the table.
type TableMetrics struct {
	Throttles   *prometheus.CounterVec   // by reason
	Retries     prometheus.Counter       // requests sent again
	Units       *prometheus.CounterVec   // write units consumed, by item kind
	Writes      *prometheus.CounterVec   // answered writes, by item kind
	ReadUnits   prometheus.Counter       // read units consumed by states that are loaded, and by sealing
	Requests    *prometheus.HistogramVec // seconds of a request, by operation; each try counts
	Quarantined *prometheus.CounterVec   // damaged parts that the pipeline quarantined, by kind
}

func (r registry) table() TableMetrics {
	return TableMetrics{
		Throttles: r.counters("throttled_requests_total", "reason", "Requests that the table refused for lack of capacity."),
		Retries:   r.counter("retries_total", "Requests that were retried after a throttle or an unknown outcome."),
		Units:     r.counters("consumed_write_units_total", "kind", "Write units consumed, by item kind."),
		Writes:    r.counters("writes_total", "kind", "Completed writes, by item kind. Each item of a batch counts."),
		ReadUnits: r.counter("consumed_read_units_total", "Read units consumed by loading states and by sealing."),
		Requests: r.seconds("request_seconds", "Time of requests to the table, by operation. Each try counts, whatever the answer.",
			"operation"),
		Quarantined: r.counters("damaged_total", "kind",
			"Damaged items that the pipeline quarantined, by kind; their content is lost."),
	}
}

// The requests to the table, as the label operation names them.
const (
	OpUpdate   = "update"
	OpPut      = "put"
	OpDelete   = "delete"
	OpBatchPut = "batch_put"
	OpBatchGet = "batch_get"
	OpQuery    = "query"
)

var operations = []string{OpUpdate, OpPut, OpDelete, OpBatchPut, OpBatchGet, OpQuery}

// otherReason stands for reasons of throttles that DynamoDB may name one day.
const otherReason = "other"

// CountThrottles counts a refusal by each of its reasons.
func (m *TableMetrics) CountThrottles(reasons []string) {
	for _, r := range reasons {
		if !slices.Contains(sinks.ThrottleReasons(), r) {
			r = otherReason
		}
		m.Throttles.WithLabelValues(r).Inc()
	}
}

// CountUnits counts write units, by the kind of what was written.
func (m *TableMetrics) CountUnits(kind string, units float64) {
	if units > 0 {
		m.Units.WithLabelValues(kind).Add(units)
	}
}
