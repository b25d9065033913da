package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// The ends of the world: what befalls a deployment once in its life. Each is a test by name that ends with a recount.

// request is what a pipeline asks of its table.
type request struct {
	keys   []sinks.Key
	update *sinks.Update // of an Update; else nil
	read   bool
}

// checkpoint reports whether the request is about a chain's checkpoint.
func (r request) checkpoint() bool { return r.update != nil && r.update.Set[0].Name == "k" }

// via is a table whose requests all pass through one function. Deletes are not among them: a pipeline makes none.
type via struct {
	sinks.Table
	do func(ctx context.Context, r request, pass func(context.Context) error) error
}

func (v *via) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	err = v.do(ctx, request{keys: []sinks.Key{u.Key}, update: &u}, func(ctx context.Context) (err error) {
		r, err = v.Table.Update(ctx, u)
		return err
	})
	return r, err
}

func (v *via) Put(ctx context.Context, p sinks.Put) (r sinks.Result, err error) {
	err = v.do(ctx, request{keys: []sinks.Key{p.Item.Key()}}, func(ctx context.Context) (err error) {
		r, err = v.Table.Put(ctx, p)
		return err
	})
	return r, err
}

func (v *via) BatchPut(ctx context.Context, items []sinks.Item) (r sinks.BatchResult, err error) {
	err = v.do(ctx, request{keys: keysOf(items)}, func(ctx context.Context) (err error) {
		r, err = v.Table.BatchPut(ctx, items)
		return err
	})
	return r, err
}

func (v *via) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	err = v.do(ctx, request{keys: g.Keys, read: true}, func(ctx context.Context) (err error) {
		r, err = v.Table.BatchGet(ctx, g)
		return err
	})
	return r, err
}

func (v *via) Query(ctx context.Context, q sinks.Query) (p sinks.Page, err error) {
	err = v.do(ctx, request{keys: []sinks.Key{{PK: q.PK}}, read: true}, func(ctx context.Context) (err error) {
		p, err = v.Table.Query(ctx, q)
		return err
	})
	return p, err
}

// mortal returns a table whose user is dead once dead is set: it drops all it has and writes nothing more.
func mortal(table sinks.Table, dead *atomic.Bool) sinks.Table {
	return &via{table, func(ctx context.Context, _ request, pass func(context.Context) error) error {
		if dead.Load() {
			return errKilled
		}
		return pass(ctx)
	}}
}

// ended waits for the end of a process that is expected to end by itself, and returns why it did.
func (p *process) ended() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(time.Hour):
		p.stop()
		<-p.done
		return errors.New("it ran for an hour")
	}
}

// killed ends a process whose table has died.
func (p *process) killed() {
	p.t.Helper()
	p.stop()
	if err := <-p.done; err != nil && !errors.Is(err, errKilled) {
		p.t.Errorf("Run = %v, want the kill", err)
	}
}

// recounts verifies the table against the log, which holds n records: no difference, and the totals add up.
func (w *world) recounts(n int) {
	w.t.Helper()
	r, err := verifyWorld(w, w.options())
	if err != nil {
		w.t.Fatal(err)
	}
	if r.DifferenceCount != 0 || r.UnsettledCount != 0 || len(r.Behind) != 0 || r.ComparedCount == 0 {
		w.t.Errorf("%d differences, first %+v; %d unsettled; behind %v; %d compared", r.DifferenceCount,
			r.Differences[:min(3, len(r.Differences))], r.UnsettledCount, r.Behind, r.ComparedCount)
	}
	if r.Records != int64(n) {
		w.t.Errorf("%d records were recounted, want %d", r.Records, n)
	}
	if have := w.judged(); have != int64(n) {
		w.t.Errorf("the totals have %d records, want %d", have, n)
	}
}

// judged is how many records the totals of all partitions have.
func (w *world) judged() (n int64) {
	w.t.Helper()
	topics, err := kadm.NewClient(w.client).ListTopics(w.t.Context(), w.topic)
	if err != nil {
		w.t.Fatal(err)
	}
	for p := range topics[w.topic].Partitions {
		n += w.checkpoint(sinks.TP{Topic: 1, Partition: p}, pipeline.LaneStats).Totals.Records()
	}
	return n
}

// startHandle starts a process and returns the pipeline too, once it owns what it was assigned and waits for records.
func (w *world) startHandle(o pipeline.Options) (*pipeline.Pipeline, *process) {
	w.t.Helper()
	p, err := pipeline.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	run := &process{w.t, stop, make(chan error, 1)}
	go func() { run.done <- p.Run(ctx) }()
	w.pass(10 * time.Second)
	synctest.Wait()
	return p, run
}

