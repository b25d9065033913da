package pipeline_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestStepKeepsItsRules: a step is redone under the revision that it names, whatever has been decided since, and the steps
// after it have the latest one.
func TestStepKeepsItsRules(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Pacific/Honolulu"}}})
		w.killedMidStep([]record{clickAt("a", bubbleStart), clickAt("b", bubbleStart)})
		w.Decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Asia/Kolkata"}}, Shards: []sites.Shards{{N: 3}}})
		o := w.Options()
		run := w.Start(o)
		w.Settled()
		c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		if c.Rev != 1 || c.Step != 1 {
			t.Errorf("the step that was begun under revision 1 names %d, step %d", c.Rev, c.Step)
		}
		day := func(date string) sinks.Key {
			start, err := sinks.ParseDay(date)
			if err != nil {
				t.Fatal(err)
			}
			return sinks.Keys{}.DayStats("s", start)
		}
		if n := w.Stats(day("1999-12-31"), sinks.AttrEvents); n != 2 {
			t.Errorf("the day in Honolulu has %d events, want 2", n)
		}
		// What comes later is cut by the new zone; the session's old figures are taken back where they were booked.
		w.Produce(clickAt("a", bubbleStart.Add(time.Minute)), clickAt("c", bubbleStart.Add(time.Minute)))
		w.Settled()
		run.Drain()
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Rev != 2 {
			t.Errorf("the next step names revision %d, want 2", c.Rev)
		}
		for date, want := range map[string][2]int64{"1999-12-31": {2, 2}, "2000-01-01": {2, 1}} {
			if have := [2]int64{w.Stats(day(date), sinks.AttrEvents), w.Stats(day(date), sinks.AttrSessions)}; have != want {
				t.Errorf("%s has %v events and sessions, want %v", date, have, want)
			}
		}
		if n := w.Stats(day("1999-12-31"), sinks.AttrDurationMs); n != 60_000 {
			t.Errorf("the sessions of the first day last %d ms, want 60,000: the one that goes on stays where it was booked", n)
		}
		w.Exact(o)
	})
}

// TestEventsZoneFollowsItsOwnTime: an event is cut by the zone that holds at its time, whichever holds when it is counted,
// and hours of zones with half hours, of days with a change of the clocks too, lie where those clocks say.
func TestEventsZoneFollowsItsOwnTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, at, hour, day string
	}{
		{"before the change", "Asia/Kolkata", "2026-04-30T18:29:59Z", "2026-04-30T18", "2026-04-30"},
		{"behind the change", "Asia/Kolkata", "2026-05-02T18:31:00Z", "2026-05-02T18:30", "2026-05-03"},
		{"three quarters", "Asia/Kathmandu", "2026-05-12T18:20:00Z", "2026-05-12T18:15", "2026-05-13"},
		{"a day of 25 hours", "Europe/Berlin", "2026-10-25T22:30:00Z", "2026-10-25T22", "2026-10-25"},
		{"half an hour of summer", "Australia/Lord_Howe", "2026-10-03T15:40:00Z", "2026-10-03T15:30", "2026-10-04"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 1, func(t *testing.T, w *world) {
				w.Decide("s", &sites.Rules{Zones: []sites.Zone{{From: at(t, "2026-05-01T18:30:00Z").UnixMilli(), Name: c.zone}}})
				w.Believe()
				o := w.Options()
				run := w.Start(o)
				w.Produce(clickAt("a", at(t, c.at)))
				w.Settled()
				run.Drain()
				hour, err := sinks.ParseHour(c.hour)
				if err != nil {
					t.Fatal(err)
				}
				day, err := sinks.ParseDay(c.day)
				if err != nil {
					t.Fatal(err)
				}
				if w.Stats(sinks.Keys{}.HourStats("s", hour), sinks.AttrEvents) != 1 || w.Stats(sinks.Keys{}.DayStats("s", day),
					sinks.AttrSessions) != 1 {
					t.Errorf("the event is not in hour %s and day %s", c.hour, c.day)
				}
				w.Exact(o)
			})
		})
	}
}

// TestRealWritersOfRules has writers append revisions at once: none is lost or replaced.
func TestRealWritersOfRules(t *testing.T) {
	t.Parallel()
	table := realTable(t, "rules-"+rand.Text())
	const writers, each = 3, 3
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for done := 0; done < each; {
				log, err := sites.ReadLog(t.Context(), table, sinks.Keys{}, nil)
				if err == nil {
					_, err = sites.AppendLog(t.Context(), table, sinks.Keys{}, log,
						sites.Revision{At: bubbleStart.UnixMilli(), Site: fmt.Sprint("site-", i), Rules: &sites.Rules{Name: fmt.Sprint(done)}})
				}
				switch {
				case err == nil:
					done++
				case !errors.Is(err, sites.ErrBehind):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	log, err := sites.ReadLog(t.Context(), table, sinks.Keys{}, nil)
	if err != nil || log.Rev() != writers*each {
		t.Fatalf("%d revisions, %v; want %d", log.Rev(), err, writers*each)
	}
	for i := range writers {
		for n, c := range log.History(fmt.Sprint("site-", i)) {
			if c.Rules.Name != fmt.Sprint(n) {
				t.Errorf("site %d: revision %d says %q, want %d", i, c.Rev, c.Rules.Name, n)
			}
		}
	}
}

// TestSitesOwnBots: the lists of a site hold in both lanes, for its own events only, and from the step on that names them.
func TestSitesOwnBots(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		by := func(site, session, agent, referrer string) record {
			return record{Key: "s", At: time.Now(), Value: mustJSON(map[string]any{"siteId": site, "type": "click",
				"timestamp": time.Now().UnixMilli(),
				"sessionId": session, "url": "https://s.example/", "userAgent": agent, "referrer": referrer})}
		}
		const probe, browser = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Acme-Probe/1",
			"Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"
		o := w.Options()
		w.Folded(o, []record{by("s", "before", probe, "")})
		w.Decide("s", &sites.Rules{UserAgents: []string{"acme-probe"}, Referrers: []string{"ads.example"}})
		later := time.Now().Truncate(time.Minute).UnixMilli()
		w.Folded(o, []record{
			by("s", "a", probe, ""), by("s", "b", browser, "https://www.ads.example/x"), by("s", "c", browser, "https://s.example/"),
			by("other", "d", probe, "https://ads.example/"),
		})
		for site, want := range map[string][2][2]int64{"s": {{2, 2}, {2, 1}}, "other": {{0, 1}, {0, 1}}} {
			day := w.Item(sinks.Keys{}.DayStats(site, bubbleStart.UnixMilli()))
			minute := w.Item(sinks.Keys{}.Realtime(site, later, sinks.TP{Topic: 1}))
			for i, it := range []sinks.Item{day, minute} {
				if got := [2]int64{it[sinks.AttrBotEvents].Int(), it[sinks.AttrEvents].Int()}; got != want[i] {
					t.Errorf("site %s: %s has %v events of bots and of people, want %v", site, it[sinks.AttrSK].Str(), got, want[i])
				}
			}
		}
		w.Exact(o)
	})
}
