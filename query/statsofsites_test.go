package query_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sites in three zones add up by the date of each, and by the days of one zone where one is named: counters are summed, visitors are the
// union, and deleted sites and those of other owners are left out.
func testStatsOfSites(t *testing.T, w *world) {
	zones := map[string]string{"a": "Europe/Berlin", "b": "Asia/Kolkata", "c": "America/New_York", "d": "UTC"}
	histories := map[string][]seen{"deleted": history(5)}
	for i, id := range []string{"a", "b", "c", "d"} {
		histories[id] = history(uint64(i) + 1)
		owner := map[bool]string{true: "acme", false: "other"}[id != "d"]
		w.rules(id, &sites.Rules{Owner: owner, CreatedAt: 1, Zones: []sites.Zone{{Name: zones[id]}}})
		w.recordIn(location(t, zones[id]), id, histories[id], kept{})
	}
	w.rules("deleted", &sites.Rules{Owner: "acme", DeletedAt: 1, CreatedAt: 1})
	w.record("deleted", histories["deleted"], kept{})
	from, to := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 10, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		owner, zone string
		of          []string
		by          query.By
	}{
		{"", "", []string{"a", "b", "c", "d"}, query.Day}, {"acme", "", []string{"a", "b", "c"}, query.Day},
		{"acme", "", []string{"a", "b", "c"}, query.Week}, {"acme", "", []string{"a", "b", "c"}, query.Month},
		{"a stranger", "", nil, query.Day}, {"other", "Europe/Berlin", []string{"d"}, query.Hour},
	} {
		what := fmt.Sprintf("sites of %q by %s in %q", c.owner, c.by, c.zone)
		p := query.SitesStatsParams{Owner: c.owner, From: from, To: to, By: c.by}
		if c.zone != "" {
			p.Zone = location(t, c.zone)
		}
		a := must[query.StatsAnswer](t)(w.StatsOfSites(t.Context(), p))
		rows, all := make(map[string]*counts), counts{}
		for _, id := range c.of {
			loc, first, last := p.Zone, from, to
			if loc == nil {
				loc = location(t, zones[id])
				first, last = inZone(from, loc), inZone(to, loc)
			}
			m := modelOf(loc, c.by, first, last)
			for _, e := range m.in(histories[id]) {
				all.add(e)
				name := label(c.by, e.at.In(loc))
				if rows[name] == nil {
					rows[name] = new(counts)
				}
				rows[name].add(e)
			}
		}
		if said(*a.Totals) != all.String() {
			t.Errorf("%s: totals %s, want %s", what, said(*a.Totals), all)
		}
		for _, b := range a.Buckets {
			name := label(c.by, b.Start)
			if want := rows[name]; want == nil || said(b.Figures) != want.String() {
				t.Errorf("%s, %s: %s, want %v", what, name, said(b.Figures), want)
			}
			delete(rows, name)
		}
		if len(rows) > 0 {
			t.Errorf("%s: no rows of %v", what, maps.Collect(maps.All(rows)))
		}
		if a.UnknownSite() != (len(c.of) == 0) {
			t.Errorf("%s: unknown %v", what, a.UnknownSite())
		}
		if a.Included == nil || a.Included.Sites != len(c.of) || a.Included.WithEvents != len(c.of) || a.Included.Owner != c.owner {
			t.Errorf("%s: included %+v, want %d sites", what, a.Included, len(c.of))
		}
	}
	for what, p := range map[string]query.SitesStatsParams{
		"too many rows":                {From: from.AddDate(-10, 0, 0), To: to, By: query.Day},
		"hours of UTC, with Kolkata's": {From: from, To: to, By: query.Hour, Zone: time.UTC}} {
		if _, err := w.StatsOfSites(t.Context(), p); !errors.As(err, new(*query.ParamError)) {
			t.Errorf("%s: %v, want a ParamError", what, err)
		}
	}
	top := must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Owner: "acme", Dimension: "page", From: from, To: to}))
	stranger := must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Owner: "a stranger", Dimension: "page", From: from, To: to}))
	if top.UnknownSite() || !stranger.UnknownSite() {
		t.Errorf("top of an owner: unknown %v, and of an owner without sites: %v", top.UnknownSite(), stranger.UnknownSite())
	}
	if top.Included == nil || *top.Included != (query.SitesIncluded{Owner: "acme", Sites: 3}) {
		t.Errorf("top of an owner includes %+v, want 3 sites, none with breakdowns", top.Included)
	}
}

