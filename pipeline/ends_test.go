package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/classify"
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
	t.Parallel()
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

// TestFailedTopicUnavailableStopsConsumption: while rejected records cannot be published, nothing moves past them and
// the partition is read no further than its ceilings say; other partitions go on, and after an hour nothing is lost.
func TestFailedTopicUnavailableStopsConsumption(t *testing.T) {
	cases := []struct {
		name string
		err  *kerr.Error
		size int     // of a bad record; 70 long ones are as much as may be on its way
		step int     // items of a step; of short ones nobody stops the fold before four steps have accumulated
		lag  float64 // what of 1,920 records is not read in any case
	}{
		{"too few replicas, long records", kerr.NotEnoughReplicas, 60_000, 5000, 600},
		{"too few replicas, short records", kerr.NotEnoughReplicas, 10, 10, 1200},
		{"an unknown error, short records", kerr.UnknownServerError, 10, 10, 1200},
		{"entries that arrive all the same", kerr.RequestTimedOut, 10, 10, 1200},
	}
	if testing.Short() {
		cases = cases[:2]
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 2, func(t *testing.T, w *world) {
				o := w.with(w.table, 0)
				o.Limits.StepItems = c.step
				o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
				run := w.start(o)
				w.pass(10 * time.Second)
				fault := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: testTopic + ".failed", Err: c.err, Count: -1})
				bad, n := bytes.Repeat([]byte{'x'}, c.size), 0
				good := slices.DeleteFunc(traffic(53, 1, 4000, bubbleStart), func(r record) bool { return !bytes.Contains(r.value, []byte("siteId")) })
				var stuck pipeline.Checkpoint
				for minute := range 60 {
					for i := range 2 {
						w.produce(record{key: "k", at: time.Now(), value: bad})
						for j := range 30 {
							r := good[minute*60+i*30+j]
							r.partition = int32(j % 2)
							w.produce(r)
							n++
						}
						n++
						w.pass(30 * time.Second)
					}
					have := w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats)
					if minute == 0 {
						stuck = have
					}
					if have.Step != stuck.Step || have.Done {
						t.Fatalf("minute %d: step %d, done %v: want step %d open", minute, have.Step, have.Done, stuck.Step)
					}
				}
				if to := w.checkpoint(sinks.TP{Topic: 1, Partition: 1}, pipeline.LaneStats).To; to < 60*30-30 {
					t.Errorf("partition 1, without bad records, stands at %d of 1,800", to)
				}
				if lag := testutil.ToFloat64(o.Metrics.Lag.WithLabelValues("0")); lag < c.lag {
					t.Errorf("partition 0 lags by %v records, want %v at least", lag, c.lag)
				}
				fault.Remove()
				w.settled()
				run.drain()
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
	const hint = "sign in again"
	records := traffic(54, 1, 60, bubbleStart)
	want := calm(t, 1, records)
	for last := 1; ; last += 2 {
		ended := false
		compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
			var n atomic.Int64
			run := w.start(w.with(&via{s, func(ctx context.Context, _ request, pass func(context.Context) error) error {
				if n.Add(1) > int64(last) {
					return fmt.Errorf("%w: ExpiredTokenException: the session has expired: %s (aws sso login)", sinks.ErrDenied, hint)
				}
				return pass(ctx)
			}}, 0))
			for range 3 {
				produce(20)
				w.pass(2500 * time.Millisecond)
			}
			run.stop()
			if err := <-run.done; err != nil {
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

// TestConsumerWithAnotherClock: the clock of one of two consumers is a day off. All that lasts is as in a calm run, and
// of what lives for ten minutes each item is right or absent. Only a minute in whose ten minutes its partition passed
// between the two may lack what the fast one left out as expired.
func TestConsumerWithAnotherClock(t *testing.T) {
	t.Parallel()
	records := traffic(55, 2, 2400, bubbleStart)
	want := calm(t, 2, records)
	for name, off := range map[string]time.Duration{"a day fast": 24 * time.Hour, "a day slow": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			var passed []time.Time
			rows := trial{2, records, func(w *world, s *spy, produce func(int)) {
				load := func(minutes int) {
					for range minutes {
						produce(40) // As many as happen in a minute.
						w.pass(time.Minute)
					}
				}
				first := w.start(w.with(s, 0))
				load(5)
				o := w.with(s, 1)
				o.Now = func() time.Time { return time.Now().Add(off) }
				passed = append(passed, time.Now())
				second := w.start(o)
				load(5)
				passed = append(passed, time.Now())
				first.drain()
				load(30)
				passed = append(passed, time.Now())
				first = w.start(w.with(s, 0))
				load(3)
				passed = append(passed, time.Now())
				second.drain()
				load(17)
				first.drain()
			}}.rows(t)
			rest, absent, short := maps.Clone(want), 0, 0
			for key, row := range want {
				if !strings.Contains(key, sinks.RealtimePrefix) || rows[key] == row {
					continue
				}
				_, minute, _ := strings.Cut(key, sinks.RealtimePrefix)
				begins := at(t, minute[:len("2000-01-01T00:00")]+":00Z")
				if _, ok := rows[key]; !ok {
					absent++
				} else if short++; !slices.ContainsFunc(passed, func(p time.Time) bool {
					return p.Add(time.Minute).After(begins) && begins.Add(pipeline.RealtimeTTL+2*time.Minute).After(p)
				}) {
					t.Errorf("%s\nhave %s\nwant %s", key, rows[key], row)
				}
				delete(rest, key)
				delete(rows, key)
			}
			compare(t, rows, rest)
			t.Logf("%d realtime minutes absent, %d short", absent, short)
			if fast := off > 0; fast != (absent > 0) || !fast && short > 0 {
				t.Errorf("%d realtime minutes are absent, %d short", absent, short)
			}
		})
	}
}

