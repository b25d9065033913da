package rebuild_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// TestRebuildUnderSettingsOfThenOrToday: settings of the pipeline and of a site that changed in between hold in a rebuild from the same
// records on, so that nothing differs; or, if asked, those of today hold for all, and what differs is named.
func TestRebuildUnderSettingsOfThenOrToday(t *testing.T) {
	for name, today := range map[string]bool{"then": false, "today": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
				records := testpipeline.Traffic(2, 2, 900, time.Now())
				o := w.Options()
				o.Settings.RawPacked = true
				for i := range 3 {
					switch i {
					case 1:
						o.Settings.NonInteractive, o.Settings.Breakdowns = []string{"click"}, 7
						o.Settings.Duplicates = testpipeline.Within(20)
					case 2:
						w.Decide("site-0", &sites.Rules{ExcludedPaths: []string{"/p1", "/p2"}})
						o.Settings.Bots.Rate, o.Settings.VisitGapMs = 40, 60_000
						o.Settings.Duplicates = testpipeline.Within(5000)
					}
					stop := member(t, o)
					w.Produce(records[max(0, 300*i-100) : 300*(i+1)]...) // Some come again.
					w.Settled()
					stop()
				}
				stop := member(t, o)
				var found rebuild.Comparison
				job := rebuild.Job{Pipeline: o, Today: today,
					Compared: func(c rebuild.Comparison) (bool, error) {
						found = c
						return true, nil
					}}
				runToFlip(t, job)
				excluded := false
				for _, d := range found.Differ {
					excluded = excluded || d.Site == "site-0" && d.Figure == "excludedEvents" && d.Live < d.Rebuilt
				}
				if today != excluded || today == (len(found.Differ) == 0) {
					t.Errorf("what differs: %+v", found)
				}
				w.Produce(testpipeline.Traffic(3, 2, 100, time.Now())...)
				w.Settled()
				w.Recounted()
				if _, err := rebuild.Drop(t.Context(), w.Table); err != nil {
					t.Error(err)
				}
				w.Recounted()
				if w.Live() != (sinks.Keys{Generation: 2}) {
					t.Errorf("the live generation has keys %+v", w.Live())
				}
				stop()
			})
		})
	}
}
