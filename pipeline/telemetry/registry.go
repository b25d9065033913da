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

func (r registry) records() RecordMetrics {
	return RecordMetrics{
		Records: r.counters("records_total", "outcome",
			"Records processed, by outcome. Records of a repeated flush count again, as redone."),
		Rejected: r.counters("rejected_total", "reason", "Records rejected, by reason."),
		Notes: r.counters("notes_total", "note",
			"Counted events with an oddity, by note: unusable_field, cut or unknown_key."),
		Bots: r.counters("bot_events_total", "by",
			"Counted events of bots, by how they were detected: agent, referrer or rate."),
		OverBudget: r.counter("over_budget_events_total",
			"Counted events above the budget of their site. They are in no session and no breakdown."),
		Excluded: r.counter("excluded_events_total",
			"Counted events of pages that their site excludes. They are in no other figure."),
		Ahead: r.counter("decoded_ahead_total",
			"Records decoded before their turn, on a second processor: see limits.chunksAhead."),
		Sessionless: r.counter("sessionless_total",
			"Counted events without a usable sessionId. With visits.gap they belong to visits."),
		Keyless:    r.counter("keyless_total", "Records without a Kafka key, whose sessions may be split over partitions."),
		Duplicates: r.distances(),
		Shortened: r.counter("duplicates_shortened_total",
			"Positions that left duplicates.window early because of duplicates.memoryBytes."),
	}
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

func (r registry) partitions() PartitionMetrics {
	return PartitionMetrics{
		Partitions: r.gauge("partitions", "Partitions owned by this process."),
		Lag:        r.gauges("lag_records", "Records up to the high watermark that are not counted yet.", "partition"),
		GroupLag: r.gauges("group_lag_records", "Records up to the high watermark that the group has not settled, by committed offsets; every "+
			"member shows all partitions, owned or not.", "partition"),
		TopicPartitions: r.gauge("topic_partitions", "Partitions of the topic."),
		LagSeconds: r.gauges("lag_seconds",
			"Age in the log of the next record to be counted; 0 without lag.", "partition"),
		OpenTransaction: r.gauges("last_stable_offset_lag_records",
			"Records from the last stable offset to the high watermark: an open transaction holds them up.", "partition"),
		Parked: r.gauges("partition_parked",
			"1 for each partition that is parked and waits for an operator, by reason: gap, read, item or release. See footfall status.",
			"partition", "reason"),
		Yielded:       r.gauges("yielded", "1 for each partition that another consumer group has taken over.", "partition"),
		Fenced:        r.counter("fenced_total", "Lanes lost to another owner."),
		Trimmed:       r.counter("trimmed_warmups_total", "Takeovers at which the log held less than duplicates.window."),
		FetchRestarts: r.counter("fetch_restarts_total", "Restarts of a partition's stalled fetching."),
	}
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

func (r registry) outage() *prometheus.GaugeVec {
	return r.gauges("outage_seconds", "Time for which no request to the table or to the brokers was answered; 0 below 10 s.", "service")
}

func (r registry) seconds(name, help string, labels ...string) *prometheus.HistogramVec {
	return r.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footfall", Name: name, Help: help,
		Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 14)}, labels) // 1 ms to 149 s
}

func (r registry) distances() prometheus.Histogram {
	return r.NewHistogram(prometheus.HistogramOpts{Namespace: "footfall", Name: "duplicate_distance_records",
		Help:    "Positions between a record and the one before it with the same siteId and id, within the window, acted on or only observed.",
		Buckets: prometheus.ExponentialBuckets(1, 4, 13)}) // to 16,777,216, beyond every window
}