// TestRollingDeployWithOtherSettings: processes are replaced one by one, in order and by kill -9 in the middle of a
// step, by those of another release with other settings, under load. Each step counts by the settings that it names,
// whoever does it again.
func TestRollingDeployWithOtherSettings(t *testing.T) {
	inWorld(t, 3, func(t *testing.T, w *world) {
		before, after := pipeline.DefaultSettings(), pipeline.DefaultSettings()
		after.LateMs, after.NonInteractive, after.RawEvents = time.Minute.Milliseconds(), []string{"click"}, false
		after.Retention.SessionDays, after.Duplicates = 10, 100
		metrics := pipeline.NewMetrics(prometheus.NewRegistry()) // Of the new release.
		records := traffic(56, 3, 1500, bubbleStart)
		n := len(records)
		load := func(n int) {
			for range n {
				w.produce(records[:50]...)
				records = records[50:]
				w.pass(3 * time.Second)
			}
		}
		var runs []*process
		var fates []*midStep
		for i := range 6 {
			fate := &midStep{Table: w.table}
			o := w.with(fate, uint64(i))
			if o.Settings = before; i >= 3 {
				o.Settings, o.Metrics = after, metrics
			}
			runs, fates = append(runs, w.start(o)), append(fates, fate)
			load(3)
			if i < 3 {
				continue
			}
			if i == 4 {
				runs[1].drain()
			} else {
				fates[i-3].doom.Store(true)
				load(2)
				runs[i-3].killed()
			}
			load(1)
		}
		load(len(records) / 50)
		w.settled()
		for _, run := range runs[3:] {
			run.drain()
		}
		w.recounts(n)
		if n := testutil.ToFloat64(metrics.Redone.WithLabelValues(pipeline.LaneStats)); n == 0 {
			t.Error("the new release did no step of the old one again: the test is void")
		}
	})
}

// midStep is a table whose user dies at the first write of a step of the stats lane, once it is doomed.
type midStep struct {
	sinks.Table
	doom, dead atomic.Bool
}

func (m *midStep) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if m.doom.Load() && strings.HasPrefix(u.Key.SK, "SESSION#") {
		m.dead.Store(true)
	}
	if m.dead.Load() {
		return sinks.Result{}, errKilled
	}
	return m.Table.Update(ctx, u)
}

// TestStepOfAnotherReleaseIsLeftToIt: a process that does not know the fold version of an open step says which release
// can do it again, and touches nothing; that release goes on exactly.
func TestStepOfAnotherReleaseIsLeftToIt(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		records := traffic(57, 1, 200, bubbleStart)
		w.killedMidStep(records[:100])
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats)
		ours := w.item(key)
		other := pipeline.DefaultSettings()
		other.Fold = pipeline.FoldVersion + 1
		release := func(ver string) {
			if _, err := w.table.Update(t.Context(), sinks.Update{Key: key, Set: []sinks.Attr{{Name: "ver", Value: sinks.Str(ver)}}}); err != nil {
				t.Fatal(err)
			}
		}
		w.produce(records[100:]...)
		for _, c := range []struct{ ver, says string }{
			{other.String(), fmt.Sprint("fold version ", pipeline.FoldVersion+1)},
			{strings.Replace(ours["ver"].Str(), classify.Version, "of tomorrow", 1), `"of tomorrow"`},
		} {
			release(c.ver)
			err := w.start(w.with(w.table, 0)).ended()
			for _, part := range []string{"partition 0", c.says, "run the release that began it"} {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("Run = %v, want an error that says %q", err, part)
				}
			}
		}
		release(ours["ver"].Str())
		run := w.start(w.with(w.table, 1))
		w.settled()
		run.drain()
		w.recounts(len(records))
	})
}

