package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// gate is a table whose writes of chosen items do not go through while it is shut.
type gate struct {
	sinks.Table
	match  func(sinks.Key) bool
	shut   atomic.Bool
	answer func(ctx context.Context) error // what a write gets then
	tries  atomic.Int64
}

func (g *gate) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if g.shut.Load() && g.match(u.Key) {
		g.tries.Add(1)
		return sinks.Result{}, g.answer(ctx)
	}
	return g.Table.Update(ctx, u)
}

func (g *gate) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	if g.shut.Load() && g.match(items[0].Key()) {
		g.tries.Add(1)
		return sinks.BatchResult{}, g.answer(ctx)
	}
	return g.Table.BatchPut(ctx, items)
}

func throttled(context.Context) error {
	return &sinks.ThrottleError{Reasons: []string{"TableWriteKeyRangeThroughputExceeded"}}
}

func anyKey(sinks.Key) bool { return true }

// TestMembersComeAndGo keeps the promise "one owner": members join and leave a group under load, in both group
// protocols, and the rows are those of one member. The race detector looks on.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	records := traffic(30, 6, 1200, bubbleStart)
	want := calm(t, 6, records)
	for _, kip848 := range []bool{false, true} {
		t.Run(fmt.Sprintf("KIP-848 %v", kip848), func(t *testing.T) {
			compare(t, trial{6, records, func(w *world, s *spy, produce func(int)) {
				w.Balanced = kip848
				var members []*process
				for i, size := range []int{1, 2, 4, 3, 1} {
					for len(members) < size {
						members = append(members, w.Start(w.With(s, uint64(i+len(members)))))
					}
					for len(members) > size {
						members[0].Drain()
						members = members[1:]
					}
					for range 10 {
						produce(22)
						time.Sleep(2 * time.Second)
					}
				}
				members[0].Drain()
			}}.rows(t), want)
		})
	}
}

// TestLostPartitionIsDoneAgain: a member whose session expires drops all it has; it comes back, or another does, and
// the open step is done again.
func TestLostPartitionIsDoneAgain(t *testing.T) {
	t.Parallel()
	records := traffic(31, 2, 400, bubbleStart)
	want := calm(t, 2, records)
	var redone float64
	compare(t, trial{2, records, func(w *world, s *spy, produce func(int)) {
		g := &gate{Table: s, match: func(k sinks.Key) bool { return strings.HasPrefix(k.SK, "STATS#") }, answer: throttled}
		o := w.With(g, 0)
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		run := w.Start(o)
		for range 4 {
			produce(80)
			g.shut.Store(true) // The stats lane's step stays open.
			time.Sleep(5 * time.Second)
			w.Cluster.ControlKey(int16(kmsg.Heartbeat), func(req kmsg.Request) (kmsg.Response, error, bool) {
				resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
				resp.ErrorCode = kerr.UnknownMemberID.Code
				return resp, nil, true
			})
			time.Sleep(5 * time.Second)
			g.shut.Store(false)
			time.Sleep(10 * time.Second)
		}
		run.Drain()
		redone = testutil.ToFloat64(o.Metrics.Redone.WithLabelValues(checkpoint.LaneStats))
	}}.rows(t), want)
	if redone == 0 {
		t.Error("no step was done again: the test is void")
	}
}

// TestHotKeyHoldsUpOnlyItsLane: while a site's stats are throttled, its realtime minutes and other partitions go on,
// and nothing is lost when the key is cool again.
func TestHotKeyHoldsUpOnlyItsLane(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		g := &gate{Table: w.Table, match: func(k sinks.Key) bool { return strings.HasPrefix(k.SK, "STATS#") }, answer: throttled}
		g.shut.Store(true)
		o := w.With(g, 0)
		run := w.Start(o)
		for i := range 50 {
			now := time.Now()
			w.Produce(record{Key: "s", At: now, Value: fmt.Appendf(nil,
				`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v%d","sessionId":"x"}`, now.UnixMilli(), i)})
			time.Sleep(10 * time.Second)
		}
		tp := sinks.TP{Topic: 1}
		if c := w.Checkpoint(tp, checkpoint.LaneRealtime); c.To != 50 {
			t.Errorf("the realtime lane is at %d of 50", c.To)
		}
		if c := w.Checkpoint(tp, checkpoint.LaneStats); c.Step != 1 || g.tries.Load() < 50 {
			t.Errorf("the stats lane is at step %d after %d tries, want 1 open and retried", c.Step, g.tries.Load())
		}
		g.shut.Store(false)
		w.Settled()
		run.Drain()
		if n := w.Item(sinks.Keys{}.DayStats("s", bubbleStart.UnixMilli()))[sinks.AttrEvents].Int(); n != 50 {
			t.Errorf("the day has %d events, want 50", n)
		}
	})
}

// TestQueueStaysBounded keeps the promise "bounded": while the table is away for an hour, what was fetched and not
// folded stays below its ceiling and one fetch; then all is caught up.
func TestQueueStaysBounded(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		g := &gate{Table: w.Table, match: anyKey, answer: throttled}
		o := w.With(g, 0)
		o.Limits = pipeline.Limits{QueueBytes: 20_000, StepItems: 50}
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		run := w.Start(o)
		records := traffic(32, 1, 3000, bubbleStart)
		w.Produce(records[:100]...)
		time.Sleep(5 * time.Second)
		g.shut.Store(true)
		most := 0.0
		for i := range 58 {
			w.Produce(records[100+i*50 : 150+i*50]...)
			time.Sleep(time.Minute)
			most = max(most, testutil.ToFloat64(o.Metrics.QueueBytes))
		}
		fetch := 50.0 * 400 // What one produce above comes to, about; a fetch may bring several while the queue empties.
		if most < 20_000 || most > 20_000+5*fetch {
			t.Errorf("the queue held up to %.0f bytes, want its ceiling of 20,000 and little more", most)
		}
		g.shut.Store(false)
		w.Settled()
		run.Drain()
		if n := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats).Totals.Records(); n != 3000 {
			t.Errorf("%d records were judged, want 3,000", n)
		}
	})
}

