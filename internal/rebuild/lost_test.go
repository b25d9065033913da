package rebuild_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// TestDeletedCheckpointIsCountedAgain: a rebuild refuses a table whose checkpoint was deleted and names the remedy, which counts the topic
// again under the settings of then, also where a member has parked the partition.
func TestDeletedCheckpointIsCountedAgain(t *testing.T) {
	for lane, parks := range map[string]bool{checkpoint.LaneStats: true, checkpoint.LaneRealtime: false} {
		t.Run(lane, func(t *testing.T) {
			testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
				records, start := testpipeline.Traffic(1, 2, 900, time.Now()), time.Now().Truncate(time.Hour)
				o := w.Options()
				stop := member(t, o)
				w.Produce(records[:400]...)
				w.Settled()
				w.Decide("site-0", &sites.Rules{ExcludedPaths: []string{"/p1", "/p2"}})
				w.Pass(time.Minute)
				w.Produce(records[400:600]...)
				w.Settled()
				stop()
				figures := func() string {
					t.Helper()
					a, err := query.New(w.Table, time.Now).Stats(t.Context(), query.StatsParams{Site: "site-0", From: start, To: start.Add(time.Hour)})
					if err != nil || a.Totals.ExcludedEvents == 0 {
						t.Fatalf("%+v, %v", a, err)
					}
					return string(testpipeline.MustJSON(a.Totals))
				}
				before := figures()

				tp := sinks.TP{Topic: 1, Partition: 1}
				if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: sinks.Keys{}.Checkpoint(tp, lane)}); err != nil {
					t.Fatal(err)
				}
				if parks {
					stop = member(t, o)
					for w.Checkpoint(tp, checkpoint.LaneStats).Park == nil {
						w.Pass(time.Second)
					}
					stop()
				}
				job := rebuild.Job{Pipeline: o, Log: slog.New(slog.DiscardHandler)}
				if _, err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "table resume-restored") {
					t.Errorf("a rebuild: %v, want the remedy", err)
				}
				resume(t, job)
				w.Recounted()
				if after := figures(); after != before {
					t.Errorf("figures were %s and are %s", before, after)
				}
				stop = member(t, o)
				w.Produce(records[600:]...)
				w.Settled()
				w.Recounted()
				stop()
			})
		})
	}
}
