package query_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
)

// A site that is counted by the clocks of its own zone is asked by them where no zone is named: by hour, and by days, weeks
// and all that are made of its days, which outlive its hours.
func testStatsOfOwnZone(t *testing.T, w *world) {
	events := history(7)
	for _, name := range []string{"Asia/Kolkata", "Europe/Berlin", "Australia/Lord_Howe"} {
		loc, site := location(t, name), shop+name
		w.rules(site, &sites.Rules{Zones: []sites.Zone{{Name: name}}})
		w.recordIn(loc, site, events, kept{})
		for _, size := range query.Sizes {
			by, r := query.By(size), ranges[0]
			if by == query.Hour && name == "Australia/Lord_Howe" {
				r = [2]time.Time{now.Add(-20 * 24 * time.Hour), now} // Its clocks are set by half an hour before.
			}
			what := fmt.Sprintf("%s by %s from %s", name, by, r[0].Format(time.DateOnly))
			p := query.StatsParams{Site: site, From: r[0], To: r[1], By: by, Paging: query.Paging{Limit: query.MaxLimit}}
			a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
			if a.Zone != name {
				t.Errorf("%s: asked in %s", what, a.Zone)
			}
			checkStats(t, what, a, modelOf(loc, by, r[0], r[1]), events)
		}
		week := query.UniquesParams{Site: site, From: now.Add(-7 * 24 * time.Hour), To: now}
		u := must[query.UniquesAnswer](t)(w.Uniques(t.Context(), week))
		want := recount(modelOf(loc, query.Hour, week.From, week.To).in(events))
		if u.Zone != name || u.Events != want.events || u.UniqueVisitors != uint64(len(want.visitors)) {
			t.Errorf("%s: uniques %s, want %s", name, compact(t, u), want)
		}
	}
	// Hours are not counted across an instant at which clocks are set by a part of one, and leaving out the zone is no cure.
	howe := query.StatsParams{Site: shop + "Australia/Lord_Howe", By: query.Hour,
		From: time.Date(2026, 4, 3, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 4, 7, 0, 0, 0, 0, time.UTC)}
	if _, err := w.Stats(t.Context(), howe); err == nil || !strings.Contains(err.Error(), "change by a part of an hour") {
		t.Errorf("hours of Lord Howe Island across a change of its clocks: %v, want an error that says so", err)
	}
	// Days of other zones are made of hours, where those begin with them.
	loc := location(t, "America/New_York")
	p := query.StatsParams{Site: shop + "Europe/Berlin", From: now.Add(-30 * 24 * time.Hour), To: now, By: query.Day, Zone: loc,
		Paging: query.Paging{Limit: query.MaxLimit}}
	checkStats(t, "Berlin as seen from New York", must[query.StatsAnswer](t)(w.Stats(t.Context(), p)), modelOf(loc, query.Day, p.From, p.To),
		events)
	p.Site, p.Zone = shop+"Asia/Kolkata", time.UTC
	if _, err := w.Stats(t.Context(), p); !errors.As(err, new(*query.ParamError)) {
		t.Errorf("days of UTC of a site with hours of Kolkata: %v, want a ParamError", err)
	}
	// Once hours have expired, days still tell all but visitors.
	gone := shop + "gone"
	w.rules(gone, &sites.Rules{Zones: []sites.Zone{{Name: "Asia/Kolkata"}}})
	w.recordIn(location(t, "Asia/Kolkata"), gone, events, kept{hour: time.Hour})
	p = query.StatsParams{Site: gone, From: now.Add(-60 * 24 * time.Hour), To: now.Add(-10 * 24 * time.Hour), By: query.Day,
		Paging: query.Paging{Limit: query.MaxLimit}}
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
	want := recount(modelOf(location(t, "Asia/Kolkata"), query.Day, p.From, p.To).in(events))
	if a.Incomplete || a.Totals.Events != want.events || a.Totals.PageViews != want.views || a.Totals.UniqueVisitors != nil {
		t.Errorf("without hours: %s, want %s of unknown visitors, complete", compact(t, a.Totals), want)
	}
}

