package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// fencedAtGaps is a table on which somebody else takes a chain over just before its first gap is written down.
type fencedAtGaps struct {
	sinks.Table
	done atomic.Bool
}

func (d *fencedAtGaps) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if len(u.Set) == 1 && u.Set[0].Name == "gap" && !d.done.Swap(true) {
		fence := sinks.Update{Key: u.Key, Add: []sinks.Attr{{Name: "ep", Value: sinks.Int(1)}}}
		if _, err := d.Table.Update(ctx, fence); err != nil {
			return sinks.Result{}, err
		}
	}
	return d.Table.Update(ctx, u)
}

// A chain that is taken over while it is being acquired ends nothing but that try.
func TestFenceDuringATakeoverIsOvercome(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.Folded(w.Options(), traffic(15, 2, 80, bubbleStart))
		w.Produce(traffic(16, 2, 80, bubbleStart)...)
		w.deleteBefore(0, w.head(0, checkpoint.LaneStats).To+5)
		run := w.Start(w.With(&fencedAtGaps{Table: w.Table}, 0))
		w.stopped(0, checkpoint.LaneStats)
		w.stopped(0, checkpoint.LaneRealtime)
		w.accept(0)
		w.Settled()
		run.Drain()
		w.report()
	})
}

func TestChainsAreShownOfATopicWithFewerPartitions(t *testing.T) {
	t.Parallel()
	inWorld(t, 3, func(t *testing.T, w *world) {
		w.Folded(w.Options(), traffic(15, 3, 80, bubbleStart))
		admin := kadm.NewClient(w.Client)
		if _, err := admin.DeleteTopic(t.Context(), w.Topic); err != nil {
			t.Fatal(err)
		}
		if _, err := admin.CreateTopic(t.Context(), 2, 1, nil, w.Topic); err != nil {
			t.Fatal(err)
		}
		views, err := checkpoint.ViewChains(t.Context(), w.Kafka(), w.Topic, w.Table, sinks.Keys{})
		if err != nil || len(views) != 6 {
			t.Fatalf("ViewChains = %d views, %v, want 6", len(views), err)
		}
		if last := views[5]; last.Partition != 2 || last.LogEnd != -1 || last.To == 0 {
			t.Errorf("partition 2 is shown as %+v, want its chain, and that the topic does not have it", last)
		}
	})
}

// Retention takes the record that a step's record repeats, while the step is open: a redo would count it.
func TestRedoWithoutItsWindowIsAGap(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		event := func(id string) record {
			return record{Key: "s", At: bubbleStart, Value: fmt.Appendf(nil,
				`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v","id":%q}`, bubbleStart.UnixMilli(), id)}
		}
		w.Folded(w.Options(), []record{event("x")})
		w.Produce(event("x"), event("y"))
		if err := w.Ends(w.With(&killOnStats{Table: w.Table}, 0)); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		w.deleteBefore(0, 1)
		run := w.Start(w.Options())
		head := w.stopped(0, checkpoint.LaneStats)
		if g := head.Gap; g.Cause != checkpoint.GapWindow || g.UndecidedFrom != 1 || g.UndecidedTo != 3 {
			t.Errorf("gap %+v, want positions [1,3) undecided for want of the window", g)
		}
		w.Produce(event("z"))
		w.until("both lanes go on", func() bool {
			w.accept(0) // The other lane's redo comes to its gap later.
			return w.Behind() == nil
		})
		run.Drain()
		if got := w.totals(0); got.Counted != 3 || got.Duplicate != 1 {
			t.Errorf("totals %+v, want 3 counted and 1 repeated", got)
		}
	})
}

// The old owner reads markers of a transaction between the next one's look at the log and its takeover.
func TestMarkersReadBeforeATakeoverAreNoGap(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		owner := w.Start(w.With(w.Table, 0))
		w.Produce(traffic(50, 1, 40, bubbleStart)...)
		w.Settled()
		d := &door{w.Table, "takeovers", make(chan struct{})}
		o := w.With(d, 0)
		o.Group = "other"
		next := w.Start(o)
		w.Pass(10 * time.Second) // It has looked at the log.
		w.transaction(1, kgo.TryAbort)
		w.until("the markers are read", func() bool { return w.head(0, checkpoint.LaneStats).Next == 42 })
		owner.Drain()
		close(d.opened)
		w.Pass(time.Minute)
		w.Produce(traffic(51, 1, 40, bubbleStart)...)
		w.Settled()
		next.Drain()
		for _, lane := range checkpoint.Lanes {
			if g := w.head(0, lane).Gap; g != nil {
				t.Errorf("lane %s: a gap that is none: %s", lane, g)
			}
		}
		w.report()
	})
}

// Producers go on between the finding of a truncation and its acceptance: what they publish takes offsets that were
// folded before, and none of it is passed over.
func TestLogThatGrowsUnderATruncationLosesNothing(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), traffic(15, 1, 80, bubbleStart))
		for _, lane := range checkpoint.Lanes { // As if 20 records more had been folded, and lost by the brokers.
			if _, err := w.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane),
				Set: []sinks.Attr{{Name: "t", Value: sinks.Int(100)}, {Name: "n", Value: sinks.Int(100)}}}); err != nil {
				t.Fatal(err)
			}
		}
		run := w.Start(w.Options())
		w.stopped(0, checkpoint.LaneStats)
		w.stopped(0, checkpoint.LaneRealtime)
		w.Produce(traffic(16, 1, 10, bubbleStart)...)
		w.accept(0)
		w.Produce(traffic(18, 1, 10, bubbleStart)...)
		w.Settled()
		run.Drain()
		if head := w.head(0, checkpoint.LaneStats); head.Step != 3 || head.To != 120 || head.Totals.Records() != 100 {
			t.Errorf("checkpoint %+v, want 100 records, the gap as a step, and the chain at position 120", head)
		}
	})
}

// Retention has taken all that an idle partition held, markers behind the last step included, before the next step is
// begun and cut short.
func TestOpenStepBehindLostMarkersIsNoGap(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		records := traffic(50, 1, 90, bubbleStart)
		w.Produce(records[:60]...)
		run := w.Start(w.With(w.Table, 0))
		w.Settled()
		w.transaction(1, kgo.TryAbort)
		w.until("the markers are read", func() bool { return w.head(0, checkpoint.LaneStats).Next == 62 })
		if err := w.Cluster.DeleteRecords(testTopic, 0, -1); err != nil {
			t.Fatal(err)
		}
		run.Drain()
		w.Produce(records[60:]...)
		if err := w.Ends(w.With(&killOnStats{Table: w.Table}, 0)); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		run = w.Start(w.With(w.Table, 0))
		w.Settled()
		run.Drain()
		if head := w.head(0, checkpoint.LaneStats); head.Totals.Records() != 90 || head.Gap != nil {
			t.Errorf("checkpoint %+v, want 90 records and no gap", head)
		}
	})
}
