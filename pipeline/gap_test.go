package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// deleteBefore deletes the records of a partition below an offset.
func (w *world) deleteBefore(partition int32, offset int64) {
	w.t.Helper()
	offsets := make(kadm.Offsets)
	offsets.AddOffset(w.topic, partition, offset, -1)
	if _, err := kadm.NewClient(w.client).DeleteRecords(w.t.Context(), offsets); err != nil {
		w.t.Fatal(err)
	}
}

// until waits, in fake time, until a condition holds.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Hour); !holds(); w.pass(time.Second) {
		if time.Now().After(deadline) {
			w.t.Fatalf("not within an hour: %s", what)
		}
	}
}

func (w *world) head(partition int32, lane string) checkpoint.Head {
	w.t.Helper()
	return w.checkpoint(sinks.TP{Topic: 1, Partition: partition}, lane)
}

// stopped waits until a chain stops at a gap, and returns where it stands.
func (w *world) stopped(partition int32, lane string) (head checkpoint.Head) {
	w.t.Helper()
	w.until(fmt.Sprintf("partition %d, lane %s stops at a gap", partition, lane), func() bool {
		head = w.head(partition, lane)
		return head.Gap != nil && head.Gap.Accepted == ""
	})
	return head
}

func (w *world) acceptance(partition int32, lane string, step int64) checkpoint.Acceptance {
	return checkpoint.Acceptance{Kafka: w.kafka(), Topic: w.topic, Table: w.table, Partition: partition, Lane: lane, Step: step}
}

// accept accepts the gaps of all of a partition's chains that have one.
func (w *world) accept(partition int32) {
	w.t.Helper()
	for _, lane := range checkpoint.Lanes {
		head := w.head(partition, lane)
		if head.Gap == nil {
			continue
		}
		if _, err := checkpoint.AcceptGap(w.t.Context(), w.acceptance(partition, lane, head.Step)); err != nil {
			w.t.Fatalf("AcceptGap = %v", err)
		}
	}
}

// report compares the table with the topic, in which there are gaps: nothing that can be compared may differ.
func (w *world) report() verify.Report {
	w.t.Helper()
	r, err := verifyWorld(w, w.options())
	if err != nil || r.DifferenceCount != 0 {
		w.t.Errorf("verify: %v, %d differences, %+v", err, r.DifferenceCount, r.Differences[:min(3, len(r.Differences))])
	}
	return r
}

