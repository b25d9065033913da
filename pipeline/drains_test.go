package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestDrainCutShortAtEachPoint: the table stops answering at the i-th request after the drain began, for every i, until
// the drain's deadline: it refuses connections, or lets requests hang. A lane is marked as done only when all of its step
// has been answered, and the next process ends with the rows of a calm run.
func TestDrainCutShortAtEachPoint(t *testing.T) {
	t.Parallel()
	records := traffic(60, 1, 60, bubbleStart)
	want := calm(t, 1, records)
	stride := int64(slow.Every(t, 3))
	for _, hangs := range []bool{false, true} {
		for at := int64(1); ; at += stride {
			cut := false
			compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
				d := &drained{t: w.T, open: make(map[string]map[sinks.Key]bool), cutAt: at, hangs: hangs}
				o := w.With(&via{s, d.do}, 0)
				o.StatsInterval = 30 * time.Second // Its first tick is over when the drain begins, and a step accumulates.
				run := w.Start(o)
				produce(20)
				w.Pass(30 * time.Second) // Half an interval behind a tick.
				produce(20)
				w.Pass(time.Second)
				d.draining.Store(true)
				start := time.Now()
				run.Drain()
				if took := time.Since(start); took > 36*time.Second {
					w.T.Errorf("the drain took %v", took)
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
	mark := sinks.AttrMark(checkpoint.LaneRealtime, sinks.TP{Topic: 1})
	if r.update != nil && (strings.HasSuffix(r.update.Key.SK, "#"+checkpoint.LaneRealtime) ||
		slices.ContainsFunc(r.update.Set, func(a sinks.Attr) bool { return a.Name == mark })) {
		return checkpoint.LaneRealtime
	}
	return checkpoint.LaneStats
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
	t.Parallel()
	for _, lane := range checkpoint.Lanes {
		t.Run(lane, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane)
				late, lost := make(chan error, 1), false
				o := w.With(&via{w.Table, func(ctx context.Context, r request, pass func(context.Context) error) error {
					if lost || r.update == nil || r.update.Key != key {
						return pass(ctx)
					}
					lost = true // The first request about the checkpoint.
					time.AfterFunc(3*time.Minute, func() { late <- pass(context.Background()) })
					return fmt.Errorf("connection reset: %w", sinks.ErrUnknownOutcome)
				}}, 0)
				o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
				run := w.Start(o)
				records := traffic(61, 1, 500, bubbleStart)
				for i := 0; i < len(records); i += 10 {
					w.Produce(records[i : i+10]...)
					w.Pass(8 * time.Second)
				}
				if err := <-late; err != nil {
					t.Fatal(err)
				}
				w.Settled()
				run.Drain()
				w.recounts(len(records))
				if n := testutil.ToFloat64(o.Metrics.Fenced); n != 1 {
					t.Errorf("fenced %v times, want once", n)
				}
			})
		})
	}
}

// TestLanesWonByDifferentProcesses: two processes that both believe to own a partition take over its chains at the
// same time, and each wins one. When one of them goes, the other takes both; while both stay, the earlier group
// yields. The numbers are right either way.
func TestLanesWonByDifferentProcesses(t *testing.T) {
	t.Parallel()
	const attempts = 20 // In some, the first process hears that it lost stats before it asks for realtime, and takes over both again.
	for _, stays := range []bool{false, true} {
		t.Run(fmt.Sprintf("both stay %v", stays), func(t *testing.T) {
			for attempt := range attempts {
				var apart bool
				inWorld(t, 1, func(t *testing.T, w *world) { apart = lanesApart(t, w, stays) })
				if apart {
					return
				}
				if attempt == attempts-1 {
					t.Errorf("in none of %d runs has each process won a lane", attempts)
				}
			}
		})
	}
}

// lanesApart has each of two processes win a lane, and says whether that happened.
func lanesApart(t *testing.T, w *world, stays bool) bool {
	stats := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
	realtime := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneRealtime)
	// The order of the first takeovers: stats by the first process, both by the second, realtime by the first.
	begun, won := make(chan struct{}), make(chan struct{})
	order := func(before, after map[sinks.Key]chan struct{}) sinks.Table {
		first := map[sinks.Key]bool{stats: true, realtime: true}
		return &via{w.Table, func(ctx context.Context, r request, pass func(context.Context) error) error {
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
	a, b := w.With(order(by{realtime: won}, by{stats: begun}), 0), w.With(order(by{stats: begun}, by{realtime: won}), 0)
	b.Group = "another"
	a.Metrics, b.Metrics = pipeline.NewMetrics(prometheus.NewRegistry()), pipeline.NewMetrics(prometheus.NewRegistry())
	first, second := w.Start(a), w.Start(b)
	running := []*process{first, second}
	w.Pass(5 * time.Second)
	if x, y := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats), w.Checkpoint(sinks.TP{Topic: 1},
		checkpoint.LaneRealtime); x.Owner == y.Owner || x.Epoch != 2 || y.Epoch != 2 {
		first.Drain()
		second.Drain()
		return false
	}
	records, n := traffic(62, 1, 600, bubbleStart), 0
	var gaveUp error
	for gaveUp == nil && n < len(records) {
		w.Produce(records[n : n+5]...)
		n += 5
		select {
		case gaveUp = <-first.Done:
			running = []*process{second}
		case gaveUp = <-second.Done:
			running = []*process{first}
		case <-time.After(2 * time.Second):
		}
		if !stays && n == 50 {
			second.Drain()
			running = []*process{first}
		}
	}
	if gaveUp != nil {
		t.Errorf("Run = %v", gaveUp)
	}
	if stays && w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats).Group != b.Group {
		t.Errorf("the chain is not the later group's, %q: %+v", b.Group, w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats))
	}
	w.Settled()
	for _, run := range running {
		run.Drain()
	}
	w.recounts(n)
	if testutil.ToFloat64(a.Metrics.Fenced)+testutil.ToFloat64(b.Metrics.Fenced) == 0 {
		t.Error("nobody was fenced: the test is void")
	}
	return true
}
