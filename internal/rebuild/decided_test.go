package rebuild_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
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

// TestZoneDecidedLaterHoldsForThePast: after a rebuild under the settings of today, the zone in force holds from the beginning on, and one
// that is planned from when it was decided for. A rebuild under the settings of then keeps that, and the former generation has its days as
// they were.
func TestZoneDecidedLaterHoldsForThePast(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		start := time.Now()
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(2, 2, 300, time.Now())...)
		w.Settled()
		var zones []sites.Zone
		move := func(zone string) { // A day's notice would take long.
			t.Helper()
			zones = append(zones, sites.Zone{From: time.Now().Add(10 * time.Minute).Truncate(time.Minute).UnixMilli(), Name: zone})
			w.Decide("site-0", &sites.Rules{CreatedAt: start.UnixMilli(), Zones: zones})
		}
		move("Asia/Kolkata")
		w.Pass(15 * time.Minute)
		w.Produce(testpipeline.Traffic(3, 2, 100, time.Now())...)
		w.Settled()
		check := func(when string, zones ...string) {
			t.Helper()
			w.Pass(time.Minute)
			r := query.New(w.Table, time.Now)
			site, err := r.Site(t.Context(), query.SiteParams{Site: "site-0", Consistent: true})
			if err != nil {
				t.Fatal(err)
			}
			var has []string
			for _, z := range site.Site.ZonesFrom {
				has = append(has, z.Zone)
			}
			if !slices.Equal(has, zones) {
				t.Errorf("%s: zones %v, want %v", when, has, zones)
			}
			loc, err := time.LoadLocation(zones[0])
			if err != nil {
				t.Fatal(err)
			}
			a, err := r.Stats(t.Context(), query.StatsParams{Site: "site-0", From: start, To: start.Add(time.Hour), By: query.Day,
				Consistent: true})
			if err != nil {
				t.Fatal(err)
			}
			if begin := a.Buckets[0].Start; begin.In(loc).Hour() != 0 || begin.In(loc).Minute() != 0 {
				t.Errorf("%s: the first day begins at %v, want a midnight of %s", when, begin, loc)
			}
			w.Recounted()
		}
		check("as decided", "UTC", "Asia/Kolkata")

		move("Pacific/Honolulu")
		job := rebuild.Job{Pipeline: w.Options(), Today: true, Log: slog.New(slog.DiscardHandler)}
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Pass(15 * time.Minute) // What is planned begins.
		runToFlip(t, job)
		check("rebuilt under settings of today", "Asia/Kolkata", "Pacific/Honolulu")
		move("Europe/Berlin")
		w.Pass(15 * time.Minute)
		w.Produce(testpipeline.Traffic(4, 2, 100, time.Now())...)
		w.Settled()
		check("a zone later", "Asia/Kolkata", "Pacific/Honolulu", "Europe/Berlin")

		has, err := rebuild.Look(t.Context(), w.Table)
		if err == nil {
			err = rebuild.Back(t.Context(), w.Table, has)
		}
		if err != nil {
			t.Fatal(err)
		}
		check("the former generation", "UTC", "Asia/Kolkata", "Pacific/Honolulu", "Europe/Berlin")
		if has, err = rebuild.Look(t.Context(), w.Table); err == nil {
			err = rebuild.Back(t.Context(), w.Table, has)
		}
		if err == nil {
			_, err = rebuild.Drop(t.Context(), w.Table)
		}
		if err != nil {
			t.Fatal(err)
		}
		then := rebuild.Job{Pipeline: w.Options(), Log: job.Log,
			Compared: func(rebuild.Comparison) (bool, error) { return true, nil }}
		if _, err := then.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		check("rebuilt under settings of then", "Asia/Kolkata", "Pacific/Honolulu", "Europe/Berlin")
		if _, err := rebuild.Drop(t.Context(), w.Table); err != nil {
			t.Fatal(err)
		}
		check("what was rebuilt first is dropped", "Asia/Kolkata", "Pacific/Honolulu", "Europe/Berlin")
		if text := w.Item(sinks.Keys{}.SiteEntry("site-0"))[sinks.AttrGenerationZones].Str(); !strings.HasPrefix(text, "3:") {
			t.Errorf("the entry has %q, want the zone of generation 3 alone", text)
		}
		stop()
	})
}

// TestZonesAreComparedByDate: the days of a site that has another zone in the new generation are compared by their dates,
// also where one has hours that the other cuts.
func TestZonesAreComparedByDate(t *testing.T) {
	for zone, after := range map[string]time.Duration{"Asia/Dubai": 0, "Asia/Kolkata": 30 * time.Minute, "Asia/Kathmandu": 7 * time.Minute} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
				w.Pass(8 * time.Hour) // The day has the same date in all of these zones.
				stop := member(t, w.Options())
				from := time.Now().Truncate(time.Hour).Add(time.Hour + after)
				w.Decide("site-0", &sites.Rules{CreatedAt: 1, Zones: []sites.Zone{{From: from.UnixMilli(), Name: zone}}})
				w.Produce(testpipeline.Traffic(2, 2, 200, time.Now())...)
				w.Settled()
				w.Pass(time.Until(from) + time.Minute)
				w.Produce(testpipeline.Traffic(3, 2, 100, time.Now())...)
				w.Settled()
				var found rebuild.Comparison
				runToFlip(t, rebuild.Job{Pipeline: w.Options(), Today: true, Compared: func(c rebuild.Comparison) (bool, error) {
					found = c
					return true, nil
				}})
				if found.Sites != 2 || found.Figures == 0 || found.Uneven > 0 || len(found.Differ) > 0 {
					t.Errorf("compared: %+v", found)
				}
				w.Recounted()
				stop()
			})
		})
	}
}