// A chain never skips what retention took before it was folded. Its partition stops, others go on; once an operator has
// decided, it goes on too, and the totals and the gap add up to what was published.
func TestPartitionStopsAtAGapAndGoesOnOnceItIsAccepted(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		records := traffic(13, 2, 300, bubbleStart)
		w.folded(w.options(), records[:100])
		folded := w.head(0, checkpoint.LaneStats)
		w.produce(records[100:]...)
		w.deleteBefore(0, folded.To+10)
		o := w.options()
		registry := prometheus.NewRegistry()
		o.Metrics = pipeline.NewMetrics(registry)
		run := w.start(o)
		head := w.stopped(0, checkpoint.LaneStats)
		w.stopped(0, checkpoint.LaneRealtime)
		g := head.Gap
		if g.Cause != checkpoint.GapExpired || g.UnreadFrom != folded.To || g.UnreadTo != folded.To+10 || g.UndecidedFrom != g.UndecidedTo ||
			g.Unbounded || g.Step != folded.Step {
			t.Errorf("gap %+v, want positions [%d,%d) to be unread and nothing else", g, folded.To, folded.To+10)
		}
		end := func(partition int32) (n int64) {
			for _, r := range records {
				if r.partition == partition {
					n++
				}
			}
			return n
		}
		w.until("partition 1 continues", func() bool { return w.head(1, checkpoint.LaneStats).To == end(1) })
		w.until("the lag of partition 0 is shown", func() bool { return lagOf(t, registry, "0") == float64(end(0)-g.UnreadTo) })
		if after := w.head(0, checkpoint.LaneStats); after.To != folded.To || after.Step != folded.Step {
			t.Errorf("partition 0 stands at %+v, want it where it stopped", after)
		}

		if _, err := checkpoint.AcceptGap(t.Context(), w.acceptance(0, checkpoint.LaneStats, head.Step+1)); err == nil {
			t.Error("a gap was accepted at a step at which the chain does not stand")
		}
		w.accept(0)
		w.settled() // The pipeline has noticed.
		run.drain()
		head = w.head(0, checkpoint.LaneStats)
		if lost := end(0) - head.Totals.Records(); lost != 10 || head.Gap != nil {
			t.Errorf("%d records are not in the totals, want the 10 of the gap; checkpoint %+v", lost, head)
		}
		before := w.head(0, checkpoint.LaneStats)
		if _, err := checkpoint.AcceptGap(t.Context(), w.acceptance(0, checkpoint.LaneStats, head.Step)); !errors.Is(err, checkpoint.ErrNoGap) {
			t.Errorf("AcceptGap of a chain without one = %v, want %v", err, checkpoint.ErrNoGap)
		}
		if after := w.head(0, checkpoint.LaneStats); after.Epoch != before.Epoch {
			t.Error("AcceptGap has fenced a chain that has no gap")
		}
		r := w.report()
		if len(r.Gaps) != 2 || r.Gaps[0].Accepted == "" || r.Gaps[1].UnreadTo-r.Gaps[1].UnreadFrom != 10 {
			t.Errorf("verify tells of the gaps %+v, want one of each lane", r.Gaps)
		}
	})
}

// What of an open step is in the table cannot be told any more once its topic is gone.
func TestTopicCreatedAgainUnderAnOpenStepLeavesItUndecided(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.killedMidStep(traffic(12, 1, 80, bubbleStart))
		w.recreate()
		run := w.start(w.options())
		head := w.stopped(0, checkpoint.LaneStats)
		g := head.Gap
		if g.Cause != checkpoint.GapRecreated || g.UndecidedFrom != head.From || g.UndecidedTo != head.To || g.UnreadFrom != head.To ||
			!g.Unbounded {
			t.Errorf("gap %+v of checkpoint %+v, want its step undecided and its end unread", g, head)
		}
		w.accept(0)
		w.produce(traffic(11, 1, 40, bubbleStart)...)
		w.settled()
		run.drain()
		after := w.head(0, checkpoint.LaneStats)
		// Its intent carries the totals as of its end: those of the undecided step are among them.
		if after.Base != head.To || after.To != head.To+40 || after.Totals.Records() != head.To+40 {
			t.Errorf("checkpoint %+v, want the chain to go on behind position %d", after, head.To)
		}
		if r := w.report(); len(r.Gaps) == 0 {
			t.Error("verify does not tell of the gap")
		}
	})
}