func testEventsOfChangedShards(t *testing.T, w *world) {
	change := at(10).Truncate(24 * time.Hour)
	w.rules(shop, &sites.Rules{Shards: []sites.Shards{{From: 0, N: 3}, {From: change.UnixMilli(), N: 9},
		{From: change.AddDate(0, 0, 30).UnixMilli(), N: 2}}})
	for i := range 40 {
		shards, when := 3, change.Add(time.Duration(i-20)*time.Minute)
		if !when.Before(change) {
			shards = 9
		}
		w.event(shop, shards, fmt.Sprint("s", i%5), when, time.Time{}, i, nil)
	}
	for session, want := range map[string]int{"": 40, "s1": 8} {
		p := query.EventsParams{Site: shop, Session: session, From: change.Add(-time.Hour), To: change.Add(time.Hour),
			Paging: query.Paging{Limit: 100}}
		a := must[query.EventsAnswer](t)(w.Events(t.Context(), p))
		if len(a.Events) != want {
			t.Errorf("%d events of session %q over a change of shards, want %d", len(a.Events), session, want)
		}
		for i := 1; i < len(a.Events); i++ {
			if a.Events[i].Timestamp.Before(a.Events[i-1].Timestamp) {
				t.Errorf("events are not in the order of time")
			}
		}
	}
}

// A date begins as the site's day of that name does, by the zone that holds then, whichever it is now.
func TestDatesAreTheSitesDays(t *testing.T) {
	w := newWorld(t)
	change := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)
	w.rules(shop, &sites.Rules{Zones: []sites.Zone{{Name: "Europe/London"}, {From: change.UnixMilli(), Name: "UTC"}}})
	dates := must[query.Dates](t)(w.Dates(t.Context(), shop))
	for text, want := range map[string]string{
		"2025-07-01": "2025-06-30T23:00:00Z", "2025-11-01": "2025-11-01T00:00:00Z", "2026-07-01": "2026-07-01T00:00:00Z",
		"2026-03-02T00:00:00Z": "2026-03-02T00:00:00Z", "now": now.Format(time.RFC3339), "-1d": "2026-05-12T00:00:00Z",
		"today": "2026-05-12T00:00:00Z", "-7d": "2026-05-06T00:00:00Z", "2025-10": "2025-09-30T23:00:00Z",
	} {
		if got, err := dates.Parse(text, now); err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q is %v, %v; want %s", text, got, err, want)
		}
	}
	if _, err := dates.Parse("tomorrow", now); !errors.As(err, new(*query.ParamError)) {
		t.Errorf("tomorrow: %v, want a ParamError", err)
	}
	r := must[query.Range](t)(dates.Period("2025-10", now)) // It begins by London's clocks, and ends by those of UTC.
	if r.Unit != query.Month || r.From.Format(time.RFC3339) != "2025-09-30T23:00:00Z" || !r.To.Equal(change) {
		t.Errorf("2025-10 is %v, want October by the clocks of London", r)
	}
}

// TestRangesOfAllTimeAreAnswered: from the first instant that keys can name to the last, also where no day of the range is one
// of the site's, and where hours begin within those of UTC.
func TestRangesOfAllTimeAreAnswered(t *testing.T) {
	w := newWorld(t)
	events := history(11)
	for _, c := range []struct {
		site, asked string
		by          query.By
	}{
		{"UTC", "", query.Hour}, {"UTC", "Europe/Berlin", query.Month}, {"Asia/Kolkata", "", query.Hour}, {"Asia/Kolkata", "", query.Day},
		{"Europe/Berlin", "", query.Hour}, {"Australia/Lord_Howe", "", query.Day}, {"Australia/Lord_Howe", "", query.Year},
	} {
		site := shop + c.site
		if must[query.SiteAnswer](t)(w.Site(t.Context(), query.SiteParams{Site: site})).Site == nil {
			w.rules(site, &sites.Rules{Zones: []sites.Zone{{Name: c.site}}})
			w.recordIn(location(t, c.site), site, events, kept{})
		}
		dates := must[query.Dates](t)(w.Dates(t.Context(), site))
		p := query.StatsParams{Site: site, From: must[time.Time](t)(dates.Parse("1970-01-01", now)),
			To: must[time.Time](t)(dates.Parse("9999-12-31", now)), By: c.by}
		if c.asked != "" {
			p.Zone = location(t, c.asked)
		}
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
		if a.Totals.Events != int64(len(events)) || a.Incomplete || len(a.Buckets) == 0 {
			t.Errorf("site of %s by %s of %q: totals %s, incomplete: %v; want %d events", c.site, c.by, c.asked, compact(t, a.Totals), a.Incomplete,
				len(events))
		}
	}
}
