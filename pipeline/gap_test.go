package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// deleteBefore deletes the records of a partition below an offset.
func (w *world) deleteBefore(partition int32, offset int64) {
	w.T.Helper()
	offsets := make(kadm.Offsets)
	offsets.AddOffset(w.Topic, partition, offset, -1)
	if _, err := kadm.NewClient(w.Client).DeleteRecords(w.T.Context(), offsets); err != nil {
		w.T.Fatal(err)
	}
}

// until waits, in fake time, until a condition holds.
func (w *world) until(what string, holds func() bool) {
	w.T.Helper()
	for deadline := time.Now().Add(time.Hour); !holds(); w.Pass(time.Second) {
		if time.Now().After(deadline) {
			w.T.Fatalf("not within an hour: %s", what)
		}
	}
}

func (w *world) head(partition int32, lane string) checkpoint.Head {
	w.T.Helper()
	return w.Checkpoint(sinks.TP{Topic: 1, Partition: partition}, lane)
}

// stopped waits until a chain stops at a gap, and returns where it stands.
func (w *world) stopped(partition int32, lane string) (head checkpoint.Head) {
	w.T.Helper()
	w.until(fmt.Sprintf("partition %d, lane %s stops at a gap", partition, lane), func() bool {
		head = w.head(partition, lane)
		return head.Gap != nil && head.Gap.Accepted == ""
	})
	return head
}

// accept accepts the gaps of all of a partition's chains that have one.
func (w *world) accept(partition int32) {
	w.T.Helper()
	for _, lane := range checkpoint.Lanes {
		head := w.head(partition, lane)
		if head.Gap == nil {
			continue
		}
		if _, err := checkpoint.AcceptGap(w.T.Context(), w.Acceptance(partition, lane, head.Step)); err != nil {
			w.T.Fatalf("AcceptGap = %v", err)
		}
	}
}

// report compares the table with the topic, in which there are gaps: nothing that can be compared may differ.
func (w *world) report() verify.Report {
	w.T.Helper()
	r, err := w.Verify(w.Options())
	if err != nil || r.DifferenceCount != 0 {
		w.T.Errorf("verify: %v, %d differences, %+v", err, r.DifferenceCount, r.Differences[:min(3, len(r.Differences))])
	}
	return r
}