// Some records of an open step were deleted, or the log became shorter than the step: a redo would take other records
// for the step's.
func TestRedoWithoutItsLastRecordIsAGap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		head  sinks.Attr // what the checkpoint is made to say
		more  int        // records that come later
		cause checkpoint.GapCause
		early bool // its owner ended before it put the step's history
	}{
		{"the log ends before the step", sinks.Attr{Name: "t", Value: sinks.Int(120)}, 30, checkpoint.GapTruncated, false},
		{"the step ends with a control record", sinks.Attr{Name: "t", Value: sinks.Int(82)}, 30, checkpoint.GapMissing, false},
		{"the log ends before a step without a history", sinks.Attr{Name: "t", Value: sinks.Int(120)}, 30, checkpoint.GapTruncated, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				w.killedMidStep(traffic(15, 1, 80, bubbleStart))
				if _, err := w.table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats),
					Set: []sinks.Attr{c.head}}); err != nil {
					t.Fatal(err)
				}
				if c.early {
					if _, err := w.table.Delete(t.Context(), sinks.Delete{Key: sinks.Keys{}.History(sinks.TP{Topic: 1}, checkpoint.LaneStats,
						1)}); err != nil {
						t.Fatal(err)
					}
				}
				w.transaction(1, kgo.TryCommit) // Its marker is the control record at offset 81.
				w.produce(traffic(16, 1, c.more, bubbleStart)...)
				run := w.start(w.options())
				head := w.stopped(0, checkpoint.LaneStats)
				if g := head.Gap; g.Cause != c.cause || g.UndecidedFrom != head.From || g.UndecidedTo != head.To {
					t.Errorf("gap %+v, want the step undecided because of %s", g, c.cause)
				}
				run.drain()
				var before int64
				for _, lane := range checkpoint.Lanes {
					before += w.head(0, lane).Epoch
				}
				run = w.start(w.options()) // Another process stops at it, too.
				w.until("it has taken both chains over", func() bool {
					after := int64(0)
					for _, lane := range checkpoint.Lanes {
						after += w.head(0, lane).Epoch
					}
					return after == before+int64(len(checkpoint.Lanes))
				})
				w.accept(0)
				w.produce(traffic(18, 1, 10, bubbleStart)...)
				w.until("the chain continues", func() bool { return w.head(0, checkpoint.LaneStats).To > head.To })
				w.settled()
				run.drain()
				w.report()
			})
		})
	}
}

// Retention takes records that a live consumer has not come to: what it has folded is settled first, so that nothing is
// undecided.
func TestGapUnderALiveOwnerLeavesNothingUndecided(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		records := traffic(19, 1, 200, bubbleStart)
		run := w.start(w.options())
		w.produce(records[:50]...)
		w.until("the first records are folded", func() bool { return w.head(0, checkpoint.LaneRealtime).To == 50 })
		stop := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition})
		w.produce(records[50:]...)
		w.deleteBefore(0, 120)
		stop.Remove()
		head := w.stopped(0, checkpoint.LaneStats)
		if g := head.Gap; g.UndecidedTo != g.UndecidedFrom || g.UnreadFrom != 50 || g.UnreadTo != 120 || !head.Done {
			t.Errorf("gap %+v of checkpoint %+v, want [50,120) unread and nothing undecided", g, head)
		}
		w.accept(0)
		w.settled()
		run.drain()
		if n := w.totals(0).Records(); n != 130 {
			t.Errorf("totals of %d records, want 130", n)
		}
	})
}

// An offset that is out of range for a moment, or of the window of duplicates only, is no gap.
func TestOffsetOutOfRangeAloneIsNoGap(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.start(w.options())
		w.produce(traffic(20, 1, 100, bubbleStart)...)
		w.settled()
		f := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: w.topic, Err: kerr.OffsetOutOfRange, Count: 1})
		w.until("the fault is met", func() bool { return f.Hits() > 0 })
		w.produce(traffic(21, 1, 100, bubbleStart.Add(time.Minute))...)
		w.settled()
		run.drain()
		w.recounted()
	})
}

// passGap loses 10 of 100 records before they are counted, accepts the gap of one lane by command, and that of the other. The pipeline
// then continues.
func passGap(t *testing.T, name string, command func(*testing.T, checkpoint.Acceptance)) {
	t.Helper()
	inWorld(t, 1, func(t *testing.T, w *world) {
		records := traffic(22, 1, 100, bubbleStart)
		w.folded(w.options(), records[:50])
		w.produce(records[50:]...)
		w.deleteBefore(0, 60)
		run := w.start(w.options())
		head := w.stopped(0, checkpoint.LaneStats)
		command(t, w.acceptance(0, checkpoint.LaneStats, head.Step))
		w.accept(0)
		w.settled()
		run.drain()
		if n := w.totals(0).Records(); n != 90 {
			t.Errorf("%s: totals of %d records, want 90", name, n)
		}
		if r := w.report(); len(r.Gaps) != 2 {
			t.Errorf("%s: gaps %+v, want one of each lane", name, r.Gaps)
		}
	})
}

