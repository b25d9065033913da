package pipeline_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// decide appends a revision of the rules of a site, and publishes it.
func (w *world) decide(site string, s *sites.Rules) {
	w.t.Helper()
	log, err := sites.ReadLog(w.t.Context(), w.table, sinks.Keys{}, nil)
	if err == nil {
		log, err = sites.AppendLog(w.t.Context(), w.table, sinks.Keys{}, log, sites.Revision{At: time.Now().UnixMilli(), Site: site, Rules: s})
	}
	if err == nil {
		err = sites.PublishSite(w.t.Context(), w.table, sinks.Keys{}, site, log.History(site))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// clickAt is a click at site s of a session.
func clickAt(session string, when time.Time) record {
	return record{key: "s", at: when, value: fmt.Appendf(nil, `{"siteId":"s","type":"click","timestamp":%d,"sessionId":%q}`, when.UnixMilli(),
		session)}
}

// stats reads a counter of a bucket of site s.
func (w *world) stats(key sinks.Key, attr string) int64 { return w.item(key)[attr].Int() }

// exact fails the test unless the recount agrees.
func (w *world) exact(o pipeline.Options) {
	w.t.Helper()
	if report, err := verifyWorld(w, o); err != nil || report.DifferenceCount > 0 || report.ComparedCount == 0 {
		w.t.Errorf("verify: %v, %v", err, report.Differences)
	}
}

// TestStepKeepsItsRules: a step is redone under the revision that it names, whatever has been decided since, and the steps
// after it have the latest one.
func TestStepKeepsItsRules(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Pacific/Honolulu"}}})
		w.killedMidStep([]record{clickAt("a", bubbleStart), clickAt("b", bubbleStart)})
		w.decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Asia/Kolkata"}}, Shards: []sites.Shards{{N: 3}}})
		o := w.options()
		run := w.start(o)
		w.settled()
		c := w.checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
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
		if n := w.stats(day("1999-12-31"), sinks.AttrEvents); n != 2 {
			t.Errorf("the day in Honolulu has %d events, want 2", n)
		}
		// What comes later is cut by the new zone; the session's old figures are taken back where they were booked.
		w.produce(clickAt("a", bubbleStart.Add(time.Minute)), clickAt("c", bubbleStart.Add(time.Minute)))
		w.settled()
		run.drain()
		if c := w.checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Rev != 2 {
			t.Errorf("the next step names revision %d, want 2", c.Rev)
		}
		for date, want := range map[string][2]int64{"1999-12-31": {2, 2}, "2000-01-01": {2, 1}} {
			if have := [2]int64{w.stats(day(date), sinks.AttrEvents), w.stats(day(date), sinks.AttrSessions)}; have != want {
				t.Errorf("%s has %v events and sessions, want %v", date, have, want)
			}
		}
		if n := w.stats(day("1999-12-31"), sinks.AttrDurationMs); n != 60_000 {
			t.Errorf("the sessions of the first day last %d ms, want 60,000: the one that goes on stays where it was booked", n)
		}
		w.exact(o)
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
				w.decide("s", &sites.Rules{Zones: []sites.Zone{{From: at(t, "2026-05-01T18:30:00Z").UnixMilli(), Name: c.zone}}})
				w.believe()
				o := w.options()
				run := w.start(o)
				w.produce(clickAt("a", at(t, c.at)))
				w.settled()
				run.drain()
				hour, err := sinks.ParseHour(c.hour)
				if err != nil {
					t.Fatal(err)
				}
				day, err := sinks.ParseDay(c.day)
				if err != nil {
					t.Fatal(err)
				}
				if w.stats(sinks.Keys{}.HourStats("s", hour), sinks.AttrEvents) != 1 || w.stats(sinks.Keys{}.DayStats("s", day),
					sinks.AttrSessions) != 1 {
					t.Errorf("the event is not in hour %s and day %s", c.hour, c.day)
				}
				w.exact(o)
			})
		})
	}
}

// TestRealWritersOfRules has writers append revisions at once: none is lost or replaced.
func TestRealWritersOfRules(t *testing.T) {
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "rules-"+rand.Text())
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
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
			return record{key: "s", at: time.Now(), value: mustJSON(map[string]any{"siteId": site, "type": "click",
				"timestamp": time.Now().UnixMilli(),
				"sessionId": session, "url": "https://s.example/", "userAgent": agent, "referrer": referrer})}
		}
		const probe, browser = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Acme-Probe/1",
			"Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"
		o := w.options()
		w.folded(o, []record{by("s", "before", probe, "")})
		w.decide("s", &sites.Rules{UserAgents: []string{"acme-probe"}, Referrers: []string{"ads.example"}})
		later := time.Now().Truncate(time.Minute).UnixMilli()
		w.folded(o, []record{
			by("s", "a", probe, ""), by("s", "b", browser, "https://www.ads.example/x"), by("s", "c", browser, "https://s.example/"),
			by("other", "d", probe, "https://ads.example/"),
		})
		for site, want := range map[string][2][2]int64{"s": {{2, 2}, {2, 1}}, "other": {{0, 1}, {0, 1}}} {
			day := w.item(sinks.Keys{}.DayStats(site, bubbleStart.UnixMilli()))
			minute := w.item(sinks.Keys{}.Realtime(site, later, sinks.TP{Topic: 1}))
			for i, it := range []sinks.Item{day, minute} {
				if got := [2]int64{it[sinks.AttrBotEvents].Int(), it[sinks.AttrEvents].Int()}; got != want[i] {
					t.Errorf("site %s: %s has %v events of bots and of people, want %v", site, it[sinks.AttrSK].Str(), got, want[i])
				}
			}
		}
		w.exact(o)
	})
}