// testHoursOfSites: an hour of a site is in the hour of UTC in which it begins, and in the range if it begins there.
func testHoursOfSites(t *testing.T, w *world) {
	w.rules("half", &sites.Rules{Owner: "acme", CreatedAt: 1, Zones: []sites.Zone{{Name: "Asia/Kolkata"}}})
	w.rules("whole", &sites.Rules{Owner: "acme", CreatedAt: 1})
	for h := 8; h < 13; h++ {
		parts := map[sinks.TP]sinks.Value{tp0: visitors(sketch.NewHour(), 0, 2)}
		w.hour("half", at(h).Add(30*time.Minute), future, 1, 2, 1, parts)
		w.hour("whole", at(h), future, 10, 20, 1, parts)
	}
	p := query.SitesStatsParams{Owner: "acme", From: at(9).Add(time.Minute), To: at(11), By: query.Hour}
	a := must[query.StatsAnswer](t)(w.StatsOfSites(t.Context(), p))
	var got []string
	for _, b := range a.Buckets {
		got = append(got, fmt.Sprint(b.Start.Format("15:04 "), b.Events, " ", b.Partial))
	}
	if text := strings.Join(got, ", "); text != "09:00 22 false, 10:00 22 false" || a.Totals.Events != 44 || *a.Totals.UniqueVisitors != 2 ||
		a.Zone != "UTC" || !a.From.Equal(at(9)) || !a.To.Equal(at(11)) {
		t.Errorf("hours %s, totals %+v in %s, [%v, %v)", text, *a.Totals, a.Zone, a.From, a.To)
	}
}

// testNewVisitorsUnknown: on the 10th new visitors were counted, on the 11th they were not, from the 12th on they are again.
func testNewVisitorsUnknown(t *testing.T, w *world) {
	on := date(5, 12)
	w.rules("again", &sites.Rules{NewVisitors: true, NewVisitorsSince: on.UnixMilli()})
	w.rules("always", &sites.Rules{Owner: "acme", NewVisitors: true})
	w.rules("too", &sites.Rules{Owner: "acme", NewVisitors: true})
	w.rules("never", &sites.Rules{})
	for _, c := range []struct {
		site  string
		day   int
		isNew int64
	}{{"again", 10, 2}, {"again", 11, 0}, {"again", 12, 1}, {"always", 10, 2}, {"always", 11, 0}, {"too", 11, 3}, {"never", 12, 0}} {
		it := figures(4, 4, 1)
		if c.isNew > 0 {
			it[sinks.AttrNewVisitors] = sinks.Int(c.isNew)
		}
		w.hour(c.site, date(5, c.day), future, 4, 4, 1, map[sinks.TP]sinks.Value{tp0: visitors(sketch.NewHour(), 0, 3)})
		w.put(w.keys.DayStats(c.site, date(5, c.day).UnixMilli()), future, it)
	}
	spell := func(f query.Figures) string {
		text := "- "
		if f.NewVisitors != nil {
			text = fmt.Sprint(*f.NewVisitors, " ")
		}
		if f.ReturningVisitors == nil {
			return text + "-"
		}
		return text + fmt.Sprint(*f.ReturningVisitors)
	}
	check := func(what string, a query.StatsAnswer, want ...string) {
		t.Helper()
		var got []string
		for _, b := range a.Buckets {
			got = append(got, fmt.Sprint(b.Start.Day(), " ", spell(b.Figures)))
		}
		if got = append(got, spell(*a.Totals)); !slices.Equal(got, want) {
			t.Errorf("%s: new and returning %q, want %q", what, got, want)
		}
	}
	for site, want := range map[string][]string{"again": {"10 2 -", "11 - -", "12 1 2", "3 -"}, "always": {"10 2 1", "11 0 3", "2 1"},
		"never": {"12 - -", "- -"}} {
		check(site, must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: site, From: date(5, 9), To: date(5, 13),
			By: query.Day})), want...)
	}
	p := query.SitesStatsParams{From: date(5, 9), To: date(5, 13), By: query.Day}
	all := must[query.StatsAnswer](t)(w.StatsOfSites(t.Context(), p))
	check("all sites", all, "10 - -", "11 - -", "12 - -", "- -")
	p.Owner = "acme"
	acme := must[query.StatsAnswer](t)(w.StatsOfSites(t.Context(), p))
	check("sites that all count", acme, "10 2 1", "11 3 0", "5 0")
	if all.Included.CountingNew != 2 || all.Included.WithEvents != 4 || acme.Included.CountingNew != 2 {
		t.Errorf("of all sites %+v, of those of an owner %+v count new visitors, want 2 of 4 and 2", all.Included, acme.Included)
	}
	var b bytes.Buffer
	for a, want := range map[*query.StatsAnswer]string{&all: "sites that have, in the whole range: 2.", &acme: "is new at each of them"} {
		b.Reset()
		if err := show.Print(&b, &b, show.Layout{Format: show.Table}, *a); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("the table does not say %q, %v:\n%s", want, err, b.String())
		}
	}
}

// inZone returns when the date that t is in UTC begins in a zone.
func inZone(t time.Time, loc *time.Location) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, loc)
}