// TestWatchdogEndsAWedgedProcess: a step that neither sends nor hears anything for five minutes ends the process and
// says which partition it was; one that is refused all the time does not.
func TestWatchdogEndsAWedgedProcess(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		g := &gate{Table: w.Table, match: func(k sinks.Key) bool { return strings.HasPrefix(k.SK, "STATS#") },
			answer: func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }}
		g.shut.Store(true)
		w.Produce(traffic(33, 1, 10, bubbleStart)...)
		start := time.Now()
		err := w.Ends(w.With(g, 0))
		if err == nil || !strings.Contains(err.Error(), "partition 0") || !strings.Contains(err.Error(), "neither sent a request") {
			t.Errorf("Run = %v, want the watchdog's error", err)
		}
		if d := time.Since(start); d < 5*time.Minute || d > 7*time.Minute {
			t.Errorf("it took %v, want five minutes and a flush interval", d)
		}
		g.answer = throttled
		run := w.Start(w.With(g, 0))
		select {
		case err := <-run.Done:
			t.Errorf("Run = %v while the table throttles, want it to go on", err)
		case <-time.After(20 * time.Minute):
			g.shut.Store(false)
			w.Settled()
			run.Drain()
		}
	})
}

// TestDrainIsBoundedAndLeavesTheStepOpen: a drain under a table that is away, and brokers that neither take the last commit nor let the
// member leave, ends within 36 seconds and marks nothing as done that is not settled.
func TestDrainIsBoundedAndLeavesTheStepOpen(t *testing.T) {
	t.Parallel()
	records := traffic(34, 1, 100, bubbleStart)
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		g := &gate{Table: s, match: func(k sinks.Key) bool { return strings.HasPrefix(k.SK, "STATS#hour") }, answer: throttled}
		g.shut.Store(true)
		run := w.Start(w.With(g, 0))
		produce(60)
		time.Sleep(10 * time.Second)
		for _, key := range []kmsg.Key{kmsg.OffsetCommit, kmsg.LeaveGroup} {
			w.Cluster.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
				w.Cluster.KeepControl()
				return nil, nil, true
			})
		}
		start := time.Now()
		run.Drain()
		if d := time.Since(start); d > 36*time.Second {
			w.T.Errorf("the drain took %v, want 36s at most", d)
		}
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Done || c.Step != 1 {
			w.T.Errorf("stats checkpoint %+v, want step 1 open", c)
		}
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneRealtime); !c.Done || c.To != 60 {
			w.T.Errorf("realtime checkpoint %+v, want all 60 records done", c)
		}
	}}.rows(t), want)
}

// TestDrainBeginsALastStep: what has accumulated when a process is asked to end is flushed, and nothing is redone.
func TestDrainBeginsALastStep(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		o := w.Options() // A minute's interval: nothing is due yet.
		run := w.Start(o)
		w.Produce(traffic(35, 2, 100, bubbleStart)...)
		time.Sleep(4 * time.Second)
		run.Drain()
		if err := w.Behind(); err != nil {
			t.Error(err)
		}
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		run = w.Start(o)
		time.Sleep(time.Minute)
		run.Drain()
		if n := testutil.ToFloat64(o.Metrics.Redone.WithLabelValues(checkpoint.LaneStats)); n != 0 {
			t.Errorf("%v steps were done again after an orderly end", n)
		}
	})
}

// TestIdleChainIsMarkedDoneOnce: a chain with nothing to do writes d=1 once and no intents.
func TestIdleChainIsMarkedDoneOnce(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.RareFetches(5 * time.Second)
		var mu sync.Mutex
		writes := 0
		c := &counted{Table: w.Table, count: func(k sinks.Key) {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(k.PK, "CHAIN#") {
				writes++
			}
		}}
		run := w.Start(w.With(c, 0))
		w.Produce(traffic(36, 1, 20, bubbleStart)...)
		w.Settled()
		before := writes
		time.Sleep(time.Hour)
		if writes != before {
			t.Errorf("%d checkpoint writes in an idle hour, want none", writes-before)
		}
		run.Drain()
	})
}

// counted tells of every update.
type counted struct {
	sinks.Table
	count func(sinks.Key)
}

func (c *counted) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	c.count(u.Key)
	return c.Table.Update(ctx, u)
}

// TestExpiredItemsAreSwept: a store that deletes nothing by itself is swept by the pipeline that runs on it.
func TestExpiredItemsAreSwept(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		w.Produce(record{Key: "s", At: bubbleStart, Value: []byte(`{"siteId":"s","type":"click","timestamp":946684800000,"visitorId":"v"}`)})
		key := sinks.Keys{}.Realtime("s", bubbleStart.UnixMilli(), sinks.TP{Topic: 1})
		w.Settled()
		if w.Item(key) == nil {
			t.Error("the realtime minute is missing")
		}
		time.Sleep(12 * time.Minute)
		if w.Item(key) != nil {
			t.Error("the realtime minute has expired and is still there")
		}
		if w.Item(sinks.Keys{}.HourStats("s", bubbleStart.UnixMilli())) == nil {
			t.Error("the hour is gone with it")
		}
		run.Drain()
	})
}
