package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// The ends of the world: what befalls a deployment once in its life. Each is a test by name that ends with a recount.

// TestRecordThatPanicsIsIsolated: a record over which we panic is rejected with its bytes and what went wrong, and its
// neighbours count as if it were no event, also where it is decoded ahead.
func TestRecordThatPanicsIsIsolated(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{0, pipeline.MaxChunksAhead} {
		t.Run(fmt.Sprint(depth, " chunks ahead"), func(t *testing.T) { panicsAtDepth(t, depth) })
	}
}

func panicsAtDepth(t *testing.T, depth int) {
	records := traffic(51, 1, 600, bubbleStart)
	instead := slices.Clone(records) // What a calm process gets to see.
	var bad []int64
	for i, r := range records {
		if bytes.Contains(r.Value, []byte(`"page_view"`)) && bytes.Contains(r.Value, []byte("siteId")) {
			bad = append(bad, int64(i))
			instead[i].Value = []byte("[]")
		}
	}
	want := calm(t, 1, instead)
	for key, row := range want {
		want[key] = strings.Replace(row, `"not_object"`, `"panicked"`, 1)
	}
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		o := w.With(s, 0)
		o.Kafka = append(o.Kafka, kgo.WithHooks(panicking(func(r *kgo.Record) bool {
			return bytes.Contains(r.Value, []byte(`"page_view"`)) && bytes.Contains(r.Value, []byte("siteId"))
		})))
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		o.ChunksAhead, o.Limits.QueueBytes = depth, testpipeline.FewAChunk
		produce(len(records))
		run := w.Start(o)
		w.Settled()
		run.Drain()
		if n := testutil.ToFloat64(o.Metrics.Ahead); n > 0 != (depth > 0) {
			t.Errorf("%.0f records were decoded ahead", n)
		}
		entries := w.failedEntries(len(records) - int(w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats).Totals.Counted))
		for _, offset := range bad {
			e := entries[offset]
			if e == nil || header(e, event.HeaderReason) != "panicked" || !bytes.Equal(e.Value, records[offset].Value) ||
				!strings.Contains(header(e, event.HeaderDetail), "hostile record") {
				w.T.Fatalf("offset %d: entry %+v, want the record's bytes, its reason and what failed", offset, e)
			}
		}
		if n := w.judged(); n != int64(len(records)) {
			w.T.Errorf("the totals have %d records, want %d", n, len(records))
		}
	}}.rows(t), want)
	if len(bad) < 100 || len(bad) > 300 {
		t.Errorf("%d records panic: the test is void", len(bad))
	}
}

// panicking is a hook of the client. It makes decoding panic at the records that it chooses.
type panicking func(*kgo.Record) bool

func (chooses panicking) OnFetchRecordUnbuffered(r *kgo.Record, polled bool) {
	if polled && chooses(r) {
		r.Context = &panicsOnce{Context: context.Background()}
	}
}

// panicsOnce panics the first time that it is asked for a value, which is while its record is decoded.
type panicsOnce struct {
	context.Context
	asked bool
}

func (c *panicsOnce) Value(any) any {
	if !c.asked {
		c.asked = true
		panic("hostile record")
	}
	return nil
}

// TestPanicInAFoldEndsTheProcess: what a lane has accumulated may be anything then, so nothing of it is written; the
// error says where it was, and the next process does it right. A breakdown that has less than a session takes back is what panics.
func TestPanicInAFoldEndsTheProcess(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.With(w.Table, 0), []record{visitTo("v", "a", "/1", "1", bubbleStart)})
		at := sinks.Keys{}.Breakdown("s", bubbleStart.UnixMilli(), sinks.TP{Topic: 1})
		items := w.Query(at.PK, at.SK)
		if len(items) != 1 {
			t.Fatalf("%d breakdowns, want 1", len(items))
		}
		none, err := sketch.PackBreakdown(sketch.NewBreakdown(w.Options().Settings.Breakdowns))
		if err != nil {
			t.Fatal(err)
		}
		empty := maps.Clone(items[0])
		empty[sinks.AttrPart] = sinks.Bytes(none)
		put := func(it sinks.Item) {
			if _, err := w.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Fatal(err)
			}
		}
		put(empty)
		run := w.Start(w.With(w.Table, 0))
		w.Produce(visitTo("v", "a", "/2", "2", bubbleStart.Add(time.Second)))
		err = run.Ended()
		for _, part := range []string{"partition 0", "offset 1", "takes back more than there is"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("Run = %v, want an error that names %q", err, part)
			}
		}
		put(items[0])
		run = w.Start(w.With(w.Table, 0))
		w.Settled()
		run.Drain()
		w.recounts(2)
	})
}

