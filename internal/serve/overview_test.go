package serve

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

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
		if strings.HasPrefix(c.query, "search=") && strings.Count(text, `<tr><th scope="row"><a`) != min(c.sites, sitesPerPage) {
			t.Errorf("the page of %s: %d: %s; want %d sites", c.query, r.Code, text, c.sites)
		}
	}
}

// The overview can be sorted: all its sites come once, by the figure of the address, which searches, ranges and further pages keep.
func TestOverviewIsSorted(t *testing.T) {
	table := testworld.Table(t)
	const sites = 2*sitesPerPage + 3
	for i := range sites {
		id := fmt.Sprintf("s%02d", i)
		if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, id); err != nil {
			t.Fatal(err)
		}
		key := sinks.Keys{}.HourStats(id, now.Truncate(time.Hour).UnixMilli())
		views := int64(100 + i*7%sites)
		if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrEvents: sinks.Int(views), sinks.AttrPageViews: sinks.Int(views)}}); err != nil {
			t.Fatal(err)
		}
	}
	h := handler(t, table)
	link := regexp.MustCompile(`<a href="([^"]*)" rel="next">`)
	row := regexp.MustCompile(`<tr><th scope="row"><a href="/sites/(s\d\d)\?[^"]*">.*?</th><td>.*?</td><td>(\d+)</td>`)
	for _, c := range []struct{ query, sorted string }{{"", "Site"}, {"sort=pageViews", "Page views"}, {"sort=uniqueVisitors", "Visitors"},
		{"sort=pageViewsChange", "Change"}} {
		seen, last, address := map[string]bool{}, "", "/?period=today&search=s&"+c.query
		for address != "" {
			r, text := ask(t, h, address, "Accept", "text/html")
			text = html.UnescapeString(text)
			if r.Code != http.StatusOK || strings.Count(text, "aria-sort=") != 1 {
				t.Fatalf("%s: %d: %s", address, r.Code, text)
			}
			for _, want := range []string{`scending"><a href="/?period=today&search=s` + strings.TrimRight("&"+c.query, "&") + `" title="Sort by this">` +
				c.sorted + "</a>", `href="/?from=-28d&search=s` + strings.TrimRight("&"+c.query, "&") + `"`} {
				if !strings.Contains(text, want) {
					t.Errorf("%s lacks %s", address, want)
				}
			}
			if name, value, ok := strings.Cut(c.query, "="); ok && !strings.Contains(text, `name="`+name+`" value="`+value+`"`) {
				t.Errorf("%s: a search does not keep %s", address, c.query)
			}
			for _, m := range row.FindAllStringSubmatch(text, -1) {
				at := m[1]
				if c.sorted == "Page views" {
					n, err := strconv.Atoi(m[2])
					if err != nil {
						t.Fatal(err)
					}
					at = strconv.Itoa(999 - n) // The most come first.
				}
				if seen[m[1]] || at <= last && c.sorted != "Visitors" && c.sorted != "Change" {
					t.Errorf("%s: %s comes after %s, or twice", address, at, last)
				}
				seen[m[1]], last = true, at
			}
			address = ""
			if m := link.FindStringSubmatch(text); m != nil {
				address = m[1]
			}
		}
		if len(seen) != sites {
			t.Errorf("%s: %d sites, want %d", c.query, len(seen), sites)
		}
	}
	for address, says := range map[string]string{"/?sort=name": "choose uniqueVisitors", "/?sort=pageViews&cursor=x": "not a cursor"} {
		r, text := ask(t, h, address, "Accept", "text/html")
		if r.Code != http.StatusUnprocessableEntity || !strings.Contains(text, says) {
			t.Errorf("%s: %d: %s", address, r.Code, text)
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
	if want := (query.SitesTotals{Sites: 1, PageViews: 30}); overview.Totals != want {
		t.Errorf("totals %+v, want %+v", overview.Totals, want)
	}
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