// contents are all items under the partition keys that s has seen.
func (w *world) contents(s *spy) map[sinks.Key]sinks.Item {
	w.t.Helper()
	items := make(map[sinks.Key]sinks.Item)
	for _, pk := range s.list() {
		for q := (sinks.Query{PK: pk, Consistent: true}); ; {
			page, err := w.table.Query(w.t.Context(), q)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, it := range page.Items {
				items[it.Key()] = it
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
	}
	return items
}

// restore makes the table hold just the items.
func (w *world) restore(s *spy, items map[sinks.Key]sinks.Item) {
	w.t.Helper()
	for key := range w.contents(s) {
		if _, err := w.table.Delete(w.t.Context(), sinks.Delete{Key: key}); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, it := range items {
		if _, err := w.table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestTableRestoredAsAWholeContinuesExactly: the whole table goes back to where it was, in the middle of a step, and
// the log is still there: what was folded since is folded again.
func TestTableRestoredAsAWholeContinuesExactly(t *testing.T) {
	t.Parallel()
	for _, at := range []int{5, 12, 20, 33, 60} { // The request before which the snapshot was taken.
		t.Run(fmt.Sprint("before request ", at), func(t *testing.T) {
			inWorld(t, 2, func(t *testing.T, w *world) {
				s, n := newSpy(w.table), atomic.Int64{}
				records := traffic(58, 2, 400, bubbleStart)
				w.folded(w.with(s, 0), records[:100])
				run := w.start(w.with(&via{s, func(ctx context.Context, _ request, pass func(context.Context) error) error {
					if n.Add(1) >= int64(at) {
						return errKilled
					}
					return pass(ctx)
				}}, 0))
				w.produce(records[100:200]...)
				if err := run.ended(); !errors.Is(err, errKilled) {
					t.Errorf("Run = %v, want the kill", err)
				}
				snapshot := w.contents(s)
				w.folded(w.with(s, 1), records[200:300])
				w.folded(w.with(s, 2), records[300:])
				w.restore(s, snapshot)
				run = w.start(w.with(s, 3))
				w.settled()
				run.drain()
				w.recounts(len(records))
			})
		})
	}
}

// TestRestoredCheckpointsEndLoudly: checkpoints from before some steps meet items that carry later ones; with those
// that belong to the items the chain goes on exactly.
func TestRestoredCheckpointsEndLoudly(t *testing.T) {
	for name, lanes := range map[string][]string{"realtime": {pipeline.LaneRealtime}, "both": pipeline.Lanes} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.with(w.table, 0)
				records := traffic(59, 1, 300, bubbleStart)
				exchange := func(with []sinks.Item) (items []sinks.Item) {
					for _, lane := range lanes {
						items = append(items, w.item(sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane)))
					}
					for _, it := range with {
						if _, err := w.table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
							t.Fatal(err)
						}
					}
					return items
				}
				w.folded(o, records[:50])
				before := exchange(nil)
				w.folded(o, records[50:200])
				w.folded(o, records[200:250])
				after := exchange(before)
				w.produce(records[250:]...)
				if err := w.start(o).ended(); !errors.Is(err, pipeline.ErrForeignTable) || !strings.Contains(err.Error(), "restore") {
					t.Errorf("Run = %v, want %v and what to do", err, pipeline.ErrForeignTable)
				}
				exchange(after)
				run := w.start(o)
				w.settled()
				run.drain()
				w.recounts(len(records))
			})
		})
	}
}

