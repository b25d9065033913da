package telemetry

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
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
	Outage *prometheus.GaugeVec // seconds for which a service has not answered, the table or the brokers; 0 for the first 10 s
}

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

// PartitionMetrics are about the partitions of the process, and how far they are.
type PartitionMetrics struct {
	Partitions      prometheus.Gauge     // partitions owned
	Lag             *prometheus.GaugeVec // records up to the high watermark that are not folded, by partition
	GroupLag        *prometheus.GaugeVec // records up to the high watermark that the group has not settled, by partition, owned or not
	TopicPartitions prometheus.Gauge     // partitions that the topic has
	LagSeconds      *prometheus.GaugeVec // how long the first of them has been in the log, by partition; 0 when there is no lag
	OpenTransaction *prometheus.GaugeVec // records after the last stable offset, by partition
	Parked          *prometheus.GaugeVec // 1 for each partition that is parked, by partition and reason
	Yielded         *prometheus.GaugeVec // 1 for each partition that is left to another group
	Fenced          prometheus.Counter   // chains lost to another owner
	Trimmed         prometheus.Counter   // takeovers that could not read all of the window of duplicates
	FetchRestarts   prometheus.Counter   // restarts of a partition's fetching that had stalled
}

// ProcessMetrics are about what the process holds in memory, and about the site settings that it has read.
type ProcessMetrics struct {
	States        *prometheus.GaugeVec // states in memory, by lane
	QueueBytes    prometheus.Gauge     // fetched and not yet folded
	Memory        *MemoryMetrics       // what is held, and its ceilings
	RulesRevision prometheus.Gauge     // of the rules of sites, the last that is known
	RulesAge      prometheus.Gauge     // seconds since they were last read
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	r := registry{promauto.With(reg)}
	m := &Metrics{r.records(), r.flushes(), r.table(), r.partitions(), r.process(), r.outage()}
	m.begin()
	return m
}

// begin shows from the start every series whose labels are known: a rate of what has just appeared is none, and alerts need the zero.
func (m *Metrics) begin() {
	for _, outcome := range []string{"counted", "duplicate", "rejected", "redone"} {
		m.Records.WithLabelValues(outcome)
	}
	for _, r := range event.Reasons {
		m.Rejected.WithLabelValues(string(r))
	}
	for _, n := range notes {
		m.Notes.WithLabelValues(n.name)
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
	for _, service := range []string{ServiceTable, ServiceBrokers} {
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

// NotParked is the reason of a partition that is not parked.
const NotParked checkpoint.ParkReason = ""

// ShowParked shows for what reason a partition is parked, and for which it is not.
func (m *Metrics) ShowParked(partition string, reason checkpoint.ParkReason) {
	for _, r := range []checkpoint.ParkReason{checkpoint.ParkedGap, checkpoint.ParkedRead, checkpoint.ParkedItem, checkpoint.ParkedRelease} {
		value := 0.0
		if r == reason {
			value = 1
		}
		m.Parked.WithLabelValues(partition, string(r)).Set(value)
	}
}

// Forget shows nothing more of a partition that this process neither owns nor keeps parked.
func (m *Metrics) Forget(partition string) {
	m.Parked.DeletePartialMatch(prometheus.Labels{"partition": partition})
}

// otherReason stands for reasons of throttles that DynamoDB may name one day.
const otherReason = "other"

// CountThrottles counts a refusal by each of its reasons.
func (m *Metrics) CountThrottles(reasons []string) {
	for _, r := range reasons {
		if !slices.Contains(sinks.ThrottleReasons(), r) {
			r = otherReason
		}
		m.Throttles.WithLabelValues(r).Inc()
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

// The services whose outages are noticed.
const (
	ServiceTable   = "table"
	ServiceBrokers = "brokers"
)

// The phases of a flush, in their order.
const (
	PhaseCut    = "cut"    // what has accumulated becomes writes; the partition's folding waits
	PhaseIntend = "intend" // the flush is recorded in the checkpoint
	PhaseApply  = "apply"  // its items are written
	PhaseSettle = "settle" // its last raw and failed events are answered
)

// Phases are all of them.
var Phases = []string{PhaseCut, PhaseIntend, PhaseApply, PhaseSettle}

// EndPhase notes how long a phase of a flush has taken, and returns when it ended.
func (m *Metrics) EndPhase(lane, phase string, since time.Time) time.Time {
	now := time.Now()
	m.Phases.WithLabelValues(lane, phase).Observe(now.Sub(since).Seconds())
	return now
}

// CountUnits counts write units, by the kind of what was written.
func (m *Metrics) CountUnits(kind string, units float64) {
	if units > 0 {
		m.Units.WithLabelValues(kind).Add(units)
	}
}

// CountPlanned notes what a step leaves out.
func (m *Metrics) CountPlanned(c *plan.Counts) {
	for kind, n := range c.Expired {
		m.Expired.WithLabelValues(kind).Add(float64(n))
	}
	m.BreakdownsFull.Add(float64(c.BreakdownsFull))
	m.GoalsFull.Add(float64(c.GoalsFull))
}

// notes are those of events, with their names.
var notes = []struct {
	note event.Notes
	name string
}{{event.NoteUnusableField, "unusable_field"}, {event.NoteCut, "cut"}, {event.NoteUnknownKey, "unknown_key"}}

// CountNotes counts each note of an event.
func (m *Metrics) CountNotes(n event.Notes) {
	for _, x := range notes {
		if n&x.note != 0 {
			m.Notes.WithLabelValues(x.name).Inc()
		}
	}
}
