package serve

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// The overview finds sites by a part or the beginning of their ids, and comes in pages; page and API list the same sites.
func TestOverviewFindsSites(t *testing.T) {
	table := testworld.Table(t)
	for i := range 40 {
		for _, id := range []string{"Shop-" + strconv.Itoa(i), "blog#" + strconv.Itoa(i)} {
			if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	h := handler(t, table)
	for _, c := range []struct {
		query string
		sites int
	}{
		{"", 80}, {"search=shop", 40}, {"search=hOP-1", 11}, {"prefix=Shop-", 40}, {"prefix=shop-", 0}, {"prefix=blog%23", 40},
		{"prefix=blog%23&search=9", 4}, {"search=none", 0}, {"search=%25", 0},
	} {
		var ids []string
		for _, path := range []string{"/overview", "/sites"} {
			address, found := base+path+"?limit=7&"+c.query, 0
			for address != "" {
				r, text := ask(t, h, address)
				wants(t, address, r, text, http.StatusOK, "")
				var a query.SitesFiguresAnswer
				if err := json.Unmarshal([]byte(text), &a); err != nil {
					t.Fatal(err)
				}
				for _, s := range a.Sites {
					ids = append(ids, s.SiteID)
				}
				found += len(a.Sites)
				link, _, _ := strings.Cut(r.Header().Get("Link"), ">")
				address = strings.TrimPrefix(link, "<")
			}
			if found != c.sites {
				t.Errorf("%s?%s: %d sites, want %d: %q", path, c.query, found, c.sites, ids)
			}
		}
		r, text := ask(t, h, "/?"+c.query, "Accept", "text/html")
		if strings.HasPrefix(c.query, "search=") && strings.Count(text, `<tr><th scope="row">`) != min(c.sites, sitesPerPage) {
			t.Errorf("the page of %s: %d: %s; want %d sites", c.query, r.Code, text, c.sites)
		}
	}
}

// The figures of the overview are those of stats.
func TestOverviewHasTheFiguresOfStats(t *testing.T) {
	h := handler(t, shopTable(t))
	var stats query.StatsAnswer
	var overview query.SitesFiguresAnswer
	for address, answer := range map[string]any{"/sites/shop/stats?period=today&by=day&compare=previous&tz=Europe/Berlin": &stats,
		"/overview?period=today&tz=Europe/Berlin": &overview} {
		r, text := ask(t, h, base+address)
		if wants(t, address, r, text, http.StatusOK, ""); json.Unmarshal([]byte(text), answer) != nil {
			t.Fatal(text)
		}
	}
	of := overview.Sites[0]
	if stats.Totals.PageViews != 30 || of.PageViews != 30 || *of.UniqueVisitors != *stats.Totals.UniqueVisitors ||
		len(of.Days) != 1 || of.Days[0].PageViews != 30 || of.LastEvents == nil || !of.LastEvents.From.Equal(now.Truncate(3600e9)) {
		t.Errorf("overview: %+v; stats: %+v; want 30 page views, and the last event in the current hour", of, stats.Totals)
	}
}

// Figures of what passes filters are compared as others are.
func TestFilteredStatsAreCompared(t *testing.T) {
	h := handler(t, shopTable(t))
	var a query.FilteredStatsAnswer
	r, text := ask(t, h, base+"/sites/shop/stats?period=today&by=day&compare=previous&where=country%3DDE")
	if wants(t, "stats", r, text, http.StatusOK, ""); json.Unmarshal([]byte(text), &a) != nil || a.Previous == nil ||
		a.Previous.Totals == nil {
		t.Errorf("filtered and compared: %s", text)
	}
}
