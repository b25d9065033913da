package pipeline_test

import (
	"maps"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// patience ends the wait for what does not come, on a busy machine too.
const patience = 15 * time.Minute

// TestRenamedGroupAndOpenTransactionOnRealServices: on Kafka and DynamoDB Local, a process of a renamed group takes over from
// one that runs, which yields and does not end; then an open transaction is seen, with its producer.
func TestRenamedGroupAndOpenTransactionOnRealServices(t *testing.T) {
	slow.Test(t)
	inRealWorld(t, 1, func(t *testing.T, w *world) {
		number, _, err := sinks.LoadTopic(t.Context(), w.Table, sinks.Keys{}, w.Topic)
		if err != nil {
			t.Fatal(err)
		}
		stats := func() checkpoint.Head {
			return w.Checkpoint(sinks.TP{Topic: number}, checkpoint.LaneStats)
		}
		a, log := w.watched()
		a.StatsInterval, a.RealtimeInterval = time.Second, time.Second
		b := a
		b.Group += "-renamed"
		b.Metrics, b.Log = nil, nil
		first := w.Start(a)
		w.Produce(events(0, 5)...)
		w.Settled()
		second := w.Start(b)
		for over := time.Now().Add(patience); stats().Group != b.Group ||
			testutil.ToFloat64(a.Metrics.Yielded.WithLabelValues("0")) == 0; {
			if time.Now().After(over) {
				t.Fatalf("the chain is of group %q, and the earlier one does not yield:\n%s", stats().Group, &log.text)
			}
			w.Produce(events(0, 1)...)
			w.Pass(time.Second)
		}
		w.Produce(events(0, 20)...)
		w.Settled()
		if head := stats(); head.Group != b.Group || len(head.Groups) != 2 || testutil.ToFloat64(a.Metrics.Fenced) != 1 {
			t.Errorf("the chain is of group %q of %q, the earlier one was fenced %v times, want once", head.Group, head.Groups,
				testutil.ToFloat64(a.Metrics.Fenced))
		}

		tx, err := kgo.NewClient(append(w.Kafka(), kgo.TransactionalID(w.Topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Close()
		if err := tx.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := tx.ProduceSync(t.Context(), &kgo.Record{Topic: w.Topic, Key: []byte("s"),
			Value: events(0, 1)[0].Value}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		id, _, err := tx.ProducerID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		views, err := checkpoint.ViewChains(t.Context(), w.Kafka(), w.Topic, w.Table, sinks.Keys{})
		if err != nil {
			t.Fatal(err)
		}
		if v := views[0]; v.Lag != 1 || v.Held != 1 || v.HeldBy == nil || v.HeldBy.ProducerID != id || v.HeldBy.TransactionalID != w.Topic {
			t.Errorf("status: %+v, held by %+v, want a record held up by producer %d", v, v.HeldBy, id)
		}
		if err := tx.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
			t.Fatal(err)
		}
		first.Drain()
		second.Drain()
	})
}

// TestCommittedOffsetsOnRealKafka: kafka-consumer-groups.sh --describe, footfall status and the metrics agree on the lag of each partition,
// while a process runs, after its drain and with records that no process has read, under either protocol of groups, and in a group that
// changes its protocol. On an older Kafka, if there is one, with the classic protocol.
func TestCommittedOffsetsOnRealKafka(t *testing.T) {
	slow.Test(t)
	t.Run("Kafka", func(t *testing.T) { lagsAgree(t, testenv.OwnBroker(t), false, true, false) })
	if testenv.HasOldKafka() {
		t.Run("older Kafka", func(t *testing.T) { lagsAgree(t, testenv.OwnOldBroker(t), false) })
	}
}

// lagsAgree runs a process after the other, whose groups are balanced by the brokers or not.
func lagsAgree(t *testing.T, broker *testenv.Broker, serverBalanced ...bool) {
	inRealWorldOf(t, broker.Addr, 2, func(t *testing.T, w *world) {
		for i, balanced := range serverBalanced {
			o, log := w.watched()
			o.StatsInterval, o.RealtimeInterval, o.ServerBalanced = time.Second, time.Second, balanced
			p := w.Start(o)
			w.Produce(append(events(0, 50), events(1, 20)...)...)
			w.Settled()
			shown := func(n string) float64 { return testutil.ToFloat64(o.Metrics.GroupLag.WithLabelValues(n)) }
			for over := time.Now().Add(patience); w.committed()[0].At < w.logEnd(0) || w.committed()[1].At < w.logEnd(1) ||
				testutil.CollectAndCount(o.Metrics.GroupLag) < 2 || shown("0")+shown("1") > 0; {
				if time.Now().After(over) {
					t.Fatalf("round %d: committed %v, shown are %v and %v\n%s", i, w.committed(), shown("0"), shown("1"), &log.text)
				}
				w.Pass(time.Second)
			}
			w.lags(broker, map[int32]int64{0: 0, 1: 0})
			p.Drain()
			w.lags(broker, map[int32]int64{0: 0, 1: 0})
			if at := w.committed()[0]; at.Metadata == "" {
				t.Errorf("round %d: %+v is committed without the flushes", i, at)
			}
			w.Produce(append(events(0, 7), events(1, 3)...)...)
			w.lags(broker, map[int32]int64{0: 7, 1: 3})
		}
	})
}

// lags compares what kafka-consumer-groups.sh and footfall status say about the lag of each partition.
func (w *world) lags(broker *testenv.Broker, want map[int32]int64) {
	w.T.Helper()
	views, err := checkpoint.ViewChains(w.T.Context(), w.Kafka(), w.Topic, w.Table, sinks.Keys{})
	if err != nil {
		w.T.Fatal(err)
	}
	status := make(map[int32]int64)
	for _, v := range views {
		status[v.Partition] = max(status[v.Partition], v.Lag)
	}
	tool, printed := broker.GroupLags(w.T, w.Options().Group, w.Topic)
	if !maps.Equal(tool, want) || !maps.Equal(status, want) {
		w.T.Errorf("kafka-consumer-groups.sh has lags %v, footfall status %v, want %v:\n%s", tool, status, want, printed)
	}
}
