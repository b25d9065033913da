package testpipeline

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
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestTopic is the topic of a world in memory.
const TestTopic = "events"

// World is a broker and a table: in memory, inside a bubble of fake time, or real ones.
type World struct {
	T       testing.TB
	Seeds   []kgo.Opt // how to reach the broker
	Topic   string
	Cluster *kfake.Cluster // nil on real Kafka
	Table   sinks.Table
	Client  *kgo.Client // for producing and asking

	Recreated bool // the topic was: its first log cannot be recounted any more
	Balanced  bool // processes join groups whose partitions the brokers assign: the fake broker's groups do not change their protocol
}

// InBubble runs f in a bubble of fake time with a cluster and a topic of these sizes. net is how it is reached.
func InBubble(t *testing.T, brokers int, partitions int32, f func(t *testing.T, w *World, net *kfake.VirtualNetwork)) {
	testworld.InBubble(t, brokers, func(t *testing.T, b *testworld.World) {
		w := &World{T: t, Topic: TestTopic, Cluster: b.Cluster, Table: b.Table, Client: b.Client, Seeds: b.Kafka}
		w.Begin()
		f(t, w, b.Network)
	}, kfake.SeedTopics(partitions, TestTopic))
}

// Begin draws the topic's number, which is in every key, before faults can waste one.
func (w *World) Begin() {
	w.T.Helper()
	if _, err := sinks.EnsureTableSettings(w.T.Context(), w.Table, sinks.Keys{}, w.Options().HashKey); err != nil {
		w.T.Fatal(err)
	}
	if _, err := sinks.EnsureTopic(w.T.Context(), w.Table, sinks.Keys{}, w.Topic); err != nil {
		w.T.Fatal(err)
	}
}

// Kafka returns how to reach the broker.
func (w *World) Kafka() []kgo.Opt { return append([]kgo.Opt(nil), w.Seeds...) }

// FewAChunk is a queue so small that chunks which are decoded ahead, as many as may be, have a record or two each.
const FewAChunk = 150_000

// Options are those of a pipeline on this world; tests change what they are about.
func (w *World) Options() pipeline.Options {
	settings := checkpoint.DefaultSettings()
	return pipeline.Options{
		Kafka: w.Kafka(), Topic: w.Topic, Group: "g-" + w.Topic, Table: w.Table, HashKey: []byte("0123456789abcdef"),
		Settings: settings, ChunksAhead: config.Default().Limits.ChunksAhead,
	}
}

// Process is a running pipeline.
type Process struct {
	t    testing.TB
	Stop context.CancelFunc
	Done chan error
}

// Start starts a pipeline, which a test ends by Drain, or by Stop and Done.
func (w *World) Start(o pipeline.Options) *Process {
	w.T.Helper()
	p, err := pipeline.New(o)
	if err != nil {
		w.T.Fatal(err)
	}
	return w.Run(p)
}

// Run runs a pipeline that a test has made, as Start does.
func (w *World) Run(p interface{ Run(context.Context) error }) *Process {
	ctx, stop := context.WithCancel(context.Background())
	run := &Process{w.T, stop, make(chan error, 1)}
	go func() { run.Done <- p.Run(ctx) }()
	return run
}

// Drain ends the process in order.
func (p *Process) Drain() {
	p.t.Helper()
	p.Stop()
	if err := <-p.Done; err != nil {
		p.t.Errorf("Run = %v", err)
	}
}

// Record is one record to publish: the event's JSON, and the record's own timestamp.
type Record struct {
	Partition int32
	Key       string
	At        time.Time
	Value     []byte
	Crowd     bool // it is published together with the other records of the crowd beside it
}

// Produce publishes records and waits until the broker has them.
func (w *World) Produce(records ...Record) {
	w.T.Helper()
	var list []*kgo.Record
	for _, r := range records {
		list = append(list, &kgo.Record{Topic: w.Topic, Partition: r.Partition, Key: []byte(r.Key), Value: r.Value, Timestamp: r.At})
	}
	if err := w.Client.ProduceSync(w.T.Context(), list...).FirstErr(); err != nil {
		w.T.Fatal(err)
	}
}

