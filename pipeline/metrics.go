package pipeline

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/seal"
)

// Metrics are what operators watch. NewMetrics registers them with a registry of the caller's.
type Metrics struct {
	Records         *prometheus.CounterVec // by outcome: counted, duplicate, rejected, redone
	Rejected        *prometheus.CounterVec // by reason
	Notes           *prometheus.CounterVec // odd but counted events, by note
	Bots            *prometheus.CounterVec // counted events of bots, by what tells them
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
	Parked          *prometheus.GaugeVec   // 1 for each partition that is parked
	ParkedFor       *prometheus.GaugeVec   // the same, by partition and reason
	States          *prometheus.GaugeVec   // states in memory, by lane, in sessions
	QueueBytes      prometheus.Gauge       // fetched and not yet folded
	Memory          *MemoryMetrics         // what is held, and its ceilings
	Quarantined     *prometheus.CounterVec // damaged parts that the pipeline quarantined, by kind
	Seal            *seal.Metrics          // of days and months
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
		Help: "1 for each partition that is parked, by reason: gap, read, item or release."}, []string{"partition", "reason"})
	reg.MustRegister(parked)
	distances := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "footfall", Name: "duplicate_distance_records",
		Help:    "Positions between a record and the one before it with the same siteId and id, within the window, acted on or only observed.",
		Buckets: prometheus.ExponentialBuckets(1, 4, 13)}) // to 16,777,216, beyond every window
	reg.MustRegister(distances)
	m := &Metrics{
		Duplicates:      distances,
		Records:         counters("records_total", "outcome", "Records folded, by outcome; a redo counts again, as redone."),
		Rejected:        counters("rejected_total", "reason", "Records rejected, by reason."),
		Notes:           counters("notes_total", "note", "Odd but counted events, by what was odd."),
		OverBudget:      counter("over_budget_events_total", "Counted events beyond the budgets of their sites, which are in no session and no breakdown."),
		Bots:            counters("bot_events_total", "by", "Counted events of bots, which are in the bot counters only, by what tells them: agent, referrer or rate."),
		Sessionless:     counter("sessionless_total", "Counted events without a usable sessionId: of visits, where these are found."),
		Keyless:         counter("keyless_total", "Records without a Kafka key: their sessions may be split over partitions."),
		BreakdownsFull:  counter("breakdowns_full_total", "Breakdowns written some of whose values have lost their rows."),
		GoalsFull:       counter("goals_full_total", "Events by which a session would have reached a goal, had it not reached as many as it can: 64, or 128 of numbers below 128."),
		Trimmed:         counter("trimmed_warmups_total", "Takeovers that found less in the log than the window of duplicates."),
		Expired:         counters("expired_writes_total", "kind", "Writes left out because the item's time to live had passed."),
		Steps:           counters("steps_total", "lane", "Steps settled."),
		Redone:          counters("redone_steps_total", "lane", "Steps done again after a takeover."),
		Fenced:          counter("fenced_total", "Chains lost to another owner."),
		Throttles:       counters("throttles_total", "reason", "Requests the table refused for lack of capacity."),
		Retries:         counter("retries_total", "Requests sent again after a throttle or an unknown outcome."),
		Units:           counters("write_units_total", "kind", "Write units consumed, by item kind."),
		Writes:          counters("writes_total", "kind", "Writes answered, by item kind; the items of a batch count one each."),
		ReadUnits:       counter("read_units_total", "Read units consumed by states that were loaded and by sealing."),
		Lag:             gauges("lag_records", "partition", "High watermark minus the next offset to be folded, in records."),
		LagSeconds:      gauges("lag_seconds", "partition", "How long the next record to be folded has been in the log, sampled every 10 s; 0 without lag."),
		OpenTransaction: gauges("open_transaction_records", "partition", "Records after the last stable offset: an open transaction holds them up."),
		Yielded:         gauges("yielded", "partition", "1 for each partition that is left to another consumer group, which came to the table later."),
		FetchRestarts:   counter("fetch_restarts_total", "Restarts of a partition's fetching, which had unread records and delivered none."),
		Parked:          gauges("parked", "partition", "1 for each partition that is parked and waits for an operator: see footfall status."),
		ParkedFor:       parked,
		OldestIntent:    gauge("oldest_intent_seconds", "Age of the oldest open step."),
		Staleness:       gauges("staleness_seconds", "lane", "Time since the worst partition with records waiting settled a step."),
		Partitions:      gauge("partitions", "Partitions owned by this process."),
		States:          gauges("states", "lane", "States in memory, in sessions: an hour counts for 32, a minute for 5."),
		QueueBytes:      gauge("queue_bytes", "Bytes fetched and not yet folded."),
		RulesRevision:   gauge("rules_revision", "Last revision of the rules of sites that the process knows."),
		RulesAge:        gauge("rules_age_seconds", "Time since the rules of sites were last read; the process ends at 43,200."),
	}
	m.Memory = newMemoryMetrics(reg)
	m.Quarantined = counters("damaged_total", "kind", "Damaged items that the pipeline quarantined, by kind; their content is lost.")
	m.Seal = seal.NewMetrics(reg)
	for _, r := range event.Reasons { // Show every reason from the start: alerts need the zero.
		m.Rejected.WithLabelValues(string(r))
	}
	for _, by := range []Bot{BotAgent, BotReferrer, BotRate} {
		m.Bots.WithLabelValues(string(by))
	}
	for _, lane := range Lanes {
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