// TestIdlePartitionOutlivesItsRecords: retention takes all records of a partition that has been idle for longer, and
// the process is killed: nothing is missed, not even the offsets of what was never folded, such as the markers of
// transactions.
func TestIdlePartitionOutlivesItsRecords(t *testing.T) {
	t.Parallel()
	tails := map[string]func(w *world){
		"with its last event":          func(*world) {},
		"with a marker":                func(w *world) { w.transaction(1, kgo.TryCommit) },
		"with an aborted transaction":  func(w *world) { w.transaction(3, kgo.TryAbort) },
		"with aborted ones, one later": func(w *world) { w.transaction(3, kgo.TryAbort); w.Pass(time.Minute); w.transaction(2, kgo.TryAbort) },
	}
	for name, tail := range tails {
		for _, idle := range []time.Duration{10 * time.Second, 5 * time.Minute} {
			t.Run(fmt.Sprintf("the log ends %s, killed after %v", name, idle), func(t *testing.T) {
				inWorld(t, 1, func(t *testing.T, w *world) {
					w.RareFetches(5 * time.Second)
					var dead atomic.Bool
					records := traffic(50, 1, 90, bubbleStart)
					w.Produce(records[:60]...)
					run := w.Start(w.With(mortal(w.Table, &dead), 0))
					w.Settled()
					tail(w)
					w.Pass(idle)
					dead.Store(true)
					run.Killed()
					before := w.judged()
					w.Pass(time.Hour)
					end := w.Cluster.PartitionInfo(testTopic, 0).HighWatermark
					if err := w.Cluster.DeleteRecords(testTopic, 0, -1); err != nil {
						t.Fatal(err)
					}
					run = w.Start(w.With(w.Table, 0))
					w.Pass(time.Minute)
					w.Produce(records[60:]...)
					w.Pass(time.Minute)
					run.Drain()
					c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
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
	w.T.Helper()
	c, err := kgo.NewClient(append(w.Kafka(), kgo.TransactionalID("tail"), kgo.DefaultProduceTopic(w.Topic))...)
	if err != nil {
		w.T.Fatal(err)
	}
	defer c.Close()
	if err := c.BeginTransaction(); err != nil {
		w.T.Fatal(err)
	}
	for range n {
		r := &kgo.Record{Value: []byte(`{"siteId":"s","type":"click","timestamp":946684800000,"visitorId":"v"}`), Timestamp: bubbleStart}
		if err := c.ProduceSync(w.T.Context(), r).FirstErr(); err != nil {
			w.T.Fatal(err)
		}
	}
	if err := c.EndTransaction(w.T.Context(), end); err != nil {
		w.T.Fatal(err)
	}
}

// TestFailedTopicUnavailableStopsConsumption: while rejected records cannot be published, nothing moves past them and
// the partition is read no further than its ceilings say; other partitions go on, and after an hour nothing is lost.
func TestFailedTopicUnavailableStopsConsumption(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		err  *kerr.Error
		size int     // of a bad record; 70 long ones are as much as may be on its way
		step int     // items of a step; of short ones nobody stops the fold before ceilingSteps have accumulated
		lag  float64 // what of 1,920 records is not read in any case
	}{
		{"too few replicas, long records", kerr.NotEnoughReplicas, 60_000, 5000, 600},
		{"too few replicas, short records", kerr.NotEnoughReplicas, 10, 10, 1200},
		{"an unknown error, short records", kerr.UnknownServerError, 10, 10, 1200},
		{"entries that arrive all the same", kerr.RequestTimedOut, 10, 10, 1200},
	}
	for _, c := range cases[:slow.Of(t, 2, len(cases))] {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 2, func(t *testing.T, w *world) {
				o := w.With(w.Table, 0)
				o.Limits.StepItems = c.step
				w.RareFetches(5 * time.Second)
				o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
				run := w.Start(o)
				w.Pass(10 * time.Second)
				fault := w.Cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: testTopic + ".failed", Err: c.err, Count: -1})
				bad, n := bytes.Repeat([]byte{'x'}, c.size), 0
				good := slices.DeleteFunc(traffic(53, 1, 4000, bubbleStart), func(r record) bool { return !bytes.Contains(r.Value, []byte("siteId")) })
				var stuck checkpoint.Head
				for minute := range 60 {
					for i := range 2 {
						records := append([]record{{Key: "k", At: time.Now(), Value: bad}}, good[minute*60+i*30:][:30]...)
						for j := range records[1:] {
							records[1+j].Partition = int32(j % 2)
						}
						w.Produce(records...)
						n += len(records)
						w.Pass(30 * time.Second)
					}
					have := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
					if minute == 0 {
						stuck = have
					}
					if have.Step != stuck.Step || have.Done {
						t.Fatalf("minute %d: step %d, done %v: want step %d open", minute, have.Step, have.Done, stuck.Step)
					}
				}
				if to := w.Checkpoint(sinks.TP{Topic: 1, Partition: 1}, checkpoint.LaneStats).To; to < 60*30-30 {
					t.Errorf("partition 1, without bad records, stands at %d of 1,800", to)
				}
				if lag := testutil.ToFloat64(o.Metrics.Lag.WithLabelValues("0")); lag < c.lag {
					t.Errorf("partition 0 lags by %v records, want %v at least", lag, c.lag)
				}
				fault.Remove()
				w.Settled()
				run.Drain()
				w.recounts(n)
				if entries := w.failedEntries(120); len(entries) != 120 {
					t.Errorf("%d entries on the failed-events topic, want 120", len(entries))
				}
			})
		})
	}
}

