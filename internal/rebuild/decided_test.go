package rebuild_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
)

// since says from when on a goal, a property and new visitors of site-0 hold, with the goal's rate and its figures.
func since(t *testing.T, w *testpipeline.World, from time.Time) string {
	t.Helper()
	r := query.New(w.Table, time.Now)
	site, err := r.Site(t.Context(), query.SiteParams{Site: "site-0", Consistent: true})
	if err != nil {
		t.Fatal(err)
	}
	p := query.StatsParams{Site: "site-0", From: from, To: time.Now(), By: query.Day, Consistent: true}
	a, err := r.GoalStats(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Goals(t.Context(), query.GoalsParams{Site: "site-0", Consistent: true})
	if err != nil {
		t.Fatal(err)
	}
	g := a.Totals.Goals[0]
	return fmt.Sprint(all.Goals[0].Since == nil, g.Since == nil, site.Site.Properties[0].Since == nil, site.Site.NewVisitorsSince == nil,
		g.SessionsSince == a.Totals.Sessions && g.ConversionRate != nil && g.Conversions > 0)
}

// TestDecidedLaterHoldsForThePast: after a rebuild under the settings of today, a goal, a property and new visitors hold from the beginning
// on: they have no since, and the rate of the goal is of all sessions. A rebuild that repeats this one says the same, and what was decided
// after it began holds from then on. In the former generation nothing has changed.
func TestDecidedLaterHoldsForThePast(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		start := time.Now().Truncate(time.Hour)
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(2, 2, 300, time.Now())...)
		w.Settled()
		w.Pass(time.Hour)
		decided := &sites.Rules{NewVisitors: true, NewVisitorsSince: time.Now().UnixMilli(), LastProperty: 1,
			Properties: []sites.Property{{Key: "plan", N: 1, Since: time.Now().UnixMilli()}}}
		w.Decide("site-0", decided)
		by := sites.Decision{Table: w.Table, Site: "site-0", Now: time.Now()}
		if err := by.CreateGoal(t.Context(), sites.Goal{ID: "seen", On: sites.Pattern{On: "event", Type: "page_view"}}); err != nil {
			t.Fatal(err)
		}
		stop()
		stop = member(t, w.Options())
		check := func(when, want string) {
			t.Helper()
			w.Pass(time.Minute)
			if got := since(t, w, start); got != want {
				t.Errorf("%s: from the beginning: %s, want %s", when, got, want)
			}
		}
		w.Produce(testpipeline.Traffic(3, 2, 50, time.Now())...)
		w.Settled()
		check("before", "false false false false false")

		w.Pass(time.Minute)
		job := rebuild.Job{Pipeline: w.Options(), Today: true, Log: slog.New(slog.DiscardHandler),
			Compared: func(rebuild.Comparison) (bool, error) { return false, nil }}
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		job.Today, job.Compared = false, nil // What is continued is counted as it began.
		runToFlip(t, job)
		check("rebuilt under settings of today", "true true true true true")
		w.Recounted()

		has, err := rebuild.Look(t.Context(), w.Table)
		if err == nil {
			err = rebuild.Back(t.Context(), w.Table, has)
		}
		if err != nil {
			t.Fatal(err)
		}
		check("the former generation", "false false false false false")
		stop()
	})
}
