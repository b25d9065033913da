package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// TestNewSitesOfAnHourAreBounded: the hour is that of the records, in the order of the log; sites that were taken on once stay,
// whoever the owner is and whatever comes between.
func TestNewSitesOfAnHourAreBounded(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.NewSites = 3
		counted, rejected := int64(0), int64(0)
		for _, c := range []struct {
			text  string
			after time.Duration // of the record, behind the first
			sites string        // a letter each
			more  int64         // that are counted
		}{
			{"three are new", 0, "abcab", 5},
			{"a fourth is not counted, and the three still are", 59 * time.Minute, "dabd", 2},
			{"the next hour takes three more", time.Hour, "defg", 3},
			{"an earlier hour takes none", 0, "gaa", 2},
			{"nor does it take back the later one", time.Hour, "hd", 1},
			{"hours may be left out", 5 * time.Hour, "ghij", 3},
		} {
			run := w.Start(o) // An owner that begins with nothing.
			for _, letter := range c.sites {
				w.Produce(clickOf(string(letter), bubbleStart.Add(c.after)))
			}
			w.Settled()
			run.Drain()
			counted += c.more
			rejected += int64(len(c.sites)) - c.more
			if have := w.totals(0); have.Counted != counted || have.Rejected[event.TooManySites] != rejected {
				t.Fatalf("%s: totals %+v, want %d counted and %d rejected", c.text, have, counted, rejected)
			}
		}
		for _, id := range []string{"j", "h"} {
			if entry := w.Item(sinks.Keys{}.SiteEntry(id)); (entry != nil) != (id == "h") {
				t.Errorf("site %s: entry %v in the list of sites", id, entry)
			}
		}
		w.Exact(o)
	})
}

// TestRefusedSitesAreForgotten: of ids that somebody makes up nothing stays in memory, and each is judged alike when it comes again.
func TestRefusedSitesAreForgotten(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.NewSites = 2
		o.Limits.CacheBytes = 20 * aggregate.SiteRoom // Four refused sites are remembered.
		run := w.Start(o)
		for hour := range 3 {
			for range 2 {
				for i := range 30 {
					w.Produce(clickOf(fmt.Sprint("made-up-", i), bubbleStart.Add(time.Duration(hour)*time.Hour)))
				}
			}
		}
		w.Settled()
		run.Drain()
		if have := w.totals(0); have.Counted != 2*2+2*4+2*6 || have.Records() != 180 {
			t.Errorf("totals %+v, want two sites counted in the first hour, four and six in the next ones", have)
		}
		w.Exact(o)
	})
}

// TestOnlyRegisteredSitesAreCounted: a site that nobody has created leaves nothing in the table. What is created counts from then
// on, and what is deleted does not.
func TestOnlyRegisteredSitesAreCounted(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.Sites = checkpoint.SitesRegistered
		run := w.Start(o)
		defer run.Drain()
		want := func(text string, counted, rejected int64) {
			t.Helper()
			w.Settled()
			if have := w.totals(0); have.Counted != counted || have.Rejected[event.UnknownSite] != rejected {
				t.Errorf("%s: totals %+v, want %d counted and %d rejected", text, have, counted, rejected)
			}
		}
		w.Produce(clickOf("a", bubbleStart), clickOf("b", bubbleStart))
		want("nothing is created", 0, 2)
		if entry := w.Item(sinks.Keys{}.SiteEntry("a")); entry != nil {
			t.Errorf("a site of which nothing was counted is in the list of sites: %v", entry)
		}
		if err := sites.Create(t.Context(), w.Table, sinks.Keys{}, sites.Definition{ID: "a", Zone: "Pacific/Honolulu"}, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.Pass(16 * time.Second)
		w.Produce(clickOf("a", bubbleStart), clickOf("b", bubbleStart))
		want("a is created", 1, 3)
		if err := (sites.Decision{Table: w.Table, Site: "a", Now: time.Now()}).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Pass(16 * time.Second)
		w.Produce(clickOf("a", bubbleStart))
		want("a is deleted", 1, 4)
		if item := w.Item(sinks.Keys{}.NewSites(sinks.TP{Topic: 1}, checkpoint.LaneStats)); item != nil {
			t.Errorf("new sites were counted: %v", item)
		}
		w.Exact(o)
	})
}

// TestRealtimeOfASiteIsSwitchedOff: no minutes are kept of it, and all else is counted.
func TestRealtimeOfASiteIsSwitchedOff(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		if err := sites.Create(t.Context(), w.Table, sinks.Keys{}, sites.Definition{ID: "quiet", Domains: []string{"quiet.example"}},
			time.Now()); err != nil {
			t.Fatal(err)
		}
		quiet := sites.Decision{Table: w.Table, Site: "quiet", Now: time.Now()}
		if _, err := quiet.Update(t.Context(), sites.Changes{Realtime: new(false), Recent: new(false)}); err != nil {
			t.Fatal(err)
		}
		run := w.Start(o)
		w.Produce(clickOf("quiet", bubbleStart), clickOf("loud", bubbleStart), record{Key: "quiet", At: bubbleStart,
			Value: mustJSON(map[string]any{
				"siteId": "quiet", "type": "page_view", "timestamp": bubbleStart.UnixMilli(), "sessionId": "x", "url": "https://copy.example/"})})
		w.Settled()
		run.Drain()
		for id, want := range map[string]bool{"quiet": false, "loud": true} {
			recent, err := w.Table.Query(t.Context(), sinks.Query{PK: sinks.Keys{}.RecentList(id), Consistent: true})
			if err != nil {
				t.Fatal(err)
			}
			minute := w.Item(sinks.Keys{}.Realtime(id, bubbleStart.UnixMilli(), sinks.TP{Topic: 1}))
			if (minute != nil) != want || (len(recent.Items) > 0) != want {
				t.Errorf("site %s: minute %v, recent sessions %v; want some: %v", id, minute, recent.Items, want)
			}
		}
		hour := sinks.Keys{}.HourStats("quiet", bubbleStart.UnixMilli())
		if events, foreign := w.Stats(hour, sinks.AttrEvents), w.Stats(hour, sinks.AttrForeignEvents); events != 2 || foreign != 1 {
			t.Errorf("the hour has %d events, %d of them foreign; want 2, and 1", events, foreign)
		}
		w.Exact(o)
	})
}
