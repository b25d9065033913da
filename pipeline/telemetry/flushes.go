package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
)

// FlushMetrics are about flushes and what they leave out.
type FlushMetrics struct {
	Steps          *prometheus.CounterVec   // settled steps, by lane
	Redone         *prometheus.CounterVec   // steps done again after a takeover, by lane
	Expired        *prometheus.CounterVec   // writes left out since the item's time to live had passed, by kind
	BreakdownsFull prometheus.Counter       // breakdowns written that have given up rows
	GoalsFull      prometheus.Counter       // goals that sessions met and did not reach, having reached all they can
	OldestIntent   prometheus.Gauge         // seconds since the oldest open step was begun
	Phases         *prometheus.HistogramVec // seconds of a flush's phase, by lane and phase
	Visible        *prometheus.HistogramVec // seconds from the arrival of a flush's first record until the flush is in the table, by lane
	Staleness      *prometheus.GaugeVec     // seconds since the first record came that is not in the table, by lane; the worst partition
}

func (r registry) flushes() FlushMetrics {
	return FlushMetrics{
		Steps:          r.counters("flushes_total", "lane", "Flushes completed."),
		Redone:         r.counters("redone_flushes_total", "lane", "Flushes that a new owner repeated after a takeover."),
		Expired:        r.counters("expired_writes_total", "kind", "Writes that were skipped because the item had expired."),
		BreakdownsFull: r.counter("breakdowns_full_total", "Breakdowns written that are full: some values have no row of their own."),
		GoalsFull: r.counter("goals_full_total", "Goals that were met and not counted, because the session has reached the maximum: 64, "+
			"or 128 with numbers below 128."),
		OldestIntent: r.gauge("open_flush_age_seconds", "Age of the oldest unfinished flush."),
		Phases: r.seconds("flush_seconds",
			"Time of a flush's Phases: cut (writes are made), intend (the checkpoint), apply (items), settle (raw and failed events).",
			"lane", "phase"),
		Visible: r.seconds("visible_seconds",
			"Time from the arrival of a flush's first record until the flush is in the table; no record of it waited longer.", "lane"),
		Staleness: r.gauges("staleness_seconds",
			"Time since the first record came that is not in the table yet, of the partition that waits longest; 0 if all are.", "lane"),
	}
}

// EndPhase notes how long a phase of a flush has taken, and returns when it ended.
func (m *FlushMetrics) EndPhase(lane, phase string, since time.Time) time.Time {
	now := time.Now()
	m.Phases.WithLabelValues(lane, phase).Observe(now.Sub(since).Seconds())
	return now
}

// CountPlanned notes what a step leaves out.
func (m *FlushMetrics) CountPlanned(c *plan.Counts) {
	for kind, n := range c.Expired {
		m.Expired.WithLabelValues(kind).Add(float64(n))
	}
	m.BreakdownsFull.Add(float64(c.BreakdownsFull))
	m.GoalsFull.Add(float64(c.GoalsFull))
}
