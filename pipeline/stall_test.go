package pipeline_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// logged is what a process logs. Safe for concurrent use.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// line returns the first line that holds all of these; "": none does.
func (l *logged) line(parts ...string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			return line
		}
	}
	return ""
}

// watched are options whose metrics and log the test reads.
func (w *world) watched() (pipeline.Options, *logged) {
	o, log := w.Options(), new(logged)
	o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	return o, log
}

// events are records of one site and partition, a second apart.
func events(partition int32, n int) (list []record) {
	for i := range n {
		at := bubbleStart.Add(time.Duration(i) * time.Second)
		list = append(list, record{Partition: partition, Key: "s", At: at, Value: fmt.Appendf(nil,
			`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v%d"}`, at.UnixMilli(), i)})
	}
	return list
}

// TestOpenTransactionIsSeen: a partition that an open transaction holds up has lag, its lag grows older, and a warning
// names the producer; once the transaction ends all is counted.
func TestOpenTransactionIsSeen(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		o, log := w.watched()
		run := w.Start(o)
		w.Produce(append(events(0, 5), events(1, 5)...)...)
		w.Settled()
		tx, err := kgo.NewClient(append(w.Kafka(), kgo.TransactionalID("stuck"), kgo.TransactionTimeout(10*time.Minute),
			kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
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
		w.Produce(events(0, 7)...)
		w.Pass(100 * time.Second)

		id, _, err := tx.ProducerID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for gauge, want := range map[*prometheus.GaugeVec][2]float64{o.Metrics.Lag: {8, 0}, o.Metrics.OpenTransaction: {8, 0}} {
			for n, label := range []string{"0", "1"} {
				if have := testutil.ToFloat64(gauge.WithLabelValues(label)); have != want[n] {
					t.Errorf("partition %s: a gauge shows %v, want %v", label, have, want[n])
				}
			}
		}
		if have := testutil.ToFloat64(o.Metrics.LagSeconds.WithLabelValues("0")); have < 80 || have > 101 {
			t.Errorf("lag_seconds is %v after 100 s", have)
		}
		if log.line("open transaction", "partition=0", fmt.Sprintf("producerId=%d", id), "transactionalId=stuck") == "" {
			t.Errorf("no warning names producer %d:\n%s", id, &log.text)
		}
		if n := testutil.ToFloat64(o.Metrics.FetchRestarts); n != 0 {
			t.Errorf("%v restarts of a partition that has nothing to be fetched", n)
		}
		views, err := checkpoint.ViewChains(t.Context(), w.Kafka(), w.Topic, w.Table, sinks.Keys{})
		if err != nil {
			t.Fatal(err)
		}
		if v := views[0]; v.Lag != 8 || v.Held != 8 || v.HeldBy == nil || v.HeldBy.ProducerID != id || v.Group != o.Group {
			t.Errorf("status: %+v, held by %+v, want 8 records held up by producer %d", v, v.HeldBy, id)
		}
		if v := views[2]; v.Lag != 0 || v.Held != 0 || v.HeldBy != nil {
			t.Errorf("status of a partition without a transaction: %+v", v)
		}

		if err := tx.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		w.Pass(time.Minute)
		for _, gauge := range []*prometheus.GaugeVec{o.Metrics.Lag, o.Metrics.OpenTransaction, o.Metrics.LagSeconds} {
			if have := testutil.ToFloat64(gauge.WithLabelValues("0")); have != 0 {
				t.Errorf("after the transaction a gauge shows %v", have)
			}
		}
		run.Drain()
	})
}

// dropping are hooks of a process's client that make the client drop a fetch error. The first batch of partition 0 that
// bears the mark cannot be decompressed, which stops the client's fetching for good; the poll that would hand out the
// error is held up, until a rebalance has thrown it away.
type dropping struct {
	kgo.Decompressor
	mark []byte

	once    sync.Once
	stopped chan struct{} // closed: the client has met the batch
	release chan struct{} // closed: polling goes on
}

func (d *dropping) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	out, err := d.Decompressor.Decompress(src, codec)
	if err == nil && bytes.Contains(out, d.mark) {
		d.once.Do(func() {
			err = kgo.ErrMaxDecompress
			close(d.stopped)
		})
	}
	return out, err
}

// OnFetchRecordUnbuffered is called by the poll that takes a record.
func (d *dropping) OnFetchRecordUnbuffered(r *kgo.Record, _ bool) {
	if bytes.Contains(r.Value, []byte("hold-the-poll")) {
		<-d.release
	}
}

// TestFetchErrorDroppedInARebalance: the client drops a fetch error in the middle of a rebalance, and leaves the partition
// alone from then on. Within a minute it is fetched again, whatever the cause was.
func TestFetchErrorDroppedInARebalance(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		o, log := w.watched()
		d := &dropping{Decompressor: kgo.DefaultDecompressor(), mark: []byte("cannot-be-read"), stopped: make(chan struct{}),
			release: make(chan struct{})}
		o.Kafka = append(o.Kafka, kgo.WithDecompressor(d), kgo.WithHooks(d))
		run := w.Start(o)
		w.Produce(append(events(0, 5), events(1, 5)...)...)
		w.Settled()

		hold, bad := events(1, 1)[0], events(0, 3)
		hold.Value = bytes.Replace(hold.Value, []byte(`"click"`), []byte(`"hold-the-poll"`), 1)
		for i := range bad {
			bad[i].Value = bytes.Replace(bad[i].Value, []byte(`"click"`), []byte(`"cannot-be-read"`), 1)
		}
		w.Produce(hold)
		w.Pass(time.Second)
		w.Produce(bad...)
		<-d.stopped
		other, err := kgo.NewClient(append(w.Kafka(), kgo.ConsumerGroup(o.Group), kgo.ConsumeTopics(w.Topic), kgo.DisableAutoCommit(),
			kgo.Balancers(kgo.CooperativeStickyBalancer()))...)
		if err != nil {
			t.Fatal(err)
		}
		w.Pass(20 * time.Second) // The rebalance takes partition 0 or 1 away, and all that was fetched.
		other.Close()
		w.Pass(20 * time.Second) // And gives it back.
		if n := testutil.ToFloat64(o.Metrics.Partitions); n != 2 {
			t.Fatalf("%v partitions are owned: the test is void", n)
		}
		close(d.release)
		dropped := time.Now()
		for testutil.ToFloat64(o.Metrics.Lag.WithLabelValues("0")) > 0 && time.Since(dropped) < time.Hour {
			w.Pass(time.Second)
		}
		if took := time.Since(dropped); took > time.Minute {
			t.Errorf("the partition stood still for %v:\n%s", took, &log.text)
		}
		if testutil.ToFloat64(o.Metrics.FetchRestarts) == 0 || log.line("restarting its fetching", "partition=0") == "" {
			t.Error("nothing was restarted: the test is void")
		}
		w.Settled()
		run.Drain()
	})
}