// TestExpiredCredentialsEndLoudly: what DynamoDB does not let us do any more ends the process, wherever it was, and says
// how to get new credentials; the next process is exact. Credentials that the SDK renews by itself are renewed before
// they expire, so an answer that they have expired is the end: a restart is harmless and asks for new ones.
func TestExpiredCredentialsEndLoudly(t *testing.T) {
	t.Parallel()
	const hint = "sign in again"
	records := traffic(54, 1, 60, bubbleStart)
	want := calm(t, 1, records)
	stride := 2 * slow.Every(t, 3)
	for last := 1; ; last += stride {
		ended := false
		compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
			var n atomic.Int64
			run := w.Start(w.With(&via{s, func(ctx context.Context, _ request, pass func(context.Context) error) error {
				if n.Add(1) > int64(last) {
					return fmt.Errorf("%w: ExpiredTokenException: the session has expired: %s (aws sso login)", sinks.ErrDenied, hint)
				}
				return pass(ctx)
			}}, 0))
			for range 3 {
				produce(20)
				w.Pass(2500 * time.Millisecond)
			}
			run.Stop()
			if err := <-run.Done; err != nil {
				ended = true
				if !errors.Is(err, sinks.ErrDenied) || !strings.Contains(err.Error(), hint) {
					t.Errorf("Run = %v, want %v and what to do", err, sinks.ErrDenied)
				}
			}
		}}.rows(t), want)
		if t.Failed() {
			t.Fatalf("expired after request %d", last)
		}
		if !ended {
			if last < 30 {
				t.Errorf("only %d requests were made", last)
			}
			break
		}
	}
}

// TestItemThatIsFullEndsLoudly: an item that would pass 400 KB ends the process, which names the item and what to do;
// once there is room, nothing is lost.
func TestItemThatIsFullEndsLoudly(t *testing.T) {
	t.Parallel()
	for name, full := range map[string]sinks.Key{
		"an hour": sinks.Keys{}.HourStats("site-1", bubbleStart.UnixMilli()),
		"a day":   sinks.Keys{}.DayStats("site-1", bubbleStart.UnixMilli()),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				records := traffic(63, 1, 200, bubbleStart)
				o := w.With(w.Table, 0)
				w.Folded(o, records[:20])
				// As if thousands of partitions had left their parts.
				others := sinks.Attr{Name: "others", Value: sinks.Bytes(make([]byte, sinks.MaxItemBytes-w.Item(full).Size()-len("others")))}
				if _, err := w.Table.Update(t.Context(), sinks.Update{Key: full, Set: []sinks.Attr{others}}); err != nil {
					t.Fatal(err)
				}
				w.Produce(records[20:]...)
				err := w.Start(o).Ended()
				for _, part := range []string{"partition 0", full.PK, full.SK, "fewer partitions"} {
					if !errors.Is(err, sinks.ErrTooLarge) || !strings.Contains(err.Error(), part) {
						t.Errorf("Run = %v, want %v and %q", err, sinks.ErrTooLarge, part)
					}
				}
				if _, err := w.Table.Update(t.Context(), sinks.Update{Key: full, Remove: []string{"others"}}); err != nil {
					t.Fatal(err)
				}
				run := w.Start(o)
				w.Settled()
				run.Drain()
				w.recounts(len(records))
			})
		})
	}
}
