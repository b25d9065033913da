package query_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
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
		{"nobody's", "", nil, query.Day}, {"other", "Europe/Berlin", []string{"d"}, query.Hour},
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
		if a.Included == nil || a.Included.Sites != len(c.of) || a.Included.WithEvents != len(c.of) || a.Included.Owner != c.owner {
			t.Errorf("%s: included %+v, want %d sites", what, a.Included, len(c.of))
		}
	}
	for what, p := range map[string]query.SitesStatsParams{"hours without a zone": {From: from, To: to, By: query.Hour},
		"too many rows":                {From: from.AddDate(-10, 0, 0), To: to, By: query.Day},
		"hours of UTC, with Kolkata's": {From: from, To: to, By: query.Hour, Zone: time.UTC}} {
		if _, err := w.StatsOfSites(t.Context(), p); !errors.As(err, new(*query.ParamError)) {
			t.Errorf("%s: %v, want a ParamError", what, err)
		}
	}
	top := must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Owner: "acme", Dimension: "page", From: from, To: to}))
	if top.Included == nil || *top.Included != (query.SitesIncluded{Owner: "acme", Sites: 3}) {
		t.Errorf("top of an owner includes %+v, want 3 sites, none with breakdowns", top.Included)
	}
}

// inZone returns when the date that t is in UTC begins in a zone.
func inZone(t time.Time, loc *time.Location) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, loc)
}