// TestDaysAreSealedByTheSitesClocks: the sealed days of a site with a zone hold the hours of its own days, and readers use them.
func TestDaysAreSealedByTheSitesClocks(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Asia/Kolkata"}}}) // 5:30 ahead of UTC
		o := w.options()
		o.Settings.LateMs = -1
		evening := bubbleStart.Add(-6 * time.Hour) // 1999-12-31T18:00Z: 23:30 of the same date
		w.folded(o, []record{clickAt("a", evening), clickAt("b", evening.Add(30*time.Minute)),
			clickAt("c", evening.Add(23*time.Hour+59*time.Minute))})
		log, err := sites.ReadLog(t.Context(), w.table, sinks.Keys{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(table sinks.Table) string {
			// From 1999-12-31 to 2000-01-02, midnight in Kolkata.
			a, err := query.New(table, sinks.Keys{}, time.Now).Uniques(t.Context(), query.UniquesParams{Site: "s", Consistent: true,
				From: bubbleStart.Add(-29*time.Hour - 30*time.Minute), To: bubbleStart.Add(18*time.Hour + 30*time.Minute)})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%+v", a)
		}
		before := ask(w.table)
		if err := seal.New(seal.Options{Table: w.table, After: -72 * time.Hour, DaySpan: log.DaySpan}).Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		for day, hours := range map[time.Time]int64{bubbleStart.AddDate(0, 0, -1): 1, bubbleStart: 2} {
			it := w.item(sinks.Keys{}.DayUniques("s", day.UnixMilli()))
			if it[sinks.AttrHours].Int() != hours || it[sinks.AttrEvents].Int() != hours {
				t.Errorf("%s is sealed as %v, want %d hours of an event each", day.Format(time.DateOnly), it, hours)
			}
		}
		hidden := &hourless{Table: w.table}
		if after := ask(hidden); after != before || hidden.asked > 0 {
			t.Errorf("sealed days answer %s and ask for hours %d times; hours answered %s", after, hidden.asked, before)
		}
		w.exact(o)
	})
}

// TestDayThatAZoneLengthenedIsSealedWhole: the 47 hours of the day on which a site goes from Auckland to Honolulu are one sealed day.
func TestDayThatAZoneLengthenedIsSealedWhole(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		change := bubbleStart.Add(10 * time.Hour) // midnight in Honolulu, 23:00 of the same date in Auckland
		w.decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Pacific/Auckland"}, {From: change.UnixMilli(), Name: "Pacific/Honolulu"}}})
		o := w.options()
		o.Settings.LateMs = -1
		from, to := bubbleStart.Add(-13*time.Hour), change.Add(24*time.Hour)
		w.folded(o, []record{clickAt("a", from.Add(-time.Millisecond)), clickAt("b", from), clickAt("c", change.Add(-time.Minute)),
			clickAt("d", change), clickAt("e", to.Add(-time.Minute)), clickAt("f", to)})
		log, err := sites.ReadLog(t.Context(), w.table, sinks.Keys{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(table sinks.Table) string {
			a, err := query.New(table, sinks.Keys{}, time.Now).Uniques(t.Context(),
				query.UniquesParams{Site: "s", Consistent: true, From: from, To: to})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%+v", a)
		}
		before := ask(w.table)
		if err := seal.New(seal.Options{Table: w.table, After: -96 * time.Hour, DaySpan: log.DaySpan}).Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		for day, hours := range map[time.Time]int64{bubbleStart.AddDate(0, 0, -1): 1, bubbleStart: 4, bubbleStart.AddDate(0, 0, 1): 1} {
			it := w.item(sinks.Keys{}.DayUniques("s", day.UnixMilli()))
			if it[sinks.AttrHours].Int() != hours || it[sinks.AttrEvents].Int() != hours {
				t.Errorf("%s is sealed as %v, want %d hours of an event each", day.Format(time.DateOnly), it, hours)
			}
		}
		hidden := &hourless{Table: w.table}
		if after := ask(hidden); after != before || hidden.asked > 0 {
			t.Errorf("sealed days answer %s and ask for hours %d times; hours answered %s", after, hidden.asked, before)
		}
		w.exact(o)
	})
}

// hourless counts the queries for hours of visitors.
type hourless struct {
	sinks.Table
	asked int
}

func (h *hourless) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if strings.HasPrefix(q.From, sinks.UniquesPrefix) {
		h.asked++
	}
	return h.Table.Query(ctx, q)
}
