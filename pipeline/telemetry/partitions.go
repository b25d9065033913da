package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// PartitionMetrics are about the partitions of the process, and how far they are.
type PartitionMetrics struct {
	Partitions      prometheus.Gauge     // partitions owned
	Lag             *prometheus.GaugeVec // records up to the high watermark that are not folded, by partition
	GroupLag        *prometheus.GaugeVec // records up to the high watermark that the group has not settled, by partition, owned or not
	TopicPartitions prometheus.Gauge     // partitions that the topic has
	LagSeconds      *prometheus.GaugeVec // how long the first of them has been in the log, by partition; 0 when there is no lag
	OpenTransaction *prometheus.GaugeVec // records after the last stable offset, by partition
	LeaderWait      *prometheus.GaugeVec // seconds since the leader last answered, by partition; 0: it answers
	Parked          *prometheus.GaugeVec // 1 for each partition that is parked, by partition and reason
	Yielded         *prometheus.GaugeVec // 1 for each partition that is left to another group
	Fenced          prometheus.Counter   // chains lost to another owner
	Trimmed         prometheus.Counter   // takeovers that could not read all of the window of duplicates
	FetchRestarts   prometheus.Counter   // restarts of a partition's fetching that had stalled
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
		LeaderWait: r.gauges("leader_wait_seconds", "Seconds since the leader of a partition last answered; 0: it answers.", "partition"),
		Parked: r.gauges("partition_parked",
			"1 for each partition that is parked and waits for an operator, by reason: gap, read, item or release. See footfall status.",
			"partition", "reason"),
		Yielded:       r.gauges("yielded", "1 for each partition that another consumer group has taken over.", "partition"),
		Fenced:        r.counter("fenced_total", "Lanes lost to another owner."),
		Trimmed:       r.counter("trimmed_warmups_total", "Takeovers at which the log held less than duplicates.window."),
		FetchRestarts: r.counter("fetch_restarts_total", "Restarts of a partition's stalled fetching."),
	}
}

// NotParked is the reason of a partition that is not parked.
const NotParked checkpoint.ParkReason = ""

// ShowParked shows for what reason a partition is parked, and for which it is not.
func (m *PartitionMetrics) ShowParked(partition string, reason checkpoint.ParkReason) {
	for _, r := range []checkpoint.ParkReason{checkpoint.ParkedGap, checkpoint.ParkedRead, checkpoint.ParkedItem, checkpoint.ParkedRelease} {
		value := 0.0
		if r == reason {
			value = 1
		}
		m.Parked.WithLabelValues(partition, string(r)).Set(value)
	}
}

// Forget shows nothing more of a partition that this process neither owns nor keeps parked.
func (m *PartitionMetrics) Forget(partition string) {
	m.Parked.DeletePartialMatch(prometheus.Labels{"partition": partition})
}
