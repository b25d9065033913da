package rebuild_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
)

// TestOnePageIsOfOneGeneration: a page is made of several answers. Where a generation becomes live in between, all are of the one of the
// first answer. The next page is of the new one.
func TestOnePageIsOfOneGeneration(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(2, 2, 600, time.Now())...)
		w.Settled()
		w.Decide("site-0", &sites.Rules{ExcludedPaths: []string{"/p1", "/p2"}})
		reader := query.New(w.Table, time.Now)
		excluded := func(ctx context.Context) bool {
			t.Helper()
			now := time.Now()
			a, err := reader.Stats(ctx, query.StatsParams{Site: "site-0", From: now.Add(-48 * time.Hour), To: now.Add(time.Hour), Zone: time.UTC,
				By: query.Day})
			if err != nil || a.Totals == nil {
				t.Fatalf("Stats = %+v, %v", a, err)
			}
			return a.Totals.ExcludedEvents > 0
		}
		page := query.OfOneGeneration(t.Context())
		before := excluded(page)
		runToFlip(t, rebuild.Job{Pipeline: w.Options(), Today: true})
		w.Pass(10 * time.Second)
		if same, next := excluded(page), excluded(query.OfOneGeneration(t.Context())); before || same || !next {
			t.Errorf("events are excluded in the first answer of a page: %v, in its last: %v, in the next page: %v", before, same, next)
		}
		stop()
	})
}
