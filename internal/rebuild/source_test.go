package rebuild_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// TestNothingToRebuildFrom: a topic that has lost records, or is not the only one, is refused, and nothing is changed.
func TestNothingToRebuildFrom(t *testing.T) {
	testpipeline.InBubble(t, 1, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(4, 2, 100, time.Now())...)
		w.Settled()
		stop()
		before := look(t, w.Table)
		job := rebuild.Job{Pipeline: w.Options(), Log: slog.New(slog.DiscardHandler)}
		if _, err := sinks.EnsureTopic(t.Context(), w.Table, sinks.Keys{}, "more"); err != nil {
			t.Fatal(err)
		}
		if _, err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "2 topics") {
			t.Errorf("Run beside another topic = %v", err)
		}
		if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: sinks.Keys{}.Topic("more")}); err != nil {
			t.Fatal(err)
		}
		if err := w.Cluster.DeleteRecords(w.Topic, 1, 5); err != nil {
			t.Fatal(err)
		}
		_, err := job.Run(t.Context())
		lost, ok := errors.AsType[*rebuild.LostError](err)
		if !ok {
			t.Fatalf("Run without the first records = %v, want a *LostError", err)
		}
		want := rebuild.LostError{Topic: w.Topic, Partition: 1, Start: 5, Partitions: 1, AllPartitions: 2,
			Earliest: time.Date(2000, 1, 3, 0, 0, 0, 0, time.UTC), Latest: lost.Latest}
		if *lost != want || !strings.Contains(err.Error(), "partition 1, its log begins at offset 5") ||
			!strings.Contains(err.Error(), "records of dates before 2000-01-03 may be lost") {
			t.Errorf("Run = %v: %+v, want %+v", err, *lost, want)
		}
		if after := look(t, w.Table); after != before {
			t.Errorf("generations %+v have become %+v", before, after)
		}
	})
}
