package replay_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/sinks"
)

const (
	topic  = "events"
	failed = "events.failed"
)

var (
	start   = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // where the clock of every bubble begins
	hashKey = []byte("0123456789abcdef")
)

// world is a broker with a topic of 3 partitions and its failed-events topic of 2, and a table: in a bubble of fake time
// (inWorld), or on a real broker (inRealWorld).
type world struct {
	t      *testing.T
	seeds  []kgo.Opt
	net    *kfake.VirtualNetwork // nil on a real broker
	table  sinks.Table
	client *kgo.Client
	admin  *kadm.Client
	id     [16]byte // of the topic

	registry schemas.Registry // of pipelines; nil: none
}

func inWorld(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	testworld.InBubble(t, 1, func(t *testing.T, b *testworld.World) {
		w := &world{t: t, net: b.Network, seeds: b.Kafka, table: b.Table, client: b.Client}
		w.begin()
		f(t, w)
	}, kfake.SeedTopics(3, topic), kfake.SeedTopics(2, failed))
}

// begin makes what a pipeline finds.
func (w *world) begin() {
	w.t.Helper()
	must(sinks.EnsureTableSettings(w.t.Context(), w.table, sinks.Keys{}, hashKey))(w.t)
	must(sinks.EnsureTopic(w.t.Context(), w.table, sinks.Keys{}, topic))(w.t)
	w.admin = kadm.NewClient(w.client)
	for w.id == ([16]byte{}) { // A broker may answer for a moment as if the topic were not there yet.
		w.id = must(w.admin.ListTopics(w.t.Context(), topic))(w.t)[topic].ID
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (w *world) kafka() []kgo.Opt { return append([]kgo.Opt(nil), w.seeds...) }

func (w *world) options() replay.Options {
	return replay.Options{Kafka: w.kafka(), Topic: topic, Table: w.table}
}

// replay runs a replay that is expected to end well.
func (w *world) replay(change func(*replay.Options)) *replay.Summary {
	w.t.Helper()
	o := w.options()
	if change != nil {
		change(&o)
	}
	s, err := replay.Run(w.t.Context(), o)
	if err != nil {
		w.t.Fatalf("replay: %v", err)
	}
	return s
}

// refused runs a replay that is expected to end with an error.
func (w *world) refused(change func(*replay.Options)) error {
	w.t.Helper()
	o := w.options()
	change(&o)
	s, err := replay.Run(w.t.Context(), o)
	if err == nil {
		w.t.Fatalf("replay ended well: %+v", s)
	}
	return err
}

// fake is an entry as the pipeline publishes it.
type fake struct {
	value     string // "": one that is no event
	in        int32  // partition of the failed-events topic
	reason    event.Reason
	partition int32
	offset    int64
	time      time.Time // zero: start
	topic     string    // "": topic
	truncated bool
	replayed  bool
	earlier   bool // it came from an earlier topic of the name
}

func (f fake) source(w *world) event.Source {
	s := event.Source{TopicID: w.id, Partition: f.partition, Offset: f.offset}
	if f.earlier {
		s.TopicID[0]++
	}
	return s
}

// folded makes the chains of the topic stand behind all offsets of fakes, folded under settings that reject what they will.
func (w *world) folded() {
	w.t.Helper()
	for p := range int32(4) { // A test adds a partition.
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: p}, checkpoint.LaneStats)
		must(w.table.Put(w.t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			"k": sinks.Int(1), "f": sinks.Int(0), "t": sinks.Int(10_000), "d": sinks.Int(1),
			"totals": sinks.Str(`{"counted":10000,"duplicate":0,"sessionless":0}`),
			"tid":    sinks.Str(hex.EncodeToString(w.id[:])), "ver": sinks.Str(checkpoint.DefaultSettings().String())}}))(w.t)
	}
}

