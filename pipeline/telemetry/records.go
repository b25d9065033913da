package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/pipeline/event"
)

// RecordMetrics are about what became of records.
type RecordMetrics struct {
	Records     *prometheus.CounterVec // by outcome: counted, duplicate, rejected, redone
	Rejected    *prometheus.CounterVec // by reason
	Notes       *prometheus.CounterVec // odd but counted events, by note
	Bots        *prometheus.CounterVec // counted events of bots, by how they were recognised
	OverBudget  prometheus.Counter     // counted events beyond the budgets of their sites
	Excluded    prometheus.Counter     // counted events of pages that their sites exclude
	Sessionless prometheus.Counter     // counted events without a usable sessionId
	Keyless     prometheus.Counter     // records without a Kafka key
	Ahead       prometheus.Counter     // records that were decoded before their turn
	Duplicates  prometheus.Histogram   // how many positions after its event's last sighting a record repeats it
	Shortened   prometheus.Counter     // positions that left the window of duplicates for want of memory
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

func (r registry) distances() prometheus.Histogram {
	return r.NewHistogram(prometheus.HistogramOpts{Namespace: "footfall", Name: "duplicate_distance_records",
		Help:    "Positions between a record and the one before it with the same siteId and id, within the window, acted on or only observed.",
		Buckets: prometheus.ExponentialBuckets(1, 4, 13)}) // to 16,777,216, beyond every window
}

// CountNotes counts each note of an event.
func (m *RecordMetrics) CountNotes(n event.Notes) {
	for _, name := range n.Names() {
		m.Notes.WithLabelValues(name).Inc()
	}
}
