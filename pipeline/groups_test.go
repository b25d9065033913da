package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// statsHead is the checkpoint of the stats lane of partition 0.
func (w *world) statsHead() checkpoint.Head {
	w.T.Helper()
	return w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
}

// TestLaterGroupIsLeftAlone: of two groups on one table the one that came later counts, and the other yields and says to
// whom. Neither ends, and the numbers are right.
func TestLaterGroupIsLeftAlone(t *testing.T) {
	t.Parallel()
	records := traffic(9, 1, 400, bubbleStart)
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		a, log := w.watched()
		a.Table, a.StatsInterval = s, 2*time.Second
		b := w.With(s, 0)
		b.Group, b.Metrics = "renamed", pipeline.NewMetrics(prometheus.NewRegistry())
		first := w.Start(a)
		produce(20)
		w.Settled()
		second := w.Start(b)
		for range 190 {
			produce(2)
			w.Pass(2 * time.Second)
		}
		w.Settled()
		if n := testutil.ToFloat64(a.Metrics.Fenced) + testutil.ToFloat64(b.Metrics.Fenced); n != 1 {
			w.T.Errorf("fenced %v times in six minutes, want once, when the later group came", n)
		}
		if head := w.statsHead(); head.Group != "renamed" || fmt.Sprint(head.Groups) != fmt.Sprint([]string{a.Group, "renamed"}) ||
			head.Epoch != 2 {
			w.T.Errorf("the chain is of group %q, groups %q, epoch %d", head.Group, head.Groups, head.Epoch)
		}
		if log.line("another consumer group has taken over a partition", "other=renamed") == "" ||
			testutil.ToFloat64(a.Metrics.Yielded.WithLabelValues("0")) != 1 {
			w.T.Errorf("the earlier group does not say to whom it yields:\n%s", &log.text)
		}
		first.Drain()
		second.Drain()
	}}.rows(t), want)
}

// TestRollback: the earlier group takes over once the later one has stood still for a minute, whether its processes ran
// all along or begin then; and the later one takes over at once when it comes back.
func TestRollback(t *testing.T) {
	t.Parallel()
	records := traffic(10, 1, 400, bubbleStart)
	want := calm(t, 1, records)
	for _, fresh := range []bool{false, true} {
		t.Run(fmt.Sprintf("begun after the later group has ended %v", fresh), func(t *testing.T) {
			compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
				a, b := w.With(s, 0), w.With(s, 0)
				b.Group = "renamed"
				// owned lets records come until a group owns the chain, and returns how long that took.
				owned := func(group string) time.Duration {
					begun := time.Now()
					for w.statsHead().Group != group && time.Since(begun) < time.Hour {
						produce(1)
						w.Pass(time.Second)
					}
					return time.Since(begun)
				}
				earlier := w.Start(a)
				owned(a.Group)
				later := w.Start(b)
				if took := owned(b.Group); took > 10*time.Second {
					w.T.Errorf("the later group took over after %v, want at once", took)
				}
				if fresh {
					earlier.Drain()
				}
				w.Pass(10 * time.Second)
				later.Drain()
				if fresh {
					earlier = w.Start(a)
				}
				if took := owned(a.Group); took < 45*time.Second || took > 80*time.Second {
					w.T.Errorf("the earlier group took over %v after the later one had ended, want after a minute", took)
				}
				produce(20)
				w.Pass(10 * time.Second)
				later = w.Start(b)
				if took := owned(b.Group); took > 10*time.Second {
					w.T.Errorf("the later group took over again after %v, want at once", took)
				}
				earlier.Drain()
				w.Settled()
				later.Drain()
			}}.rows(t), want)
		})
	}
}

// TestEpochsRaisedByTheSameGroupEndLoudly: a process whose chain is taken over and over by owners of its own group, as where
// two clusters have topics and groups of one name, gives up and names the owner.
func TestEpochsRaisedByTheSameGroupEndLoudly(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.With(w.Table, 0)
		run := w.Start(o)
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		var err error
		for i := 0; err == nil && i < 600; i++ {
			w.Produce(events(0, 1)...)
			select {
			case err = <-run.Done:
			case <-time.After(time.Second):
			}
			if w.Item(key) == nil || i%10 > 0 {
				continue
			}
			if _, err := w.Table.Update(t.Context(), sinks.Update{Key: key, Add: []sinks.Attr{{Name: "ep", Value: sinks.Int(1)}},
				Set: []sinks.Attr{{Name: "own", Value: sinks.Str("elsewhere")}}}); err != nil {
				t.Fatal(err)
			}
		}
		if !errors.Is(err, checkpoint.ErrFenced) || !strings.Contains(err.Error(), `owned by "elsewhere"`) || !strings.Contains(err.Error(),
			o.Group) {
			t.Errorf("Run = %v, want %v with the owner's name and the group's", err, checkpoint.ErrFenced)
		}
	})
}
