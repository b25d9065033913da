package main

import (
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/query"
)

// A filtered page has the figures that the API has, and says what they cost; what cannot be had is left out with the reason.
func TestFilteredPageHasTheFiguresOfTheAPI(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from := "?from=" + day.Format("2006-01-02")
	for _, where := range []string{"&where=country%3DDE", "&where=country!%3DDE&where=page%3D/kettles", "&where=referrer~%3Dgoogle",
		"&where=entry%3D/&where=exit%3D/thanks"} {
		var a query.FilteredStatsAnswer
		if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/stats"+from+where+"&exact=true&compare=previous").Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		var top query.FilteredTopAnswer
		if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/top/page"+from+where).Body.Bytes(), &top); err != nil {
			t.Fatal(err)
		}
		var goals query.FilteredGoalsAnswer
		if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/goals"+from+where).Body.Bytes(), &goals); err != nil {
			t.Fatal(err)
		}
		if a.Totals.PageViews == 0 || a.CompleteThrough == nil || len(top.Rows) == 0 || len(goals.Totals.Goals) != 1 {
			t.Fatalf("%s: nothing passes: %+v, %+v", where, a.Totals, goals.Totals)
		}
		page := html.UnescapeString(got(t, h, "/sites/shop"+from+where).Body.String())
		wants := []string{fmt.Sprintf("<strong>%d</strong>", a.Totals.UniqueVisitors), fmt.Sprintf("<strong>%d</strong>", a.Totals.PageViews),
			fmt.Sprintf("Computed from %d raw events of both ranges for ", a.Filter.Cost.EventsRead), "Scope: " + string(a.Filter.Scope),
			fmt.Sprintf(`<bdi title="bought">bought</bdi></th><td>%d</td>`, *goals.Totals.Goals[0].Conversions), "/goals?format=csv&",
			"Realtime figures, funnels and new visitors cannot be filtered", "Complete up to records of ",
			map[query.Scope]string{query.ScopeSessions: "Entries cannot be had under filters: remove them",
				query.ScopeEvents: "Entries count whole sessions, and a filter here selects single events"}[a.Filter.Scope]}
		for _, r := range top.Rows {
			linked := "</a>"
			if strings.HasSuffix(where, "page%3D"+r.Value) { // It is a filter already.
				linked = ""
			}
			wants = append(wants, fmt.Sprintf("<bdi title=\"%s\">%[1]s</bdi>%s</th>\n<td>%d</td>", r.Value, linked, r.PageViews))
		}
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %s", where, want)
			}
		}
		if known := strings.Contains(page, ">Bounce rate<"); known != (a.Totals.Sessions != nil) {
			t.Errorf("%s: figures of sessions are shown: %v", where, known)
		}
	}
	dear := html.UnescapeString(got(t, h, "/sites/shop"+from+"&where=country%3DDE&where=page%3D/&maxEvents=1").Body.String())
	for _, want := range []string{"raw events of this range would cost about", "maxEvents=2000000", "one filter alone can be had",
		`where=page%3D%2F">Page is <bdi>/</bdi>`} {
		if !strings.Contains(dear, want) {
			t.Errorf("the page lacks %s: %s", want, dear)
		}
	}
	single := got(t, h, "/sites/shop"+from+"&where=country%3DDE&maxEvents=1")
	for _, want := range []string{"The totals are from breakdowns.", "Not read: it needs raw events."} {
		if single.Code != http.StatusOK || !strings.Contains(single.Body.String(), want) {
			t.Errorf("one filter that is too dear: %d, lacks %s", single.Code, want)
		}
	}
}

