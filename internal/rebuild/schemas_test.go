package rebuild_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// reading are options for values with schemas.
func reading(w *testpipeline.World, r *testpipeline.Shelf) pipeline.Options {
	o := w.Options()
	o.Settings.RawPacked, o.Registry = true, r
	o.Settings.Maps = checkpoint.Maps{{Map: mapping.Config{Input: mapping.InputRegistry}.Canonical()}}
	return o
}

// statsOf is the live checkpoint of the stats lane of partition 0.
func statsOf(t *testing.T, w *testpipeline.World) checkpoint.Head {
	t.Helper()
	number, _, err := sinks.LoadTopic(t.Context(), w.Table, w.Live(), w.Topic)
	if err != nil {
		t.Fatal(err)
	}
	head, err := checkpoint.ReadHead(w.Item(w.Live().Checkpoint(sinks.TP{Topic: number}, checkpoint.LaneStats)))
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// TestRebuildKeepsWhatIsKnown: a rebuild reads each record as it was read first, whatever the registry has by now, and estimates that
// before.
func TestRebuildKeepsWhatIsKnown(t *testing.T) {
	for name, today := range map[string]bool{"then": false, "today": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
				records, r := testpipeline.Traffic(3, 1, 300, time.Now()), testpipeline.NewShelf(1)
				stop := member(t, reading(w, r))
				w.Produce(testpipeline.Framed(records[:100], 1, 2)...)
				w.Settled()
				r.Change(func() { r.Has[wire.Confluent(2)] = `{}` })
				w.Produce(testpipeline.Framed(records[100:200], 1, 2)...)
				w.Settled()
				r.Change(func() { delete(r.Has, wire.Confluent(1)) })
				job := rebuild.Job{Pipeline: reading(w, r), Today: today, Log: slog.New(slog.DiscardHandler)}
				scratch := new(memory.Table)
				defer scratch.Close()
				if _, e, err := job.Estimate(t.Context(), scratch); err != nil || e.Sampled != 200 {
					t.Errorf("Estimate = %+v, %v, want a sample of 200 records", e, err)
				}
				job.Compared = func(c rebuild.Comparison) (bool, error) {
					if c.Figures == 0 || len(c.Differ) > 0 {
						t.Errorf("the comparison: %+v", c)
					}
					return true, nil
				}
				runToFlip(t, job)
				w.Produce(testpipeline.Framed(records[200:], 1, 2)...)
				w.Settled()
				stop()
				head := statsOf(t, w)
				if n := head.Totals.Rejected[event.UnknownSchema]; n != 50 || head.Known.String() != "1@0 2@101" {
					t.Errorf("known are %v, totals %+v, want 1@0 2@101, and 50 with an unknown schema", head.Known, head.Totals)
				}
				w.Recounted()
			})
		})
	}
}

// TestRebuildKeepsWhatItHasDecided: a rebuild that has counted further than what it repeats, with another answer of the registry, keeps to
// that answer when it is continued. The records that it rejects are among the failed events, though the live generation counts them.
func TestRebuildKeepsWhatItHasDecided(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(3, 1, 300, time.Now())
		r := testpipeline.NewShelf(1)
		stop := member(t, reading(w, r))
		w.Produce(testpipeline.Framed(records[:100], 1)...)
		w.Settled()
		further := false
		job := rebuild.Job{Pipeline: reading(w, r), Log: slog.New(slog.DiscardHandler)}
		job.Progress = func(p rebuild.Progress) {
			if p.Phase == rebuild.Comparing && !further {
				further = true
				stop()
				w.Produce(testpipeline.Framed(records[100:200], 2)...)
				w.Pass(2 * time.Minute)
			}
		}
		if r, err := job.Run(t.Context()); err != nil || r.Flipped || !further {
			t.Fatalf("Run = %+v, %v", r, err)
		}
		r.Change(func() { r.Has[wire.Confluent(2)] = `{}` })
		stop = member(t, reading(w, r))
		w.Settled()
		runToFlip(t, job)
		w.Produce(testpipeline.Framed(records[200:], 2)...)
		w.Settled()
		stop()
		head := statsOf(t, w)
		if n := head.Totals.Rejected[event.UnknownSchema]; n != 100 || head.Known.String() != "1@0 2@200" {
			t.Errorf("known are %v, totals %+v, want 1@0 2@200, and 100 with an unknown schema", head.Known, head.Totals)
		}
		w.Recounted()
		ends, err := kadm.NewClient(w.Client).ListEndOffsets(t.Context(), w.Topic+".failed")
		if end, ok := ends.Lookup(w.Topic+".failed", 0); err != nil || !ok || end.Offset < head.Totals.Records()-head.Totals.Counted {
			t.Errorf("the failed events end at %v, %v; totals %+v", end.Offset, err, head.Totals)
		}
	})
}

// TestCopyWithoutItsSchemas: a copy may lack schemas that its checkpoints know. What the registry still has is kept again, and records of
// the others are rejected.
func TestCopyWithoutItsSchemas(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		r := testpipeline.NewShelf(1, 2)
		o := copyOf(t, w, reading(w, r), testpipeline.Framed(testpipeline.Traffic(3, 1, 100, time.Now()), 1, 2))
		for _, id := range []string{"1", "2"} {
			if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: sinks.SchemaKey(w.Topic, id)}); err != nil {
				t.Fatal(err)
			}
		}
		r.Change(func() { delete(r.Has, wire.Confluent(2)) })
		scratch := new(memory.Table)
		defer scratch.Close()
		job := rebuild.Job{Pipeline: o, Log: slog.New(slog.DiscardHandler)}
		if _, e, err := job.EstimateResume(t.Context(), scratch); err != nil || e.Sampled != 100 {
			t.Errorf("Estimate = %+v, %v, want a sample of 100 records", e, err)
		}
		resume(t, job)
		head := statsOf(t, w)
		if n := head.Totals.Rejected[event.UnknownSchema]; n != 50 || head.Known.String() != "1@0" {
			t.Errorf("known are %v, totals %+v, want 1@0, and 50 with an unknown schema", head.Known, head.Totals)
		}
		w.Recounted()
	})
}
