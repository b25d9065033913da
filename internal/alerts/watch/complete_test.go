package watch

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// An hour is complete once all that was published before its end is counted, also where nothing came, and not while nothing counts.
func TestCompleteIsWhatIsCounted(t *testing.T) {
	testpipeline.InBubble(t, 1, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		complete := func(before time.Time, want bool) {
			t.Helper()
			late, err := Topic{w.Kafka(), w.Topic, w.Table}.Uncounted(t.Context(), before)
			if err != nil || (len(late) == 0) != want {
				t.Errorf("before %v: %v wait, %v; want completeness %v", before, late, err, want)
			}
		}
		process := w.Start(w.Options())
		w.Produce(testpipeline.Traffic(1, 2, 50, time.Now().Add(-time.Minute))...)
		w.Settled()
		w.Pass(3 * time.Hour)
		complete(time.Now(), true)
		process.Drain()
		over := time.Now()
		w.Pass(time.Minute)
		w.Produce(testpipeline.Traffic(2, 2, 50, time.Now())...)
		complete(over, true)
		complete(time.Now().Add(time.Hour), false)
	})
}

// A partition to which nothing but markers of transactions came, since or ever, is idle: it is complete. One that is parked waits; if it is
// partition 0, the process that has it judges still.
func TestIdleIsCompleteAndParkedIsNot(t *testing.T) {
	testpipeline.InBubble(t, 1, 3, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		topic := Topic{w.Kafka(), w.Topic, w.Table}
		late := func() []sinks.TP {
			t.Helper()
			tps, err := topic.Uncounted(t.Context(), time.Now().Add(time.Hour))
			if err != nil {
				t.Error(err)
			}
			return tps
		}
		process := w.Start(w.Options())
		w.Produce(testpipeline.Traffic(1, 1, 50, time.Now().Add(-time.Minute))...)
		abort(t, w, 0, 1)
		w.Pass(time.Hour)
		if waiting := late(); len(waiting) != 0 {
			t.Errorf("%v wait, and nothing is to be counted", waiting)
		}
		process.Drain()
		w.Produce(testpipeline.Record{Partition: 1, At: time.Now(), Value: []byte("no event")})
		if waiting := late(); !slices.Equal(waiting, []sinks.TP{{Topic: 1, Partition: 1}}) {
			t.Errorf("%v wait, want the partition with a record after markers", waiting)
		}
		w.Produce(testpipeline.Record{Partition: 0, At: time.Now(), Value: []byte("no event")})
		if err := w.Cluster.DeleteRecords(w.Topic, 0, -1); err != nil { // All that is not counted.
			t.Fatal(err)
		}
		p, err := pipeline.New(w.Options())
		if err != nil {
			t.Fatal(err)
		}
		process = w.Run(p)
		w.Pass(time.Hour)
		if waiting := late(); !slices.Equal(waiting, []sinks.TP{{Topic: 1, Partition: 0}}) {
			t.Errorf("%v wait, want the parked partition", waiting)
		}
		if !p.Seals() {
			t.Error("no process judges while partition 0 is parked")
		}
		process.Drain()
	})
}

// abort writes to partitions in a transaction that is aborted.
func abort(t *testing.T, w *testpipeline.World, partitions ...int32) {
	t.Helper()
	cl, err := kgo.NewClient(append(w.Kafka(), kgo.TransactionalID("t"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	err = cl.BeginTransaction()
	for _, p := range partitions {
		if err == nil {
			err = cl.ProduceSync(t.Context(), &kgo.Record{Topic: w.Topic, Partition: p, Value: []byte("aborted")}).FirstErr()
		}
	}
	if err := errors.Join(err, cl.EndTransaction(t.Context(), kgo.TryAbort)); err != nil {
		t.Fatal(err)
	}
}