// entries publishes fakes, of records that are folded.
func (w *world) entries(list ...fake) {
	w.t.Helper()
	w.folded()
	var records []*kgo.Record
	for _, f := range list {
		id := f.source(w).TopicID
		if f.time.IsZero() {
			f.time = start
		}
		if f.topic == "" {
			f.topic = topic
		}
		r := &kgo.Record{Topic: failed, Partition: f.in, Key: fmt.Append(nil, "key", f.offset), Value: fmt.Append(nil, "value", f.offset)}
		if f.value != "" {
			r.Value = []byte(f.value)
		}
		for k, v := range map[string]string{event.HeaderReason: string(f.reason), event.HeaderTopic: f.topic,
			event.HeaderTopicID: hex.EncodeToString(id[:]), event.HeaderPartition: fmt.Sprint(f.partition),
			event.HeaderOffset: fmt.Sprint(f.offset), event.HeaderTime: strconv.FormatInt(f.time.UnixMilli(), 10)} {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: k, Value: []byte(v)})
		}
		if f.truncated {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: event.HeaderTruncated, Value: []byte("value")})
		}
		if f.replayed {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: event.HeaderSource, Value: []byte(f.source(w).String())})
		}
		records = append(records, r)
	}
	if err := w.client.ProduceSync(w.t.Context(), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

// many are entries of both partitions of the failed-events topic, of all partitions of the topic, with repetitions.
func many(n int) (list []fake) {
	for i := range n {
		f := fake{in: int32(i % 2), reason: event.TooLate, partition: int32(i % 3), offset: int64(1000 + i)}
		list = append(list, f)
		if i%5 == 0 {
			f.in = int32(i / 5 % 2)
			list = append(list, f)
		}
	}
	return list
}

// replayedRecords reads the topic: how often each source is there.
func (w *world) replayedRecords() map[string][]*kgo.Record {
	w.t.Helper()
	found := make(map[string][]*kgo.Record)
	ends := must(w.admin.ListEndOffsets(w.t.Context(), topic))(w.t)
	left := make(map[int32]int64)
	offsets := make(map[int32]kgo.Offset)
	starts := must(w.admin.ListStartOffsets(w.t.Context(), topic))(w.t)
	for p, o := range ends[topic] {
		if s := starts[topic][p].Offset; s < o.Offset {
			left[p], offsets[p] = o.Offset, kgo.NewOffset().At(s)
		}
	}
	c := must(kgo.NewClient(append(w.kafka(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())...))(w.t)
	defer c.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Minute)
	defer cancel()
	for len(left) > 0 {
		fetches := c.PollFetches(ctx)
		if ctx.Err() != nil {
			w.t.Fatalf("the topic cannot be read to its end: %v", left)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
			for _, h := range r.Headers {
				if h.Key == event.HeaderSource && !r.Attrs.IsControl() {
					found[string(h.Value)] = append(found[string(h.Value)], r)
				}
			}
		})
	}
	return found
}

// wantOnce checks that the topic holds each entry's record once, and nothing else.
func (w *world) wantOnce(list []fake) {
	w.t.Helper()
	found := w.replayedRecords()
	want := make(map[string]fake)
	for _, f := range list {
		want[f.source(w).String()] = f
	}
	for source, f := range want {
		records := found[source]
		if len(records) != 1 {
			w.t.Errorf("%s is in the topic %d times, want once", source, len(records))
			continue
		}
		r := records[0]
		if r.Partition != f.partition || string(r.Key) != fmt.Sprint("key", f.offset) || string(r.Value) != fmt.Sprint("value", f.offset) ||
			!r.Timestamp.Equal(start) {
			w.t.Errorf("%s came back as partition %d, key %q, value %q, time %v", source, r.Partition, r.Key, r.Value, r.Timestamp)
		}
	}
	for source := range found {
		if _, ok := want[source]; !ok {
			w.t.Errorf("%s is in the topic, which nobody asked for", source)
		}
	}
}

// fold runs a pipeline until it has folded the whole topic.
func (w *world) fold(s checkpoint.Settings) {
	w.t.Helper()
	if err := w.run(s, w.table); err != nil {
		w.t.Fatalf("pipeline: %v", err)
	}
}

// leave runs a pipeline that rejects what it will and ends before it has begun a step.
func (w *world) leave(s checkpoint.Settings) {
	w.t.Helper()
	if err := w.run(s, noIntents{w.table}); !errors.Is(err, errKilled) {
		w.t.Fatalf("pipeline: %v, want the kill", err)
	}
}

