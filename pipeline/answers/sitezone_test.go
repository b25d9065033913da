package answers_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// TestNewSiteKeepsTheZoneItWasListedWith: whatever the configuration of later processes says, also where `site update` plans another.
func TestNewSiteKeepsTheZoneItWasListedWith(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		for i, zone := range []string{"Pacific/Honolulu", "", "Asia/Kolkata"} {
			if i == 2 {
				change := sites.Decision{Table: w.Table, Site: "s", Now: time.Now()}
				if _, err := change.Update(t.Context(), sites.Changes{Zone: "Pacific/Kiritimati", Name: new("Shop")}); err != nil {
					t.Fatal(err)
				}
			}
			run := w.Start(testpipeline.InZone(w.Options(), zone))
			w.Settled()
			w.Produce(clickAt("a", bubbleStart))
			w.Settled()
			run.Drain()
		}
		if n := w.DayEvents(t, "1999-12-31"); n != 3 {
			t.Errorf("the day in Honolulu has %d events, want all 3", n)
		}
		if it := w.Item(sinks.Keys{}.SiteEntry("s")); it[sinks.AttrZone].Str() != "Pacific/Honolulu" {
			t.Errorf("the entry %v, want the zone of the process that met the site", it)
		}
		from := bubbleStart.AddDate(0, 0, -3)
		a, err := query.New(w.Table, time.Now).Stats(t.Context(), query.StatsParams{Site: "s", From: from,
			To: from.AddDate(0, 0, 6), By: query.Day})
		if err != nil || len(a.Buckets) != 1 || !a.Buckets[0].Start.Equal(time.Date(1999, 12, 31, 10, 0, 0, 0, time.UTC)) {
			t.Errorf("days %+v, %v; want the one that begins at midnight in Honolulu", a.Buckets, err)
		}
		w.Exact(w.Options())
	})
}