// TestDrainCutShortAtEachPoint: the table stops answering at the i-th request after the drain began, for every i, until
// the drain's deadline: it refuses connections, or lets requests hang. A lane is marked as done only when all of its step
// has been answered, and the next process ends with the rows of a calm run.
func TestDrainCutShortAtEachPoint(t *testing.T) {
	t.Parallel()
	records := traffic(60, 1, 60, bubbleStart)
	want := calm(t, 1, records)
	for _, hangs := range []bool{false, true} {
		for at := int64(1); ; at++ {
			cut := false
			compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
				d := &drained{t: w.t, open: make(map[string]map[sinks.Key]bool), cutAt: at, hangs: hangs}
				o := w.with(&via{s, d.do}, 0)
				o.StatsInterval = 20 * time.Second // It accumulates when the drain begins.
				run := w.start(o)
				produce(20)
				w.pass(20 * time.Second)
				produce(20)
				w.pass(time.Second)
				d.draining.Store(true)
				start := time.Now()
				run.drain()
				if took := time.Since(start); took > 36*time.Second {
					w.t.Errorf("the drain took %v", took)
				}
				cut = d.requests.Load() >= at
			}}.rows(t), want)
			if t.Failed() {
				t.Fatalf("cut at request %d of the drain, hanging %v", at, hangs)
			}
			if !cut {
				if at < 10 {
					t.Errorf("a drain made only %d requests", at)
				}
				break
			}
		}
	}
}

// drained watches a drain. Once draining is set it lets cutAt-1 requests pass and answers no more.
type drained struct {
	t        testing.TB
	cutAt    int64
	hangs    bool
	draining atomic.Bool
	requests atomic.Int64 // since the drain began

	mu   sync.Mutex                    // covers open
	open map[string]map[sinks.Key]bool // by lane: what was sent and not answered
}

// lane is whose write the request is: of a checkpoint or an item by its mark, of all else the stats lane's.
func (r request) lane() string {
	mark := sinks.AttrMark(pipeline.LaneRealtime, sinks.TP{Topic: 1})
	if r.update != nil && (strings.HasSuffix(r.update.Key.SK, "#"+pipeline.LaneRealtime) ||
		slices.ContainsFunc(r.update.Set, func(a sinks.Attr) bool { return a.Name == mark })) {
		return pipeline.LaneRealtime
	}
	return pipeline.LaneStats
}

func (d *drained) do(ctx context.Context, r request, pass func(context.Context) error) error {
	if r.read {
		return d.answer(ctx, pass)
	}
	lane := r.lane()
	d.mu.Lock()
	if d.open[lane] == nil {
		d.open[lane] = make(map[sinks.Key]bool)
	}
	if r.update != nil && slices.ContainsFunc(r.update.Set, func(a sinks.Attr) bool { return a.Name == "d" && a.Value.Int() == 1 }) {
		if n := len(d.open[lane]); n > 0 && !d.open[lane][r.keys[0]] {
			d.t.Errorf("lane %s is marked as done while %d writes of its step are open: %v", lane, n, d.open[lane])
		}
	}
	for _, key := range r.keys {
		d.open[lane][key] = true
	}
	d.mu.Unlock()
	err := d.answer(ctx, pass)
	if err == nil {
		d.mu.Lock()
		for _, key := range r.keys {
			delete(d.open[lane], key)
		}
		d.mu.Unlock()
	}
	return err
}

func (d *drained) answer(ctx context.Context, pass func(context.Context) error) error {
	if d.draining.Load() && d.requests.Add(1) >= d.cutAt {
		if d.hangs {
			<-ctx.Done()
		}
		return fmt.Errorf("no route to host: %w", sinks.ErrUnknownOutcome)
	}
	return pass(ctx)
}

// TestOwnLateRequestFencesAndIsOvercome: the answer to a takeover was lost, and a copy of the request lies in the
// network for minutes: when it is applied it fences the very owner that sent it, which takes the chains over again.
func TestOwnLateRequestFencesAndIsOvercome(t *testing.T) {
	for _, lane := range pipeline.Lanes {
		t.Run(lane, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane)
				late, lost := make(chan error, 1), false
				o := w.with(&via{w.table, func(ctx context.Context, r request, pass func(context.Context) error) error {
					if lost || r.update == nil || r.update.Key != key {
						return pass(ctx)
					}
					lost = true // The first request about the checkpoint.
					time.AfterFunc(3*time.Minute, func() { late <- pass(context.Background()) })
					return fmt.Errorf("connection reset: %w", sinks.ErrUnknownOutcome)
				}}, 0)
				o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
				run := w.start(o)
				records := traffic(61, 1, 500, bubbleStart)
				for i := 0; i < len(records); i += 10 {
					w.produce(records[i : i+10]...)
					w.pass(8 * time.Second)
				}
				if err := <-late; err != nil {
					t.Fatal(err)
				}
				w.settled()
				run.drain()
				w.recounts(len(records))
				if n := testutil.ToFloat64(o.Metrics.Fenced); n != 1 {
					t.Errorf("fenced %v times, want once", n)
				}
			})
		})
	}
}