// Believe lets the chains of partition 0, which have no step yet, believe records of all of the years before 2100: its clock
// stands at 2000.
func (w *World) Believe(partitions ...int32) {
	w.T.Helper()
	if partitions == nil {
		partitions = []int32{0}
	}
	until := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, p := range partitions {
		for _, lane := range checkpoint.Lanes {
			u := sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: p}, lane),
				Set: []sinks.Attr{{Name: "ver", Value: sinks.Str(fmt.Sprintf(`{"notAfter":%d}`, until))}}}
			if _, err := w.Table.Update(w.T.Context(), u); err != nil {
				w.T.Fatal(err)
			}
		}
	}
}

// Settled waits, in fake time, until every chain of the topic has folded everything that is in the log and is
// marked as done.
func (w *World) Settled() {
	w.T.Helper()
	const patience = 2 * time.Hour
	start := time.Now()
	for {
		err := w.Behind()
		if err == nil {
			return
		}
		waited := time.Since(start)
		if waited > patience {
			w.T.Fatal(err)
		}
		w.Pass(max(2*time.Second, waited/16)) // Looking costs more than an interval that is waited for.
	}
}

// Pass lets time pass: fake time in a bubble.
func (w *World) Pass(d time.Duration) {
	<-time.After(d)
}

var errBehind = errors.New("a chain has not folded the whole log")

// Behind returns an error as long as a chain has not folded everything that is in the log.
func (w *World) Behind() error {
	ctx := w.T.Context()
	ends, err := kadm.NewClient(w.Client).ListEndOffsets(ctx, w.Topic)
	if err != nil {
		return err
	}
	keys := w.Live()
	number, ok, err := sinks.LoadTopic(ctx, w.Table, keys, w.Topic)
	if err != nil || !ok {
		return errors.Join(err, errBehind)
	}
	var behind error
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset == 0 {
			return
		}
		for _, lane := range checkpoint.Lanes {
			c, err := checkpoint.ReadHead(w.Item(keys.Checkpoint(sinks.TP{Topic: number, Partition: o.Partition}, lane)))
			behind = errors.Join(behind, err)
			if c.To-c.Base != o.Offset || !c.Done {
				behind = errBehind
			}
		}
	})
	return behind
}

// Live returns the keys of the live generation of items.
func (w *World) Live() sinks.Keys {
	w.T.Helper()
	_, has, err := sinks.CheckFormat(w.T.Context(), w.Table)
	if err != nil {
		w.T.Fatal(err)
	}
	return has.Keys()
}

// Checkpoint reads the checkpoint of a chain. It is zero if the chain has none.
func (w *World) Checkpoint(tp sinks.TP, lane string) checkpoint.Head {
	w.T.Helper()
	return testworld.Checkpoint(w.T, w.Table, tp, lane)
}

// Item reads one item; nil when it is absent.
func (w *World) Item(key sinks.Key) sinks.Item {
	w.T.Helper()
	return testworld.Item(w.T, w.Table, key)
}

// At reads an instant of a test.
func At(t testing.TB, s string) time.Time {
	t.Helper()
	x, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// ToJSON spells a value as JSON.
func ToJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// MustJSON spells a value as JSON where there is no test to fail.
func MustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// RareFetches has the brokers hold each fetch that finds nothing for so long, in place of the 250 ms that a pipeline asks for. Tests in
// which hours pass spend most of their time on fetches otherwise.
func (w *World) RareFetches(wait time.Duration) {
	w.Cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.Cluster.KeepControl()
		r.(*kmsg.FetchRequest).MaxWaitMillis = int32(wait.Milliseconds())
		return nil, nil, false
	})
}