// The operator's command may be cut short anywhere: whoever comes next finishes what it has decided.
func TestAcceptanceCutShortIsFinished(t *testing.T) {
	slow.Unraced(t)
	for at := 1; ; at++ {
		cut := false
		passGap(t, fmt.Sprintf("cut short at request %d", at), func(t *testing.T, a checkpoint.Acceptance) {
			a.Table = &cutting{Table: a.Table, left: at}
			_, err := checkpoint.AcceptGap(t.Context(), a)
			if cut = err != nil; cut && !errors.Is(err, errKilled) {
				t.Fatalf("AcceptGap = %v, want the kill", err)
			}
		})
		if !cut {
			if at < 6 {
				t.Errorf("AcceptGap made only %d requests", at)
			}
			return
		}
	}
}

// cutting is a table that answers only so many requests.
type cutting struct {
	sinks.Table
	mu   sync.Mutex // covers left
	left int
}

func (c *cutting) cut() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return errKilled
	}
	return nil
}

func (c *cutting) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if err := c.cut(); err != nil {
		return sinks.Result{}, err
	}
	return c.Table.Update(ctx, u)
}

func (c *cutting) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if err := c.cut(); err != nil {
		return sinks.Result{}, err
	}
	return c.Table.Put(ctx, p)
}

func (c *cutting) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if err := c.cut(); err != nil {
		return sinks.BatchResult{}, err
	}
	return c.Table.BatchGet(ctx, g)
}

// copied is a table that applies the first takeover of a chain a second time, right after a number of later requests.
type copied struct {
	sinks.Table
	after int           // requests, 0 and more
	copy  *sinks.Update // still to come
	sent  bool
}

// next counts a request that is done.
func (c *copied) next(ctx context.Context) error {
	if c.copy == nil || c.sent {
		return nil
	}
	if c.after--; c.after >= 0 {
		return nil
	}
	c.sent = true
	_, err := c.Table.Update(ctx, *c.copy)
	return err
}

func (c *copied) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r, err := c.Table.Update(ctx, u)
	if c.copy == nil && slices.ContainsFunc(u.Add, func(a sinks.Attr) bool { return a.Name == checkpoint.AttrEpoch }) {
		c.copy = &u
	}
	return r, errors.Join(err, c.next(ctx))
}

func (c *copied) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r, err := c.Table.Put(ctx, p)
	return r, errors.Join(err, c.next(ctx))
}

func (c *copied) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := c.Table.BatchGet(ctx, g)
	return r, errors.Join(err, c.next(ctx))
}

// TestAcceptanceThatALateCopyFences: a late copy of the command's takeover arrives after each of its requests. The command succeeds.
func TestAcceptanceThatALateCopyFences(t *testing.T) {
	for after := 0; ; after++ {
		sent := false
		passGap(t, fmt.Sprintf("a copy after %d requests", after), func(t *testing.T, a checkpoint.Acceptance) {
			table := &copied{Table: a.Table, after: after}
			a.Table = table
			g, err := checkpoint.AcceptGap(t.Context(), a)
			if sent = table.sent; err != nil || g.Accepted == "" {
				t.Fatalf("a copy after %d requests: AcceptGap = %+v, %v", after, g, err)
			}
		})
		if !sent {
			if after < 3 {
				t.Errorf("AcceptGap made only %d requests after its takeover", after)
			}
			return
		}
	}
}

// lagOf reads the lag of a partition off the metrics, -1 when there is none.
func lagOf(t *testing.T, registry *prometheus.Registry, partition string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "footfall_lag_records" && m.GetLabel()[0].GetValue() == partition {
				return m.GetGauge().GetValue()
			}
		}
	}
	return -1
}