func (w *world) run(s checkpoint.Settings, table sinks.Table) error {
	w.t.Helper()
	p := must(pipeline.New(pipeline.Options{Kafka: w.kafka(), Topic: topic, Group: "g", Table: table, HashKey: hashKey, Settings: s,
		Registry: w.registry}))(w.t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	select {
	case <-time.After(5 * time.Minute):
		stop()
		return <-done
	case err := <-done:
		return err
	}
}

// noIntents kills whoever begins a step of a chain.
type noIntents struct{ sinks.Table }

func (n noIntents) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	for _, a := range u.Set {
		if a.Name == "k" && strings.HasPrefix(u.Key.PK, "CHAIN#") {
			return sinks.Result{}, errKilled
		}
	}
	return n.Table.Update(ctx, u)
}

// totals are those of all partitions.
func (w *world) totals() (sum checkpoint.Totals) {
	w.t.Helper()
	sum.Rejected = make(map[event.Reason]int64)
	for p := range int32(3) {
		c := testworld.Checkpoint(w.t, w.table, sinks.TP{Topic: 1, Partition: p}, checkpoint.LaneStats)
		sum.Counted += c.Totals.Counted
		sum.Duplicate += c.Totals.Duplicate
		for reason, n := range c.Totals.Rejected {
			sum.Rejected[reason] += n
		}
	}
	return sum
}

// verified checks the table against a recount of the topic.
func (w *world) verified() {
	w.t.Helper()
	r, err := verify.Run(w.t.Context(), verify.Options{Kafka: w.kafka(), Topic: topic, Table: w.table, HashKey: hashKey})
	if err != nil || r.ExitCode() != 0 {
		w.t.Errorf("verify: %v, exit code %d: %+v", err, r.ExitCode(), r)
	}
}

var errKilled = errors.New("killed")

// killer ends a run at its at-th request, to the table or to a broker, before the request is made or right after: from
// then on nothing of it gets out.
type killer struct {
	sinks.Table
	dial   func(context.Context, string, string) (net.Conn, error)
	cancel context.CancelCauseFunc
	at     int
	after  bool

	mu       sync.Mutex
	requests int
	dead     bool
	conns    []net.Conn
}

// request counts one, and says whether it may be made and whether its answer may be heard.
func (k *killer) request() (send, hear bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return false, false
	}
	k.requests++
	if k.requests != k.at {
		return true, true
	}
	k.dead = true
	return k.after, false
}

func (k *killer) kill() {
	k.cancel(errKilled)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.conns {
		c.Close()
	}
}

func (k *killer) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	send, hear := k.request()
	if send {
		r, err = k.Table.Update(ctx, u)
	}
	if !hear {
		k.kill()
		return sinks.Result{}, errKilled
	}
	return r, err
}

func (k *killer) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := k.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		c.Close()
		return nil, errKilled
	}
	k.conns = append(k.conns, c)
	return &killedConn{c, k}, nil
}

type killedConn struct {
	net.Conn
	k *killer
}

func (c *killedConn) Write(b []byte) (n int, err error) {
	send, hear := c.k.request()
	if send {
		n, err = c.Conn.Write(b)
	}
	if !hear {
		time.Sleep(time.Second) // In fake time: for the broker to do what it was asked.
		c.k.kill()
		return 0, errKilled
	}
	return n, err
}

// killedAt runs a replay that is killed at a request, and says whether it came to that.
func (w *world) killedAt(at int, after bool, change func(*replay.Options)) bool {
	w.t.Helper()
	ctx, cancel := context.WithCancelCause(w.t.Context())
	defer cancel(nil)
	k := &killer{Table: w.table, dial: w.net.DialContext, cancel: cancel, at: at, after: after}
	o := w.options()
	o.Table = k
	o.Kafka = append(o.Kafka, kgo.Dialer(k.connect))
	if change != nil {
		change(&o)
	}
	_, err := replay.Run(ctx, o)
	k.mu.Lock() // A client that was closed may still be sending what nobody waits for.
	defer k.mu.Unlock()
	if err != nil && !k.dead { // The other way round is right: the request may be one that nobody waits for.
		w.t.Fatalf("replay: %v", err)
	}
	return k.dead
}
