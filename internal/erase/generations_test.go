package erase_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/live"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// rebuilt is a world whose topic is counted, and a member that counts on.
type rebuilt struct {
	*testpipeline.World
	t    *testing.T
	stop func()
}

// inGenerations runs a test with visitors "gone" and "stays", who are counted.
func inGenerations(t *testing.T, test func(t *testing.T, w rebuilt)) {
	t.Parallel()
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, tw *testpipeline.World, _ *kfake.VirtualNetwork) {
		w := rebuilt{World: tw, t: t}
		w.RareFetches(5 * time.Second)
		w.count()
		defer w.stop()
		w.Produce(w.records()...)
		w.Settled()
		test(t, w)
	})
}

func (w *rebuilt) options() pipeline.Options {
	o := w.Options()
	o.StatsInterval, o.Log = 5*time.Second, slog.New(slog.DiscardHandler)
	o.Settings.Duplicates = checkpoint.Duplicates{}
	return o
}

// count starts a member of the consumer group.
func (w *rebuilt) count() {
	w.t.Helper()
	p, err := live.New(w.options())
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	w.stop = func() {
		w.t.Helper()
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("the member ended with %v", err)
		}
	}
}

// records are events of two visitors: in sessions, in visits, and one that names only a session.
func (w *rebuilt) records() []testpipeline.Record {
	return []testpipeline.Record{
		testpipeline.EventOf("gone", "a", "1", 0), testpipeline.EventOf("", "a", "2", time.Second),
		testpipeline.EventOf("gone", "", "3", 2*time.Second), testpipeline.EventOf("stays", "b", "4", 3*time.Second),
		testpipeline.EventOf("stays", "", "5", 4*time.Second),
	}
}

// rebuild counts the topic once more, and makes that live.
func (w *rebuilt) rebuild(progress func(rebuild.Progress)) {
	w.t.Helper()
	job := rebuild.Job{Pipeline: w.options(), Log: slog.New(slog.DiscardHandler),
		Compared: func(rebuild.Comparison) (bool, error) { return true, nil },
		Progress: func(p rebuild.Progress) {
			if progress != nil {
				progress(p)
			}
			if p.Phase == rebuild.Following {
				w.Pass(10 * time.Second) // The pipeline must have read what is being rebuilt before that is live.
			}
		}}
	if r, err := job.Run(w.t.Context()); err != nil || !r.Flipped {
		w.t.Fatalf("the rebuild: %+v, %v", r, err)
	}
	w.Settled()
}

// erase erases the visitor who is to go, and expects it to be over.
func (w *rebuilt) erase() erase.Report {
	w.t.Helper()
	report, err := erase.Run(w.t.Context(), w.Erasure("gone"))
	if err != nil || !report.Over() {
		w.t.Fatalf("Run = %+v, %v, want it to be over", report, err)
	}
	return report
}

// of are the items of a generation, raw events included, that name a visitor.
func (w *rebuilt) of(generation int, visitor string) (found []string) {
	w.t.Helper()
	keys := sinks.KeysOfGeneration(generation)
	note := func(it sinks.Item) { found = append(found, fmt.Sprintf("%s / %s", it.Key().PK, it.Key().SK)) }
	for nn := range sinks.DefaultShards {
		for pk := range map[string]bool{keys.Shard("s", nn): true, sinks.RawShard("s", nn): true} {
			for _, it := range w.Query(pk, "") {
				if it[sinks.AttrVisitorID].Str() == visitor || strings.Contains(it.Key().SK, "#"+visitor+"#") {
					note(it)
				}
			}
		}
	}
	for _, it := range w.Query(keys.VisitorList("s"), "") {
		entries, err := state.DecodeListed(it[sinks.AttrListed].Bytes(), 0, sinks.TP{})
		if err != nil {
			w.t.Fatal(err)
		}
		if slices.ContainsFunc(entries, func(e state.ListedSession) bool { return e.Visitor == sinks.VisitorHash(visitor) }) {
			note(it)
		}
	}
	return found
}

// isGone expects generations to say nothing of the visitor who was erased, and something of the other.
func (w *rebuilt) isGone(when string, generations ...int) {
	w.t.Helper()
	for _, n := range generations {
		if left := w.of(n, "gone"); left != nil {
			w.t.Errorf("%s generation %d has %q", when, n, left)
		}
		if others := w.of(n, "stays"); len(others) < 5 {
			w.t.Errorf("%s generation %d has only %q of another visitor", when, n, others)
		}
	}
}

