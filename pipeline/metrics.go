package pipeline

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// Metrics are what operators watch. NewMetrics registers them with a registry of the caller's.
type Metrics struct {
	Records         *prometheus.CounterVec // by outcome: counted, duplicate, rejected, redone
	Rejected        *prometheus.CounterVec // by reason
	Notes           *prometheus.CounterVec // odd but counted events, by note
	Bots            *prometheus.CounterVec // counted events of bots, by how they were recognised
	OverBudget      prometheus.Counter     // counted events beyond the budgets of their sites
	Sessionless     prometheus.Counter     // counted events without a usable sessionId
	Keyless         prometheus.Counter     // records without a Kafka key
	Duplicates      prometheus.Histogram   // how many positions after its event's last sighting a record repeats it
	BreakdownsFull  prometheus.Counter     // breakdowns written that have given up rows
	GoalsFull       prometheus.Counter     // goals that sessions met and did not reach, having reached all they can
	Trimmed         prometheus.Counter     // takeovers that could not read all of the window of duplicates
	Expired         *prometheus.CounterVec // writes left out since the item's time to live had passed, by kind
	Steps           *prometheus.CounterVec // settled steps, by lane
	Redone          *prometheus.CounterVec // steps done again after a takeover, by lane
	Fenced          prometheus.Counter     // chains lost to another owner
	Throttles       *prometheus.CounterVec // by reason
	Retries         prometheus.Counter     // requests sent again
	Units           *prometheus.CounterVec // write units consumed, by item kind
	Writes          *prometheus.CounterVec // answered writes, by item kind
	ReadUnits       prometheus.Counter     // read units consumed by states that are loaded, and by sealing
	Lag             *prometheus.GaugeVec   // records up to the high watermark that are not folded, by partition
	LagSeconds      *prometheus.GaugeVec   // how long the first of them has been in the log, by partition; 0 when there is no lag
	OpenTransaction *prometheus.GaugeVec   // records after the last stable offset, by partition
	Yielded         *prometheus.GaugeVec   // 1 for each partition that is left to another group
	FetchRestarts   prometheus.Counter     // restarts of a partition's fetching that had stalled
	OldestIntent    prometheus.Gauge       // seconds since the oldest open step was begun
	Staleness       *prometheus.GaugeVec   // seconds since the lane last settled with records waiting, by lane; the worst partition
	Partitions      prometheus.Gauge       // partitions owned
	Parked          *prometheus.GaugeVec   // 1 for each partition that is parked, by partition and reason
	States          *prometheus.GaugeVec   // states in memory, by lane, in sessions
	QueueBytes      prometheus.Gauge       // fetched and not yet folded
	Memory          *MemoryMetrics         // what is held, and its ceilings
	Quarantined     *prometheus.CounterVec // damaged parts that the pipeline quarantined, by kind
	seal            *seal.Metrics          // of days and months
	RulesRevision   prometheus.Gauge       // of the rules of sites, the last that is known
	RulesAge        prometheus.Gauge       // seconds since they were last read
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footfall", Name: name, Help: help})
		reg.MustRegister(c)
		return c
	}
	counters := func(name, label, help string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footfall", Name: name, Help: help}, []string{label})
		reg.MustRegister(c)
		return c
	}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "footfall", Name: name, Help: help})
		reg.MustRegister(g)
		return g
	}
	gauges := func(name, label, help string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "footfall", Name: name, Help: help}, []string{label})
		reg.MustRegister(g)
		return g
	}
	parked := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "footfall", Name: "partition_parked",
		Help: "1 for each partition that is parked and waits for an operator, by reason: gap, read, item or release. See footfall status."},
		[]string{"partition", "reason"})
	reg.MustRegister(parked)
	distances := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "footfall", Name: "duplicate_distance_records",
		Help:    "Positions between a record and the one before it with the same siteId and id, within the window, acted on or only observed.",
		Buckets: prometheus.ExponentialBuckets(1, 4, 13)}) // to 16,777,216, beyond every window
	reg.MustRegister(distances)
	m := &Metrics{
		Duplicates: distances,
		Records: counters("records_total", "outcome",
			"Records processed, by outcome. Records of a repeated flush count again, as redone."),
		Rejected: counters("rejected_total", "reason", "Records rejected, by reason."),
		Notes:    counters("notes_total", "note", "Counted events with an oddity, by note: unusable_field, cut or unknown_key."),
		OverBudget: counter("over_budget_events_total",
			"Counted events above the budget of their site. They are in no session and no breakdown."),
		Bots:           counters("bot_events_total", "by", "Counted events of bots, by how they were detected: agent, referrer or rate."),
		Sessionless:    counter("sessionless_total", "Counted events without a usable sessionId. With visits.gap they belong to visits."),
		Keyless:        counter("keyless_total", "Records without a Kafka key, whose sessions may be split over partitions."),
		BreakdownsFull: counter("breakdowns_full_total", "Breakdowns written that are full: some values have no row of their own."),
		GoalsFull: counter("goals_full_total", "Goals that were met and not counted, because the session has reached the maximum: 64, "+
			"or 128 with numbers below 128."),
		Trimmed:   counter("trimmed_warmups_total", "Takeovers at which the log held less than duplicates.window."),
		Expired:   counters("expired_writes_total", "kind", "Writes that were skipped because the item had expired."),
		Steps:     counters("flushes_total", "lane", "Flushes completed."),
		Redone:    counters("redone_flushes_total", "lane", "Flushes that a new owner repeated after a takeover."),
		Fenced:    counter("fenced_total", "Lanes lost to another owner."),
		Throttles: counters("throttled_requests_total", "reason", "Requests that the table refused for lack of capacity."),
		Retries:   counter("retries_total", "Requests that were retried after a throttle or an unknown outcome."),
		Units:     counters("consumed_write_units_total", "kind", "Write units consumed, by item kind."),
		Writes:    counters("writes_total", "kind", "Completed writes, by item kind. Each item of a batch counts."),
		ReadUnits: counter("consumed_read_units_total", "Read units consumed by loading states and by sealing."),
		Lag:       gauges("lag_records", "partition", "Records up to the high watermark that are not counted yet."),
		LagSeconds: gauges("lag_seconds", "partition",
			"Age in the log of the next record to be counted, sampled every 10 s; 0 without lag."),
		OpenTransaction: gauges("last_stable_offset_lag_records", "partition",
			"Records from the last stable offset to the high watermark: an open transaction holds them up."),
		Yielded:       gauges("yielded", "partition", "1 for each partition that another consumer group has taken over."),
		FetchRestarts: counter("fetch_restarts_total", "Restarts of a partition's stalled fetching."),
		Parked:        parked,
		OldestIntent:  gauge("open_flush_age_seconds", "Age of the oldest unfinished flush."),
		Staleness: gauges("staleness_seconds", "lane",
			"Time since the last flush of the partition that waits longest with records to count."),
		Partitions:    gauge("partitions", "Partitions owned by this process."),
		States:        gauges("states", "lane", "States in memory, in units of a session: an hour counts as 32, a minute as 5."),
		QueueBytes:    gauge("queue_bytes", "Bytes fetched and not counted yet."),
		RulesRevision: gauge("rules_revision", "Newest revision of the site settings that the process has read."),
		RulesAge:      gauge("rules_age_seconds", "Time since the site settings were last read; the process ends at 43,200."),
	}
	m.Memory = newMemoryMetrics(reg)
	m.Quarantined = counters("damaged_total", "kind", "Damaged items that the pipeline quarantined, by kind; their content is lost.")
	m.seal = seal.NewMetrics(reg)
	for _, r := range event.Reasons { // Show every reason from the start: alerts need the zero.
		m.Rejected.WithLabelValues(string(r))
	}
	for _, by := range []aggregate.Bot{aggregate.BotAgent, aggregate.BotReferrer, aggregate.BotRate} {
		m.Bots.WithLabelValues(string(by))
	}
	for _, lane := range checkpoint.Lanes {
		m.Steps.WithLabelValues(lane)
		m.Redone.WithLabelValues(lane)
	}
	return m
}

func (m *Metrics) throttled(reasons []string) {
	for _, r := range reasons {
		m.Throttles.WithLabelValues(r).Inc()
	}
}

func (m *Metrics) units(kind string, units float64) {
	if units > 0 {
		m.Units.WithLabelValues(kind).Add(units)
	}
}

// planned notes what a step leaves out.
func (m *Metrics) planned(c *aggregate.Counts) {
	for kind, n := range c.Expired {
		m.Expired.WithLabelValues(kind).Add(float64(n))
	}
	m.BreakdownsFull.Add(float64(c.BreakdownsFull))
	m.GoalsFull.Add(float64(c.GoalsFull))
}

// note counts each note of an event.
func (m *Metrics) note(n event.Notes) {
	for _, x := range []struct {
		note event.Notes
		name string
	}{{event.NoteUnusableField, "unusable_field"}, {event.NoteCut, "cut"}, {event.NoteUnknownKey, "unknown_key"}} {
		if n&x.note != 0 {
			m.Notes.WithLabelValues(x.name).Inc()
		}
	}
}
