//go:build unix

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// The load of TestRealLagAgrees, and the records of a partition in one interval of it.
const (
	lagPartitions = 4
	lagRate       = 40
	lagInterval   = 10 * time.Second
	lagRecords    = lagRate * int(lagInterval/time.Second) / lagPartitions
)

// TestRealLagAgrees: kafka-consumer-groups.sh --describe, footfall status and /metrics agree on the lag of each partition within one
// interval's records: under load, after a kill, after a drain, where it is 0, and after the topic was created again.
func TestRealLagAgrees(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onKafkaVersions(t, lagAgrees)
}

// onKafkaVersions runs a test on a broker of its own of each version of Kafka, both at once.
func onKafkaVersions(t *testing.T, test func(*testing.T, *testenv.Broker)) {
	t.Run("Kafka", func(t *testing.T) {
		t.Parallel()
		test(t, testenv.OwnBroker(t))
	})
	if testenv.HasOldKafka() {
		t.Run("older Kafka", func(t *testing.T) {
			t.Parallel()
			test(t, testenv.OwnOldBroker(t))
		})
	}
}

func lagAgrees(t *testing.T, broker *testenv.Broker) {
	l := &lagWatch{stage: stageOn(t, broker), t: t, broker: broker}
	l.topic = testenv.Topic(t, l.brokers, lagPartitions, nil)
	for name, value := range map[string]string{"KAFKA_TOPIC": l.topic, "KAFKA_GROUP": l.topic, "KAFKA_SESSION_TIMEOUT": "6s",
		"INTERVALS_STATS": lagInterval.String(), "INTERVALS_REALTIME": "2s"} {
		l.set("FOOTFALL_"+name, value)
	}
	l.execute(t, "table", "create")
	first, second := freeAddress(t), freeAddress(t)
	killed := l.consume(t, "member to be killed", "--http", first)
	survivor := l.consume(t, "survivor", "--http", second)
	producer := l.load()
	l.agree("under load", lagRecords, first, second)
	killed.kill()
	l.agree("after a kill", lagRecords, second)
	producer.drain()
	l.agree("when the survivor has counted all", 0, second)
	survivor.drain()
	l.agree("after a drain", 0)
	l.verify(t)

	l.recreateTopic(t, lagPartitions)
	member := l.consume(t, "member of the new topic", "--http", first)
	producer = l.load()
	l.agree("after the topic was created again", lagRecords, first)
	producer.drain()
	l.agree("when all of the new topic is counted", 0, first)
	member.drain()
	l.agree("after a drain of the new topic", 0)
}

// lagWatch looks at the lag of a group with every tool.
type lagWatch struct {
	*stage
	t      *testing.T
	broker *testenv.Broker
}

func (l *lagWatch) load() *process {
	l.t.Helper()
	return l.start(l.t, "producer", "produce", "--rate", fmt.Sprint(lagRate), "--sites", "64", "--buckets", "8")
}

// agree waits until kafka-consumer-groups.sh, footfall status and the metrics of members show lags of each partition that are within so
// many records.
func (l *lagWatch) agree(when string, records int, addrs ...string) {
	l.t.Helper()
	var table string
	defer func() { l.t.Logf("lag by kafka-consumer-groups.sh, footfall status and /metrics %s:\n%s", when, table) }()
	poll(l.t, time.Second, "tools agree on the lag "+when, func() bool {
		table = ""
		status := make(map[int]int64)
		for _, c := range l.chains(l.t) {
			status[c.Partition] = max(status[c.Partition], c.Lag)
		}
		tool, _ := l.broker.GroupLags(l.t, l.topic, l.topic)
		var members []metrics
		for _, addr := range addrs {
			m, err := scrape(addr)
			if err != nil {
				return false
			}
			members = append(members, m)
		}
		agreed := len(tool) == lagPartitions && len(status) == lagPartitions
		for n := range lagPartitions {
			lags := []int64{tool[int32(n)], status[n]}
			for _, m := range members {
				shown, ok := m[fmt.Sprintf("footfall_group_lag_records{%d}", n)]
				agreed = agreed && ok
				lags = append(lags, int64(shown))
			}
			low, high := lags[0], lags[0]
			for _, lag := range lags {
				low, high = min(low, lag), max(high, lag)
			}
			agreed = agreed && low >= 0 && high-low <= int64(records) && (records > 0 || high == 0)
			table += fmt.Sprintf("partition %d: %d\n", n, lags)
		}
		return agreed
	})
}