// lockedPages serves the site shop through a share link to what is from India. It returns what the link's paths begin with.
func lockedPages(t *testing.T, o footfalltest.Options) (h http.Handler, base, tableURL string, day time.Time) {
	t.Helper()
	tableURL, day = servedTable(t, o)
	table, err := openTable(t.Context(), tableURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	store := access.Store{Table: table.Table, Now: time.Now}
	_, link, err := store.Create(t.Context(), access.Stored{Kind: access.Share, Sites: []string{"shop"}, Rights: []access.Right{access.Read},
		Limits: access.Limits{Where: []string{"country=IN"}}})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	return serve.New(serve.Options{Table: table.Table, Now: time.Now, Log: log,
			Keeper: access.NewKeeper(access.KeeperOptions{Table: table.Table, Now: time.Now, Log: log, Embed: embedKeys(t)})}),
		"/share/" + link, tableURL, day
}

// A page under locked filters has the figures that the API has through the same share link, with and without a filter of the viewer, and
// nothing of what does not pass.
func TestLockedPageHasTheFiguresOfTheAPI(t *testing.T) {
	h, base, _, day := lockedPages(t, footfalltest.Options{})
	from := "?from=" + day.Format("2006-01-02")
	for _, where := range []string{"", "&where=page%3D/kettles", "&where=referrer~%3Dnews"} {
		var a query.FilteredStatsAnswer
		var top query.FilteredTopAnswer
		for part, answer := range map[string]any{"stats": &a, "top/page": &top} {
			if err := json.Unmarshal(got(t, h, base+"/api/v1/sites/shop/"+part+from+where+"&exact=true").Body.Bytes(), answer); err != nil {
				t.Fatal(err)
			}
		}
		if a.Totals == nil || a.Totals.PageViews == 0 || a.Filter.Cost != nil {
			t.Fatalf("%s: %+v", where, a)
		}
		page := html.UnescapeString(got(t, h, base+"/sites/shop"+from+where).Body.String())
		wants := []string{"This view is filtered. It is only about what passes <b>Country is <bdi>India</bdi></b>.",
			"Computed from raw events.",
			fmt.Sprintf("<strong>%d</strong>", a.Totals.UniqueVisitors), fmt.Sprintf("<strong>%d</strong>", a.Totals.PageViews)}
		for _, r := range top.Rows {
			wants = append(wants, fmt.Sprintf("<bdi title=\"%s\">%[1]s</bdi>", r.Value), fmt.Sprintf("<td>%d</td>", r.PageViews))
		}
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %s: %s", where, want, page)
			}
		}
		for _, other := range []string{`<bdi title="DE">`, "read units", "current visitors", "Recent sessions"} {
			if strings.Contains(page, other) {
				t.Errorf("%s: the page has %s", where, other)
			}
		}
	}
	for _, path := range []string{"/sites/shop/sessions", "/sites/" + url.PathEscape(strangeSite)} {
		if r := got(t, h, base+path); r.Code != http.StatusForbidden {
			t.Errorf("%s: %d, want it refused", path, r.Code)
		}
	}
}

// Types have no breakdown: their list is computed from raw events without a filter, too, and under filters as any other.
func TestPageListsTypes(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	for _, where := range []string{"", "&where=country%3DDE"} {
		params := "?from=" + day.Format("2006-01-02") + where
		var top query.FilteredTopAnswer
		if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/top/type"+params).Body.Bytes(), &top); err != nil {
			t.Fatal(err)
		}
		r := got(t, h, "/sites/shop/top/type"+params)
		page := html.UnescapeString(r.Body.String())
		if r.Code != http.StatusOK || len(top.Rows) == 0 || !strings.Contains(page, "Computed from ") ||
			strings.Contains(page, "Scope: ") != (where != "") {
			t.Fatalf("%s: %d, %d rows: %s", params, r.Code, len(top.Rows), page)
		}
		for _, row := range top.Rows {
			if !strings.Contains(page, fmt.Sprintf("<bdi title=\"%s\">%[1]s</bdi>", row.Value)) ||
				!strings.Contains(page, fmt.Sprintf("<td>%d</td>", row.PageViews)) {
				t.Errorf("%s: the page lacks %s with %d page views: %s", params, row.Value, row.PageViews, page)
			}
		}
	}
	if r := got(t, h, "/sites/shop/top/type?from="+day.Format("2006-01-02")+"&maxEvents=1"); r.Code != http.StatusOK ||
		!strings.Contains(r.Body.String(), "would cost about") {
		t.Errorf("types that are too dear: %d: %s", r.Code, r.Body)
	}
}