// A chain never skips what retention took before it was folded. Its partition stops, others go on; once an operator has
// decided, it goes on too, and the totals and the gap add up to what was published.
func TestPartitionStopsAtAGapAndGoesOnOnceItIsAccepted(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		records := traffic(13, 2, 300, bubbleStart)
		w.Folded(w.Options(), records[:100])
		folded := w.head(0, checkpoint.LaneStats)
		w.Produce(records[100:]...)
		w.deleteBefore(0, folded.To+10)
		o := w.Options()
		registry := prometheus.NewRegistry()
		o.Metrics = pipeline.NewMetrics(registry)
		run := w.Start(o)
		head := w.stopped(0, checkpoint.LaneStats)
		w.stopped(0, checkpoint.LaneRealtime)
		g := head.Gap
		if g.Cause != checkpoint.GapExpired || g.UnreadFrom != folded.To || g.UnreadTo != folded.To+10 || g.UndecidedFrom != g.UndecidedTo ||
			g.Unbounded || g.Step != folded.Step {
			t.Errorf("gap %+v, want positions [%d,%d) to be unread and nothing else", g, folded.To, folded.To+10)
		}
		end := func(partition int32) (n int64) {
			for _, r := range records {
				if r.Partition == partition {
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

		if _, err := checkpoint.AcceptGap(t.Context(), w.Acceptance(0, checkpoint.LaneStats, head.Step+1)); err == nil {
			t.Error("a gap was accepted at a step at which the chain does not stand")
		}
		w.accept(0)
		w.Settled() // The pipeline has noticed.
		run.Drain()
		head = w.head(0, checkpoint.LaneStats)
		if lost := end(0) - head.Totals.Records(); lost != 10 || head.Gap != nil {
			t.Errorf("%d records are not in the totals, want the 10 of the gap; checkpoint %+v", lost, head)
		}
		before := w.head(0, checkpoint.LaneStats)
		if _, err := checkpoint.AcceptGap(t.Context(), w.Acceptance(0, checkpoint.LaneStats, head.Step)); !errors.Is(err, checkpoint.ErrNoGap) {
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
		run := w.Start(w.Options())
		head := w.stopped(0, checkpoint.LaneStats)
		g := head.Gap
		if g.Cause != checkpoint.GapRecreated || g.UndecidedFrom != head.From || g.UndecidedTo != head.To || g.UnreadFrom != head.To ||
			!g.Unbounded {
			t.Errorf("gap %+v of checkpoint %+v, want its step undecided and its end unread", g, head)
		}
		w.accept(0)
		w.Produce(traffic(11, 1, 40, bubbleStart)...)
		w.Settled()
		run.Drain()
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

// onlySession takes the session of an open step, and kills its process at the first write of what the session is counted in.
type onlySession struct {
	sinks.Table
	taken chan struct{} // closed once the session is written
	once  sync.Once
}

func (o *onlySession) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if strings.HasPrefix(u.Key.SK, "STATS#") || strings.HasPrefix(u.Key.SK, "hour#") {
		<-o.taken
		return sinks.Result{}, errKilled
	}
	r, err := o.Table.Update(ctx, u)
	if err == nil && strings.HasPrefix(u.Key.SK, sinks.SessionPrefix) {
		o.once.Do(func() { close(o.taken) })
	}
	return r, err
}

// What a step that was left undecided has put into a session's item may be missing in the hour's breakdown. When the session takes it
// back, the remainder has too little for sessions of later steps as well.
func TestUndecidedSessionTakesBackWhatOthersHave(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.Breakdowns = 1
		w.Produce(visitTo("a", "a", "/a", "1", bubbleStart))
		killed := o
		killed.Table = &onlySession{Table: w.Table, taken: make(chan struct{})}
		if err := w.Ends(killed); !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		w.recreate()
		run := w.Start(o)
		w.stopped(0, checkpoint.LaneStats)
		w.accept(0)
		// The page of b is in the remainder when c has come. What a has never added to it is taken from what b has.
		for i, visit := range []string{"b/b", "c/x", "a/x", "b/x"} {
			if i == 2 { // The hour is read from the table.
				w.Settled()
				run.Drain()
				run = w.Start(o)
			}
			w.Produce(visitTo(visit[:1], visit[:1], visit[1:], fmt.Sprint(2+i), bubbleStart.Add(time.Duration(1+i)*time.Second)))
		}
		w.Settled()
		run.Drain()
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
				if _, err := w.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats),
					Set: []sinks.Attr{c.head}}); err != nil {
					t.Fatal(err)
				}
				if c.early {
					if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: sinks.Keys{}.History(sinks.TP{Topic: 1}, checkpoint.LaneStats,
						1)}); err != nil {
						t.Fatal(err)
					}
				}
				w.transaction(1, kgo.TryCommit) // Its marker is the control record at offset 81.
				w.Produce(traffic(16, 1, c.more, bubbleStart)...)
				run := w.Start(w.Options())
				head := w.stopped(0, checkpoint.LaneStats)
				if g := head.Gap; g.Cause != c.cause || g.UndecidedFrom != head.From || g.UndecidedTo != head.To {
					t.Errorf("gap %+v, want the step undecided because of %s", g, c.cause)
				}
				run.Drain()
				var before int64
				for _, lane := range checkpoint.Lanes {
					before += w.head(0, lane).Epoch
				}
				run = w.Start(w.Options()) // Another process stops at it, too.
				w.until("it has taken both chains over", func() bool {
					after := int64(0)
					for _, lane := range checkpoint.Lanes {
						after += w.head(0, lane).Epoch
					}
					return after == before+int64(len(checkpoint.Lanes))
				})
				w.accept(0)
				w.Produce(traffic(18, 1, 10, bubbleStart)...)
				w.until("the chain continues", func() bool { return w.head(0, checkpoint.LaneStats).To > head.To })
				w.Settled()
				run.Drain()
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
		run := w.Start(w.Options())
		w.Produce(records[:50]...)
		w.until("the first records are folded", func() bool { return w.head(0, checkpoint.LaneRealtime).To == 50 })
		stop := w.Cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition})
		w.Produce(records[50:]...)
		w.deleteBefore(0, 120)
		stop.Remove()
		head := w.stopped(0, checkpoint.LaneStats)
		if g := head.Gap; g.UndecidedTo != g.UndecidedFrom || g.UnreadFrom != 50 || g.UnreadTo != 120 || !head.Done {
			t.Errorf("gap %+v of checkpoint %+v, want [50,120) unread and nothing undecided", g, head)
		}
		w.accept(0)
		w.Settled()
		run.Drain()
		if n := w.totals(0).Records(); n != 130 {
			t.Errorf("totals of %d records, want 130", n)
		}
	})
}

// An offset that is out of range for a moment, or of the window of duplicates only, is no gap.
func TestOffsetOutOfRangeAloneIsNoGap(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		w.Produce(traffic(20, 1, 100, bubbleStart)...)
		w.Settled()
		f := w.Cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: w.Topic, Err: kerr.OffsetOutOfRange, Count: 1})
		w.until("the fault is met", func() bool { return f.Hits() > 0 })
		w.Produce(traffic(21, 1, 100, bubbleStart.Add(time.Minute))...)
		w.Settled()
		run.Drain()
		w.Recounted()
	})
}

// passGap loses 10 of 100 records before they are counted, accepts the gap of one lane by command, and that of the other. The pipeline
// then continues.
func passGap(t *testing.T, name string, command func(*testing.T, checkpoint.Acceptance)) {
	t.Helper()
	inWorld(t, 1, func(t *testing.T, w *world) {
		records := traffic(22, 1, 100, bubbleStart)
		w.Folded(w.Options(), records[:50])
		w.Produce(records[50:]...)
		w.deleteBefore(0, 60)
		run := w.Start(w.Options())
		head := w.stopped(0, checkpoint.LaneStats)
		command(t, w.Acceptance(0, checkpoint.LaneStats, head.Step))
		w.accept(0)
		w.Settled()
		run.Drain()
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
	t.Parallel()
	for at := 1; ; at++ {
		cut := false
		passGap(t, fmt.Sprintf("cut short at request %d", at), func(t *testing.T, a checkpoint.Acceptance) {
			a.Table = testpipeline.NewMortal(a.Table, at)
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
	t.Parallel()
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