// TestRecordThatPanicsIsIsolated: a record over which we panic is rejected with its bytes and what went wrong, and its
// neighbours count as if it were no event.
func TestRecordThatPanicsIsIsolated(t *testing.T) {
	records := traffic(51, 1, 600, bubbleStart)
	instead := slices.Clone(records) // What a calm process gets to see.
	var bad []int64
	for i, r := range records {
		if bytes.Contains(r.value, []byte(`"page_view"`)) && bytes.Contains(r.value, []byte("siteId")) {
			bad = append(bad, int64(i))
			instead[i].value = []byte("[]")
		}
	}
	want := calm(t, 1, instead)
	for key, row := range want {
		want[key] = strings.Replace(row, `"not_object"`, `"panicked"`, 1)
	}
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		p, run := w.startHandle(w.with(s, 0))
		p.BreakPages()
		produce(len(records))
		w.settled()
		run.drain()
		entries := w.failedEntries(len(records) - int(w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats).Totals.Counted))
		for _, offset := range bad {
			e := entries[offset]
			if e == nil || header(e, pipeline.HeaderReason) != "panicked" || !bytes.Equal(e.Value, records[offset].value) ||
				!strings.Contains(header(e, pipeline.HeaderDetail), "nil map") {
				w.t.Fatalf("offset %d: entry %+v, want the record's bytes, its reason and what failed", offset, e)
			}
		}
		if n := w.judged(); n != int64(len(records)) {
			w.t.Errorf("the totals have %d records, want %d", n, len(records))
		}
	}}.rows(t), want)
	if len(bad) < 100 || len(bad) > 300 {
		t.Errorf("%d records panic: the test is void", len(bad))
	}
}

// TestPanicInAFoldEndsTheProcess: what a lane has accumulated may be anything then, so nothing of it is written; the
// error says where it was, and the next process does it right.
func TestPanicInAFoldEndsTheProcess(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		records := traffic(52, 1, 200, bubbleStart)
		w.folded(w.with(w.table, 0), records[:100])
		p, run := w.startHandle(w.with(w.table, 0))
		p.BreakSites()
		w.produce(records[100:]...)
		err := run.ended()
		for _, part := range []string{"partition 0", "offset 100", "nil map"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("Run = %v, want an error that names %q", err, part)
			}
		}
		run = w.start(w.with(w.table, 0))
		w.settled()
		run.drain()
		w.recounts(len(records))
	})
}

// TestIdlePartitionOutlivesItsRecords: retention takes all records of a partition that has been idle for longer, and
// the process is killed: nothing is missed, not even the offsets of what was never folded, such as the markers of
// transactions.
func TestIdlePartitionOutlivesItsRecords(t *testing.T) {
	tails := map[string]func(w *world){
		"with its last event":          func(*world) {},
		"with a marker":                func(w *world) { w.transaction(1, kgo.TryCommit) },
		"with an aborted transaction":  func(w *world) { w.transaction(3, kgo.TryAbort) },
		"with aborted ones, one later": func(w *world) { w.transaction(3, kgo.TryAbort); w.pass(time.Minute); w.transaction(2, kgo.TryAbort) },
	}
	for name, tail := range tails {
		for _, idle := range []time.Duration{10 * time.Second, 5 * time.Minute} {
			t.Run(fmt.Sprintf("the log ends %s, killed after %v", name, idle), func(t *testing.T) {
				inWorld(t, 1, func(t *testing.T, w *world) {
					var dead atomic.Bool
					records := traffic(50, 1, 90, bubbleStart)
					w.produce(records[:60]...)
					run := w.start(w.with(mortal(w.table, &dead), 0))
					w.settled()
					tail(w)
					w.pass(idle)
					dead.Store(true)
					run.killed()
					before := w.judged()
					w.pass(time.Hour)
					end := w.cluster.PartitionInfo(testTopic, 0).HighWatermark
					if err := w.cluster.DeleteRecords(testTopic, 0, -1); err != nil {
						t.Fatal(err)
					}
					run = w.start(w.with(w.table, 0))
					w.pass(time.Minute)
					w.produce(records[60:]...)
					w.pass(time.Minute)
					run.drain()
					c := w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats)
					if c.To != end+30 || !c.Done || c.Totals.Records() != before+30 {
						t.Errorf("checkpoint %+v, want to stand at %d, with %d records", c, end+30, before+30)
					}
				})
			})
		}
	}
}

// transaction publishes n records in a transaction and ends it.
func (w *world) transaction(n int, end kgo.TransactionEndTry) {
	w.t.Helper()
	c, err := kgo.NewClient(append(w.kafka(), kgo.TransactionalID("tail"), kgo.DefaultProduceTopic(w.topic))...)
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	if err := c.BeginTransaction(); err != nil {
		w.t.Fatal(err)
	}
	for range n {
		r := &kgo.Record{Value: []byte(`{"siteId":"s","type":"click","timestamp":946684800000,"visitorId":"v"}`), Timestamp: bubbleStart}
		if err := c.ProduceSync(w.t.Context(), r).FirstErr(); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := c.EndTransaction(w.t.Context(), end); err != nil {
		w.t.Fatal(err)
	}
}