// TestErasureHoldsInFormerGeneration: the person is deleted in the generation that was live before, too, and a return to it brings nothing
// back, also when their records come again. There is one erasure.
func TestErasureHoldsInFormerGeneration(t *testing.T) {
	inGenerations(t, func(t *testing.T, w rebuilt) {
		w.rebuild(nil)
		if n := len(w.of(1, "gone")); n < 5 {
			t.Fatalf("the former generation has only %d items of the visitor", n)
		}
		w.erase()
		w.isGone("after the erasure", 1, 2)
		w.Recounted()
		has, err := rebuild.Look(t.Context(), w.Table)
		if err == nil {
			err = rebuild.Back(t.Context(), w.Table, has)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Produce(w.records()...)
		w.Settled()
		w.isGone("after the return", 1, 2)
		w.Recounted()
		all, err := erase.List(t.Context(), w.Table, "s")
		if err != nil || len(all) != 1 || !all[0].Over() {
			t.Errorf("List = %+v, %v, want one erasure that is done", all, err)
		}
	})
}

// TestRebuildObeysErasure: a rebuild that begins after an erasure brings nothing back, and the erasure stays done.
func TestRebuildObeysErasure(t *testing.T) {
	inGenerations(t, func(t *testing.T, w rebuilt) {
		w.erase()
		w.rebuild(nil)
		w.isGone("after the rebuild", 1, 2)
		w.Recounted()
		all, err := erase.List(t.Context(), w.Table, "s")
		if err != nil || len(all) != 1 || !all[0].Over() {
			t.Errorf("List = %+v, %v, want one erasure that is done", all, err)
		}
	})
}

// TestErasureDuringRebuild: the chains of the generation that is being rebuilt come to know of an erasure, and their items are swept.
func TestErasureDuringRebuild(t *testing.T) {
	inGenerations(t, func(t *testing.T, w rebuilt) {
		begun, done := make(chan struct{}), make(chan struct{})
		var once sync.Once
		go func() {
			defer close(done)
			<-begun
			w.erase()
		}()
		w.rebuild(func(p rebuild.Progress) {
			if p.Phase == rebuild.Comparing {
				once.Do(func() { close(begun) })
			}
		})
		<-done
		w.isGone("after both", 1, 2)
		w.Recounted()
	})
}

// TestErasureWaitsForRebuild: chains of a generation whose rebuild was left are waited for, under a name of their own, unless they are
// skipped.
func TestErasureWaitsForRebuild(t *testing.T) {
	inGenerations(t, func(t *testing.T, w rebuilt) {
		job := rebuild.Job{Pipeline: w.options(), Log: slog.New(slog.DiscardHandler)}
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		o := w.Erasure("gone")
		o.NoWait = true
		if _, err := erase.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		w.Pass(3 * time.Minute) // In which the member comes to know of it.
		report, err := erase.Run(t.Context(), o)
		if err != nil || len(report.Waiting) != 1 || report.Waiting[0].Name() != "G2#events/0" || report.Waiting[0].Generation != 2 {
			t.Fatalf("Run = %+v, %v, want it to wait for the chain that is being rebuilt", report, err)
		}
		o.NoWait, o.Skip = false, []string{"G2#events/0"}
		if report, err := erase.Run(t.Context(), o); err != nil || !report.Over() {
			t.Errorf("Run = %+v, %v, want it to be over", report, err)
		}
		w.isGone("after the erasure", 1, 2)
		w.Recounted()
	})
}

// TestErasureAfterDrop: raw events that a generation wrote which was dropped are deleted, and its items that have not expired yet. A flush
// that the former generation left open holds the erasure up until then.
func TestErasureAfterDrop(t *testing.T) {
	inGenerations(t, func(t *testing.T, w rebuilt) {
		w.rebuild(nil)
		_, err := w.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats),
			Set: []sinks.Attr{{Name: checkpoint.AttrDone, Value: sinks.Int(0)}}})
		if err != nil {
			t.Fatal(err)
		}
		report, err := erase.Run(t.Context(), w.Erasure("gone"))
		if err != nil || report.Over() || !slices.Equal(report.Open, []string{"G1#events/0"}) {
			t.Fatalf("Run = %+v, %v, want a chain whose last flush is open", report, err)
		}
		if _, err := rebuild.Drop(t.Context(), w.Table); err != nil {
			t.Fatal(err)
		}
		if left := w.of(1, "gone"); left == nil {
			t.Error("nothing is left to be swept of the generation that was dropped")
		}
		if again := w.erase(); again.Revision != report.Revision {
			t.Errorf("the erasure is of revision %d, want %d continued", again.Revision, report.Revision)
		}
		w.isGone("after the erasure", 1, 2)
		w.Recounted()
	})
}
