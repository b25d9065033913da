package rebuild_test

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestRebuildKeepsTheMapOfEachRecord: a rebuild makes each record the event that it was, under the settings of then and of today, whatever
// mapping is configured by now.
func TestRebuildKeepsTheMapOfEachRecord(t *testing.T) {
	for name, today := range map[string]bool{"then": false, "today": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
				options := func(site string) pipeline.Options {
					o := w.Options()
					o.Settings.RawPacked, o.Settings.Maps = true, checkpoint.Maps{{Map: testpipeline.MapOf(site)}}
					return o
				}
				records := testpipeline.Foreign(testpipeline.Traffic(3, 1, 300, time.Now()))
				for i, site := range []string{"a", "b"} {
					stop := member(t, options(site))
					w.Produce(records[100*i : 100*(i+1)]...)
					w.Settled()
					stop()
				}
				stop := member(t, options("c"))
				runToFlip(t, rebuild.Job{Pipeline: options("c"), Today: today, Compared: func(c rebuild.Comparison) (bool, error) {
					if c.Figures == 0 || len(c.Differ) > 0 {
						t.Errorf("the comparison: %+v", c)
					}
					return true, nil
				}})
				w.Produce(records[200:]...)
				w.Settled()
				number, _, err := sinks.LoadTopic(t.Context(), w.Table, w.Live(), w.Topic)
				if err != nil {
					t.Fatal(err)
				}
				head, err := checkpoint.ReadHead(w.Item(w.Live().Checkpoint(sinks.TP{Topic: number}, checkpoint.LaneStats)))
				want := checkpoint.Maps{{From: 0, Map: testpipeline.MapOf("a")}, {From: 100, Map: testpipeline.MapOf("b")},
					{From: 200, Map: testpipeline.MapOf("c")}}
				if got := checkpoint.RecordedMaps(head.Ver); err != nil || !slices.Equal(got, want) {
					t.Errorf("the new generation names %v, %v; want %v", got, err, want)
				}
				w.Recounted()
				stop()
			})
		})
	}
}
