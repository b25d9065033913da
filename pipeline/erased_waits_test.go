package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestErasureWaitsForChains: a chain without an owner holds an erasure up until it is taken over, or named as no longer consumed.
func TestErasureWaitsForChains(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), []record{eventOf("gone", "a", "1", 0)})
		o := w.Erasure("gone")
		o.NoWait = true
		report, err := erase.Run(t.Context(), o)
		if err != nil || report.State != erase.Swept || len(report.Waiting) != 1 || report.Waiting[0].Name() != testTopic+"/0" {
			t.Fatalf("%+v, %v: want it to wait for the chain", report, err)
		}
		o.Skip = []string{"other/0"}
		if _, err := erase.Run(t.Context(), o); err == nil {
			t.Error("a chain that is not there was skipped")
		}
		o.Skip, o.NoWait = []string{testTopic + "/0"}, false
		if report, err = erase.Run(t.Context(), o); err != nil || !report.Over() || report.Revision != 1 {
			t.Fatalf("%+v, %v: want the same erasure to be done", report, err)
		}
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Seen != 1 {
			t.Errorf("the next owner may not have read the tombstone: %+v", c)
		}
		if left := w.ofPerson("s", "gone"); left != nil {
			t.Errorf("left: %q", left)
		}
		w.Recounted()
		if report, err = erase.Run(t.Context(), o); err != nil || report.Revision != 2 {
			t.Errorf("%+v, %v: want a second erasure, up to later", report, err)
		}
	})
}

// watched notes when a process takes a chain over, and which raw events it sends.
type watched struct {
	sinks.Table
	mu   sync.Mutex // covers seen
	seen []string
}

func (w *watched) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if testpipeline.KindOf(u) == "acquire" && strings.HasSuffix(u.Key.SK, checkpoint.LaneStats) {
		w.note("acquire")
	}
	return w.Table.Update(ctx, u)
}

func (w *watched) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	for _, it := range items {
		w.note(it.Value("id").Str())
	}
	return w.Table.BatchPut(ctx, items)
}

func (w *watched) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, what)
}

// TestReplacedOwnerAsksBeforeItWrites: an owner that has not heard from its chain for a minute sends no raw event before it has
// asked whose the chain is.
func TestReplacedOwnerAsksBeforeItWrites(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		first := &watched{Table: w.Table}
		o := w.Options()
		o.Table, o.StatsInterval, o.RealtimeInterval = first, time.Hour, time.Hour
		old := w.Start(o)
		w.Pass(10 * time.Second)
		o = w.Options()
		o.Group = "another"
		next := w.Start(o) // It takes the chains over, and the first is not informed.
		w.Pass(10 * time.Second)
		w.Produce(eventOf("v", "a", "soon", 0))
		w.Pass(50 * time.Second)
		w.Produce(eventOf("v", "a", "late", 0))
		w.Pass(5 * time.Second)
		next.Stop()
		old.Stop()
		for _, run := range []*process{next, old} {
			if err := <-run.Done; err != nil && !errors.Is(err, checkpoint.ErrFenced) {
				t.Errorf("Run = %v", err)
			}
		}
		first.mu.Lock()
		defer first.mu.Unlock()
		again := slices.Index(first.seen[1:], "acquire")
		late := slices.Index(first.seen, "late")
		if first.seen[0] != "acquire" || !slices.Contains(first.seen, "soon") || late >= 0 && (again < 0 || late < again+1) {
			t.Errorf("the replaced owner did %q: want it to write nothing after a minute before it has the chain back", first.seen)
		}
	})
}

// TestErasureDoesNotWaitForAbortedTransactions: a partition to which nothing comes but transactions that are aborted is idle, and its
// owner records the revision of the rules that it has read.
func TestErasureDoesNotWaitForAbortedTransactions(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.StatsInterval = 5 * time.Second
		w.Produce(eventOf("gone", "a", "1", 0))
		run := w.Start(o)
		w.Settled()
		e := w.Erasure("gone")
		e.NoWait = true
		report, err := erase.Run(t.Context(), e)
		for i := 0; err == nil && i < 30; i++ {
			w.transaction(1, kgo.TryAbort)
			w.Pass(3 * time.Second)
		}
		if err == nil {
			report, err = erase.Run(t.Context(), e)
		}
		if err != nil || len(report.Waiting) > 0 {
			t.Errorf("%+v, %v: want it to wait for no chain", report, err)
		}
		run.Drain()
	})
}
