package rebuild_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// TestComparisonNamesWhatDiffers: figures that were changed by hand in the live generation are found, by site and figure, and others are
// not.
func TestComparisonNamesWhatDiffers(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(3, 1, 200, time.Now())...)
		w.Settled()
		hours := w.Query(sinks.Keys{}.Site("site-0"), sinks.HourStatsPrefix)
		if len(hours) == 0 {
			t.Fatal("site-0 has no hours")
		}
		_, err := w.Table.Update(t.Context(), sinks.Update{Key: hours[len(hours)-1].Key(),
			Add: []sinks.Attr{{Name: sinks.AttrEvents, Value: sinks.Int(7)}}})
		if err != nil {
			t.Fatal(err)
		}
		job := rebuild.Job{Pipeline: w.Options(), Log: slog.New(slog.DiscardHandler)}
		r, err := job.Run(t.Context())
		if err != nil || r.Flipped {
			t.Fatalf("Run = %+v, %v", r, err)
		}
		found := false
		for _, d := range r.Comparison.Differ {
			found = found || d.Site == "site-0" && d.Figure == "events" && d.Buckets > 0 && d.Live != d.Rebuilt
			if d.Site != "site-0" {
				t.Errorf("%+v differs", d)
			}
		}
		if !found {
			t.Errorf("events of site-0 do not differ: %+v", r.Comparison)
		}
		stop()
	})
}

// TestSiteWithUnevenClocksIsComparedInPart: the clocks of a site were set forward into the present day, by a part of an hour. The day
// begins in the middle of an hour, so a range that ends there cannot be read. The other site is compared as a whole, and nothing differs.
func TestSiteWithUnevenClocksIsComparedInPart(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		from := time.Now().Add(-133 * time.Minute) // 21:47 in UTC, 03:32 of the next day in Kathmandu
		w.Decide("site-0", &sites.Rules{Zones: []sites.Zone{{Name: "UTC"}, {From: from.UnixMilli(), Name: "Asia/Kathmandu"}}})
		member(t, w.Options())
		w.Produce(testpipeline.Traffic(3, 1, 200, from.Add(-2*time.Minute))...)
		w.Settled()
		job := rebuild.Job{Pipeline: w.Options(), Log: slog.New(slog.DiscardHandler)}
		r, err := job.Run(t.Context())
		if c := r.Comparison; err != nil || c.Sites != 2 || c.Uneven != 1 || c.Figures == 0 || len(c.Differ) > 0 {
			t.Errorf("Run = %+v, %v", c, err)
		}
	})
}
