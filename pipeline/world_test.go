package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

const testTopic = "events"

// world is a broker and a table: in memory, inside a bubble of fake time (inWorld), or real ones (inRealWorld).
type world struct {
	t       testing.TB
	seeds   []kgo.Opt // how to reach the broker
	topic   string
	cluster *kfake.Cluster // nil on real Kafka
	table   sinks.Table
	client  *kgo.Client // for producing and asking

	recreated bool // the topic was: its first log cannot be recounted any more
	balanced  bool // processes join groups whose partitions the brokers assign: the fake broker's groups do not change their protocol
}

// inWorld runs f in a bubble with a topic of so many partitions.
func inWorld(t *testing.T, partitions int32, f func(t *testing.T, w *world)) {
	inWorldOf(t, 1, partitions, f)
}

func inWorldOf(t *testing.T, brokers int, partitions int32, f func(t *testing.T, w *world)) {
	inNetworkOf(t, brokers, partitions, func(t *testing.T, w *world, _ *kfake.VirtualNetwork) { f(t, w) })
}

// inNetwork is inWorld for tests that reach the broker in a way of their own.
func inNetwork(t *testing.T, partitions int32, f func(t *testing.T, w *world, net *kfake.VirtualNetwork)) {
	inNetworkOf(t, 1, partitions, f)
}

func inNetworkOf(t *testing.T, brokers int, partitions int32, f func(t *testing.T, w *world, net *kfake.VirtualNetwork)) {
	testworld.InBubble(t, brokers, func(t *testing.T, b *testworld.World) {
		w := &world{t: t, topic: testTopic, cluster: b.Cluster, table: b.Table, client: b.Client, seeds: b.Kafka}
		w.begin()
		f(t, w, b.Network)
	}, kfake.SeedTopics(partitions, testTopic))
}

// begin draws the topic's number, which is in every key, before faults can waste one.
func (w *world) begin() {
	w.t.Helper()
	if _, err := sinks.EnsureTableSettings(w.t.Context(), w.table, sinks.Keys{}, w.options().HashKey); err != nil {
		w.t.Fatal(err)
	}
	if _, err := sinks.EnsureTopic(w.t.Context(), w.table, sinks.Keys{}, w.topic); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) kafka() []kgo.Opt { return append([]kgo.Opt(nil), w.seeds...) }

// fewAChunk is a queue so small that chunks which are decoded ahead, as many as may be, have a record or two each.
const fewAChunk = 150_000

// options are those of a pipeline on this world; tests change what they are about.
func (w *world) options() pipeline.Options {
	settings := checkpoint.DefaultSettings()
	return pipeline.Options{
		Kafka: w.kafka(), Topic: w.topic, Group: "g-" + w.topic, Table: w.table, HashKey: []byte("0123456789abcdef"),
		Settings: settings, ChunksAhead: config.Default().Limits.ChunksAhead,
	}
}

// process is a running pipeline.
type process struct {
	t    testing.TB
	stop context.CancelFunc
	done chan error
}

func (w *world) start(o pipeline.Options) *process {
	w.t.Helper()
	p, err := pipeline.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	run := &process{w.t, stop, make(chan error, 1)}
	go func() { run.done <- p.Run(ctx) }()
	return run
}

// drain ends the process in order.
func (p *process) drain() {
	p.t.Helper()
	p.stop()
	if err := <-p.done; err != nil {
		p.t.Errorf("Run = %v", err)
	}
}

// record is one record to publish: the event's JSON, and the record's own timestamp.
type record struct {
	partition int32
	key       string
	at        time.Time
	value     []byte
	crowd     bool // it is published together with the other records of the crowd beside it
}

func (w *world) produce(records ...record) {
	w.t.Helper()
	var list []*kgo.Record
	for _, r := range records {
		list = append(list, &kgo.Record{Topic: w.topic, Partition: r.partition, Key: []byte(r.key), Value: r.value, Timestamp: r.at})
	}
	if err := w.client.ProduceSync(w.t.Context(), list...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

// believe lets the chains of partition 0, which have no step yet, believe records of all of the years before 2100: its clock
// stands at 2000.
func (w *world) believe(partitions ...int32) {
	w.t.Helper()
	if partitions == nil {
		partitions = []int32{0}
	}
	until := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, p := range partitions {
		for _, lane := range checkpoint.Lanes {
			u := sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: p}, lane),
				Set: []sinks.Attr{{Name: "ver", Value: sinks.Str(fmt.Sprintf(`{"notAfter":%d}`, until))}}}
			if _, err := w.table.Update(w.t.Context(), u); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// settled waits, in fake time, until every chain of the topic has folded everything that is in the log and is
// marked as done.
func (w *world) settled() {
	w.t.Helper()
	const patience = 2 * time.Hour
	start := time.Now()
	for {
		err := w.behind()
		if err == nil {
			return
		}
		waited := time.Since(start)
		if waited > patience {
			w.t.Fatal(err)
		}
		w.pass(max(2*time.Second, waited/16)) // Looking costs more than an interval that is waited for.
	}
}

// pass lets time pass: fake time in a bubble.
func (w *world) pass(d time.Duration) {
	<-time.After(d)
}

var errBehind = errors.New("a chain has not folded the whole log")

func (w *world) behind() error {
	ctx := w.t.Context()
	ends, err := kadm.NewClient(w.client).ListEndOffsets(ctx, w.topic)
	if err != nil {
		return err
	}
	number, ok, err := sinks.LoadTopic(ctx, w.table, sinks.Keys{}, w.topic)
	if err != nil || !ok {
		return errors.Join(err, errBehind)
	}
	var behind error
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset == 0 {
			return
		}
		for _, lane := range checkpoint.Lanes {
			c := w.checkpoint(sinks.TP{Topic: number, Partition: o.Partition}, lane)
			if c.To-c.Base != o.Offset || !c.Done {
				behind = errBehind
			}
		}
	})
	return behind
}

func (w *world) checkpoint(tp sinks.TP, lane string) checkpoint.Head {
	w.t.Helper()
	return testworld.Checkpoint(w.t, w.table, tp, lane)
}

// item reads one item; nil when it is absent.
func (w *world) item(key sinks.Key) sinks.Item {
	w.t.Helper()
	return testworld.Item(w.t, w.table, key)
}

// at reads an instant of a test.
func at(t testing.TB, s string) time.Time {
	t.Helper()
	x, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func toJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
