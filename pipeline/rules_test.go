package pipeline_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/rules"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// decide appends a revision of the rules of a site.
func (w *world) decide(site string, s *rules.Site) {
	w.t.Helper()
	log, err := rules.Read(w.t.Context(), w.table, sinks.Keys{}, nil)
	if err == nil {
		_, err = rules.Append(w.t.Context(), w.table, sinks.Keys{}, log, site, s, time.Now())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// clickAt is a click at site s of a session.
func clickAt(session string, when time.Time) record {
	return record{key: "s", at: when, value: fmt.Appendf(nil, `{"siteId":"s","type":"click","timestamp":%d,"sessionId":%q}`, when.UnixMilli(), session)}
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
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.decide("s", &rules.Site{Zones: []rules.Zone{{Name: "Pacific/Honolulu"}}})
		w.killedMidStep([]record{clickAt("a", bubbleStart), clickAt("b", bubbleStart)})
		w.decide("s", &rules.Site{Zones: []rules.Zone{{Name: "Asia/Kolkata"}}, Shards: []rules.Shards{{N: 3}}})
		o := w.options()
		run := w.start(o)
		w.settled()
		c := w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats)
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
		if c := w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats); c.Rev != 2 {
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
				w.decide("s", &rules.Site{Zones: []rules.Zone{{From: at(t, "2026-05-01T18:30:00Z").UnixMilli(), Name: c.zone}}})
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
				if w.stats(sinks.Keys{}.HourStats("s", hour), sinks.AttrEvents) != 1 || w.stats(sinks.Keys{}.DayStats("s", day), sinks.AttrSessions) != 1 {
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
	table := dynamo.New(client, "rules")
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	const writers, each = 3, 3
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for done := 0; done < each; {
				log, err := rules.Read(t.Context(), table, sinks.Keys{}, nil)
				if err == nil {
					_, err = rules.Append(t.Context(), table, sinks.Keys{}, log, fmt.Sprint("site-", i), &rules.Site{Name: fmt.Sprint(done)}, bubbleStart)
				}
				switch {
				case err == nil:
					done++
				case !errors.Is(err, rules.ErrBehind):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	log, err := rules.Read(t.Context(), table, sinks.Keys{}, nil)
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
