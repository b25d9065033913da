package replay_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// TestReplayAfterRebuildPublishesNothingAgain: what a replay has published stays published once another generation of items is live, and
// after the former one was dropped.
func TestReplayAfterRebuildPublishesNothingAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t) // The pipeline makes its own.
		settings := lateness(time.Hour)
		w.late(0, 9)
		w.fold(settings)
		if sum := w.replay(nil); sum.Published != 9 {
			t.Fatalf("summary %+v, want 9 published", sum)
		}
		w.fold(settings) // They are rejected again.
		job := rebuild.Job{Log: slog.New(slog.DiscardHandler),
			Pipeline: pipeline.Options{Kafka: w.kafka(), Topic: topic, Group: "g", Table: w.table, HashKey: hashKey, Settings: settings},
			Compared: func(rebuild.Comparison) (bool, error) { return true, nil },
			Progress: func(p rebuild.Progress) {
				if p.Phase == rebuild.Following {
					time.Sleep(10 * time.Second) // The pipeline must have read what is being rebuilt before that is live.
				}
			}}
		if r, err := job.Run(t.Context()); err != nil || !r.Flipped {
			t.Fatalf("the rebuild: %+v, %v", r, err)
		}
		again := func(when string) {
			t.Helper()
			for _, dry := range []bool{true, false} {
				sum := w.replay(func(o *replay.Options) { o.Keys, o.DryRun = sinks.KeysOfGeneration(2), dry })
				if sum.Published != 0 {
					t.Errorf("%s, dry run %v: summary %+v, want nothing published", when, dry, sum)
				}
			}
		}
		again("after the rebuild")
		if _, err := rebuild.Drop(t.Context(), w.table); err != nil {
			t.Fatal(err)
		}
		again("after the former generation was dropped")
	})
}
