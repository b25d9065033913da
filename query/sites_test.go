package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

func testSites(t *testing.T, w *world) {
	var want []string
	for i := range 40 {
		id := fmt.Sprintf("site#%02d", i)
		want = append(want, id)
		w.site(id, sinks.DefaultShards)
		if i%4 == 0 {
			w.metadata(id, "acme%", 1+i%64)
		}
	}
	w.metadata("elsewhere", "acme", 4)
	want = append([]string{"elsewhere"}, want...)
	for _, desc := range []bool{false, true} {
		rows, _, count := pages(t, 9, func(cursor string) ([]query.Site, int, string, error) {
			a, err := w.Sites(t.Context(), query.SitesParams{Paging: query.Paging{Limit: 9, Desc: desc, Cursor: cursor}})
			return a.Sites, 0, a.Cursor, err
		})
		var got []string
		for _, s := range rows {
			got = append(got, s.SiteID)
			if s.Created != strings.Contains("where#00#04#08#12#16#20#24#28#32#36#", s.SiteID[4:]+"#") {
				t.Errorf("site %s: created %v", s.SiteID, s.Created)
			}
		}
		if desc {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) || count != 5 {
			t.Errorf("desc %v: %d pages of %q, want 5 of %q", desc, count, got, want)
		}
	}
	rows, _, count := pages(t, 4, func(cursor string) ([]query.Site, int, string, error) {
		a, err := w.Sites(t.Context(), query.SitesParams{Owner: "acme%", Paging: query.Paging{Limit: 4, Cursor: cursor}})
		return a.Sites, 0, a.Cursor, err
	})
	if len(rows) != 10 || count != 3 || rows[1].SiteID != "site#04" || rows[1].Shards != 5 || rows[1].Owner != "acme%" ||
		rows[1].Name != "Name of site#04" {
		t.Errorf("%d sites of the owner on %d pages: %s", len(rows), count, compact(t, rows))
	}
	a := must[query.SiteAnswer](t)(w.Site(t.Context(), query.SiteParams{Site: "site#04", Consistent: true}))
	if compact(t, a.Site) != compact(t, rows[1]) || !a.SiteKnown {
		t.Errorf("site %s, want %s", compact(t, a), compact(t, rows[1]))
	}
}

// metadata puts what site create would.
func (w *world) metadata(id, owner string, shards int) {
	w.t.Helper()
	w.rules(id, &sites.Rules{Name: "Name of " + id, Domains: []string{"www.example", "example"}, Owner: owner, CreatedAt: at(8).UnixMilli(),
		Shards: []sites.Shards{{N: shards}}})
}

// questions asks everything that can be asked about a site.
func questions(t *testing.T, w *world, site string) map[string]any {
	ctx := t.Context()
	return map[string]any{
		"stats": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: site, From: at(-48)})),
		"stats by month": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: site, From: at(-48), By: query.Month,
			Zone: location(t, "Asia/Tokyo"), Compare: true})),
		"stats by day":     must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: site, From: at(-48), By: query.Day})),
		"uniques":          must[query.UniquesAnswer](t)(w.Uniques(ctx, query.UniquesParams{Site: site, From: at(-48)})),
		"realtime":         must[query.RealtimeAnswer](t)(w.Realtime(ctx, query.RealtimeParams{Site: site})),
		"sessions":         must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: site})),
		"user's sessions":  must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: site, User: "u1"})),
		"visitor's":        must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: site, Visitor: "v1"})),
		"session":          must[query.SessionAnswer](t)(w.Session(ctx, query.SessionParams{Site: site, Session: "s1"})),
		"events":           must[query.EventsAnswer](t)(w.Events(ctx, query.EventsParams{Site: site, From: at(-48)})),
		"session's events": must[query.EventsAnswer](t)(w.Events(ctx, query.EventsParams{Site: site, Session: "s1"})),
		"goals":            must[query.GoalsAnswer](t)(w.Goals(ctx, query.GoalsParams{Site: site, Deleted: true})),
		"goal":             must[query.GoalAnswer](t)(w.Goal(ctx, query.GoalParams{Site: site, Goal: "bought"})),
		"goal stats":       must[query.GoalStatsAnswer](t)(w.GoalStats(ctx, query.StatsParams{Site: site, From: at(-48)})),
		"conversions":      must[query.ConversionsAnswer](t)(w.Conversions(ctx, query.ConversionsParams{Site: site, Goal: "bought"})),
		"site":             must[query.SiteAnswer](t)(w.Site(ctx, query.SiteParams{Site: site})),
	}
}

func testUnknownSite(t *testing.T, w *world) {
	for name, a := range questions(t, w, "nowhere") {
		if u, ok := a.(interface{ UnknownSite() bool }); !ok || !u.UnknownSite() || strings.Contains(compact(t, a), "nown\"") {
			t.Errorf("%s of an unknown site: %s, want SiteKnown false, and no word of it in JSON", name, compact(t, a))
		}
	}
	w.site("quiet", 16)
	for name, a := range questions(t, w, "quiet") {
		if u, ok := a.(interface{ UnknownSite() bool }); !ok || u.UnknownSite() {
			t.Errorf("%s of a site without events: %s, want SiteKnown true", name, compact(t, a))
		}
	}
}

// everything puts one item of each kind for a site.
func (w *world) everything(site string) {
	w.site(site, 16)
	w.hour(site, at(10), future, 6, 8, 2, map[sinks.TP]sinks.Value{tp0: small(0, 5)})
	w.part(site, at(10), future, tp1, small(3, 20))
	w.day(site, at(0), future, 6, 8, 2)
	w.minute(site, at(14).Add(35*time.Minute), future, tp0, 3, visitors(sketch.NewMinute(), 0, 2), map[string]int{"/": 2})
	w.session(site, "s1", at(10), future, tp0, "v1", "u1")
	w.recent(site, at(10), future, tp0, 1, "s1")
	w.event(site, 16, "s1", at(10), future, 1, nil)
	w.goal(site, bought, false)
	w.conversion(site, bought.N, "s1", at(10), future, tp0, nil)
}

func testSitesNeverMeet(t *testing.T, w *world) {
	w.site("a", 16)
	before := compact(t, questions(t, w, "a"))
	for _, other := range []string{"a#SHARD#00", "a#RECENT", "a#UNIQUES", "a#USER#u1", "a#GOAL#2", "a#GOAL#2#00", "a#", "a%", "A"} {
		w.everything(other)
	}
	if after := compact(t, questions(t, w, "a")); after != before {
		t.Errorf("answers of a site changed with the items of others:\nbefore %s\nafter  %s", before, after)
	}
}