// TestLanesWonByDifferentProcesses: two processes that both believe to own a partition take over its chains at the
// same time, and each wins one. When one of them goes, the other takes both and goes on; while both stay, one gives up
// and names the other. The numbers are right either way.
func TestLanesWonByDifferentProcesses(t *testing.T) {
	for _, stays := range []bool{false, true} {
		t.Run(fmt.Sprintf("both stay %v", stays), func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				stats := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats)
				realtime := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, pipeline.LaneRealtime)
				// The order of the first takeovers: stats by the first process, both by the second, realtime by the first.
				begun, won := make(chan struct{}), make(chan struct{})
				order := func(before, after map[sinks.Key]chan struct{}) sinks.Table {
					first := map[sinks.Key]bool{stats: true, realtime: true}
					return &via{w.table, func(ctx context.Context, r request, pass func(context.Context) error) error {
						if r.update == nil || !first[r.update.Key] {
							return pass(ctx)
						}
						first[r.update.Key] = false
						if c := before[r.update.Key]; c != nil {
							<-c
						}
						err := pass(ctx)
						if c := after[r.update.Key]; c != nil {
							close(c)
						}
						return err
					}}
				}
				type by = map[sinks.Key]chan struct{}
				a, b := w.with(order(by{realtime: won}, by{stats: begun}), 0), w.with(order(by{stats: begun}, by{realtime: won}), 0)
				b.Group = "another"
				a.Metrics, b.Metrics = pipeline.NewMetrics(prometheus.NewRegistry()), pipeline.NewMetrics(prometheus.NewRegistry())
				first, second := w.start(a), w.start(b)
				running := []*process{first, second}
				w.pass(5 * time.Second)
				if x, y := w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats), w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneRealtime); x.Owner == y.Owner || x.Epoch != 2 || y.Epoch != 2 {
					t.Fatalf("stats is owned by %s, epoch %d, realtime by %s, epoch %d: the test is void", x.Owner, x.Epoch, y.Owner, y.Epoch)
				}
				records, n := traffic(62, 1, 600, bubbleStart), 0
				var gaveUp error
				for gaveUp == nil && n < len(records) {
					w.produce(records[n : n+5]...)
					n += 5
					select {
					case gaveUp = <-first.done:
						running = []*process{second}
					case gaveUp = <-second.done:
						running = []*process{first}
					case <-time.After(2 * time.Second):
					}
					if !stays && n == 50 {
						second.drain()
						running = []*process{first}
					}
				}
				if stays != errors.Is(gaveUp, pipeline.ErrFenced) || stays && !strings.Contains(gaveUp.Error(), "another consumer group") {
					t.Errorf("Run = %v", gaveUp)
				}
				w.settled()
				for _, run := range running {
					run.drain()
				}
				w.recounts(n)
				if testutil.ToFloat64(a.Metrics.Fenced)+testutil.ToFloat64(b.Metrics.Fenced) == 0 {
					t.Error("nobody was fenced: the test is void")
				}
			})
		})
	}
}

// TestItemThatIsFullEndsLoudly: an item that would pass 400 KB ends the process, which names the item and what to do;
// once there is room, nothing is lost.
func TestItemThatIsFullEndsLoudly(t *testing.T) {
	for name, full := range map[string]sinks.Key{
		"an hour": sinks.Keys{}.HourStats("site-1", bubbleStart.UnixMilli()),
		"a day":   sinks.Keys{}.DayStats("site-1", bubbleStart.UnixMilli()),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				records := traffic(63, 1, 200, bubbleStart)
				o := w.with(w.table, 0)
				w.folded(o, records[:100])
				// As if thousands of partitions had left their parts.
				others := sinks.Attr{Name: "others", Value: sinks.Bytes(make([]byte, sinks.MaxItemBytes-w.item(full).Size()-len("others")))}
				if _, err := w.table.Update(t.Context(), sinks.Update{Key: full, Set: []sinks.Attr{others}}); err != nil {
					t.Fatal(err)
				}
				w.produce(records[100:]...)
				err := w.start(o).ended()
				for _, part := range []string{"partition 0", full.PK, full.SK, "fewer partitions"} {
					if !errors.Is(err, sinks.ErrTooLarge) || !strings.Contains(err.Error(), part) {
						t.Errorf("Run = %v, want %v and %q", err, sinks.ErrTooLarge, part)
					}
				}
				if _, err := w.table.Update(t.Context(), sinks.Update{Key: full, Remove: []string{"others"}}); err != nil {
					t.Fatal(err)
				}
				run := w.start(o)
				w.settled()
				run.drain()
				w.recounts(len(records))
			})
		})
	}
}
