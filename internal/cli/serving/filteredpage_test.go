package serving

import (
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/query"
)

// A filtered page has the figures that the API has, and says what they cost; what cannot be had is left out with the reason.
func TestFilteredPageHasTheFiguresOfTheAPI(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from := "?from=" + day.Format("2006-01-02")
	for _, where := range []string{"&where=country%3DDE", "&where=country!%3DDE&where=page%3D/kettles", "&where=referrer~%3Dgoogle",
		"&where=entry%3D/&where=exit%3D/thanks", "&where=goal%3Dbought",
		"&where=country%3DIN,DE", "&where=country!%3DIN,XX&where=referrer%3D%22%22,news.example"} {
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
			fmt.Sprintf(`<bdi title="bought">bought</bdi>%s</th><td>%d</td>`, map[bool]string{false: "</a>"}[strings.Contains(where, "goal")],
				*goals.Totals.Goals[0].Conversions), "/goals?format=csv&",
			"Realtime figures and new visitors cannot be filtered", "Complete up to records of "}
		wants = append(wants, entriesOnPage(t, h, from+where)...)
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
	lost := html.UnescapeString(got(t, h, "/sites/shop"+from+"&where=goal%3Dbougt").Body.String())
	if want := `site "shop" has no goal "bougt": did you mean bought? choose bought.`; !strings.Contains(lost, want) ||
		!strings.Contains(lost, "Remove the filter Goal is bougt") {
		t.Errorf("the page lacks %s: %s", want, lost)
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

// entriesOnPage are the rows of Entries and Exits under filters as the page shows what the API answers.
func entriesOnPage(t *testing.T, h http.Handler, params string) (rows []string) {
	t.Helper()
	for _, dimension := range []string{query.EntryDimension, query.ExitDimension} {
		var top query.FilteredTopAnswer
		if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/top/"+dimension+params).Body.Bytes(), &top); err != nil {
			t.Fatal(err)
		}
		if len(top.Rows) == 0 {
			t.Fatalf("%s: no rows by %s", params, dimension)
		}
		column, all := "Visitors", fmt.Sprintf("/top/%s%s&sort=uniqueVisitors", dimension, strings.SplitN(params, "&", 2)[0])
		if top.Filter.Scope == query.ScopeSessions {
			column, all = map[string]string{query.EntryDimension: "Entries", query.ExitDimension: "Exits"}[dimension], strings.Replace(all,
				"uniqueVisitors", "sessions", 1)
		}
		rows = append(rows, `<th scope="col">`+column+" ", all)
		for _, r := range top.Rows {
			figure := r.UniqueVisitors
			if r.Sessions != nil {
				figure = uint64(*r.Sessions)
			}
			rows = append(rows, fmt.Sprintf("<td>%d</td>\n<td class=\"share\">%.1f %%</td>", figure, 100**r.Share))
		}
	}
	return rows
}

// lockedPages serves the site shop through a share link to what is from India. It returns what the link's paths begin with.
func lockedPages(t *testing.T, o footfalltest.Options) (h http.Handler, base, tableURL string, day time.Time) {
	t.Helper()
	return lockedTo(t, o, "country=IN")
}

// lockedTo is lockedPages under another filter.
func lockedTo(t *testing.T, o footfalltest.Options, filter string) (h http.Handler, base, tableURL string, day time.Time) {
	t.Helper()
	tableURL, day = servedTable(t, o)
	table, err := connect.Open(t.Context(), tableURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	store := access.Store{Table: table.Table, Now: time.Now}
	_, link, err := store.Create(t.Context(), access.Stored{Kind: access.Share, Sites: []string{"shop"}, Rights: []access.Right{access.Read},
		Limits: access.Limits{Where: []access.Filter{{filter}}}})
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

// A link that is locked to a goal shows the sessions that reach it, and no other goal widens that.
func TestPageLockedToAGoal(t *testing.T) {
	h, base, _, day := lockedTo(t, footfalltest.Options{}, "goal=bought")
	from := "?from=" + day.Format("2006-01-02")
	for where, sessions := range map[string]int64{"": 26, "&where=goal!%3Dbought": 0} {
		var a query.FilteredStatsAnswer
		if err := json.Unmarshal(got(t, h, base+"/api/v1/sites/shop/stats"+from+where).Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if a.Totals == nil || *a.Totals.Sessions != sessions || a.Filter.Locked[0] != "goal=bought" {
			t.Errorf("%s: %+v of %+v, want %d sessions", where, a.Totals, a.Filter, sessions)
		}
	}
	var top query.FilteredTopAnswer
	if err := json.Unmarshal(got(t, h, base+"/api/v1/sites/shop/top/country"+from).Body.Bytes(), &top); err != nil {
		t.Fatal(err)
	}
	if n := top.None; n == nil || *n.ConvertedSessions != 26 || n.EligibleSessions != nil || n.ConversionRate != nil ||
		top.Totals.EligibleSessions != nil || top.Totals.ConversionRate != nil {
		t.Errorf("of no country: %+v of %+v, want 26 sessions and nothing of others", n, top.Totals)
	}
	page := html.UnescapeString(got(t, h, base+"/sites/shop"+from).Body.String())
	if want := "It is only about what passes <b>Goal is <bdi>bought</bdi></b>."; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s: %s", want, page)
	}
}

// The whole list of a dimension leads to the conversions of one goal, with rates and values.
func TestPageLeadsToTheConversionsOfAGoal(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from := "?from=" + day.Format("2006-01-02")
	page := html.UnescapeString(got(t, h, "/sites/shop/top/referrer"+from).Body.String())
	link := "/sites/shop/top/referrer" + from + "&sort=conversions&where=goal%3Dbought"
	if want := fmt.Sprintf(`<a href="%s"><bdi>bought</bdi></a>`, link); !strings.Contains(page, want) {
		t.Errorf("the page lacks %s: %s", want, page)
	}
	page = html.UnescapeString(got(t, h, link).Body.String())
	for _, want := range []string{"Conversions are of the goal that the filter asks for.", "<td>25</td>", "<td>100.0 %</td><td>62.5</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
}

// The whole list of pages by entries is, under filters, that of entry pages, with their bounce rates.
func TestFilteredPageListsEntries(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from := "?from=" + day.Format("2006-01-02")
	page := html.UnescapeString(got(t, h, "/sites/shop/top/page"+from+"&sort=entries&where=country%3DIN").Body.String())
	for _, want := range []string{"<bdi>Entries</bdi> <small>", `&sort=bounceRate&where=country%3DIN" title="Sort by this">Bounce rate</a>`,
		"/sites/shop" + from + "&where=country%3DIN&where=entry%3D%2F", "/api/v1/sites/shop/top/entry?format=csv"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
	page = html.UnescapeString(got(t, h, "/sites/shop/top/page"+from).Body.String())
	if want := "/sites/shop/top/entry" + from + "&sort=conversions&where=goal%3Dbought"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s: %s", want, page)
	}
}

// The whole list under filters is compared as the panel of the site's page is, and says that both ranges were read.
func TestFilteredWholeListsAreCompared(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	params := fmt.Sprintf("?from=%s&to=%s", day.AddDate(0, 0, 2).Format("2006-01-02"), day.AddDate(0, 0, 3).Format("2006-01-02"))
	of := func(path, where, value string) string {
		t.Helper()
		page := html.UnescapeString(got(t, h, path+params+where).Body.String())
		row := regexp.MustCompile(fmt.Sprintf(`(?s)<bdi title="%s">.*?</tr>`, value)).FindString(page)
		change := regexp.MustCompile(`<span class="\w*">(\D?[\d.]+ %|no change|new)</span>`).FindStringSubmatch(row)
		if change == nil || !strings.Contains(page, "raw events of both ranges for") {
			t.Fatalf("%s%s: no change of %s: %s\n%s", path, where, value, row, page)
		}
		return change[1]
	}
	for _, c := range []struct{ where, list, value string }{{"&where=country%3DIN", "page", "/kettles"},
		{"&where=entry%3D/", "country", "IN"}, {"&where=goal%3Dbought", "referrer", "google.com"}} {
		if panel, list := of("/sites/shop", c.where, c.value), of("/sites/shop/top/"+c.list, c.where, c.value); panel != list {
			t.Errorf("%s: %s of the list of %s has changed by %s, in the panel by %s", c.where, c.value, c.list, list, panel)
		}
	}
	off := html.UnescapeString(got(t, h, "/sites/shop/top/page"+params+"&where=country%3DIN&compare=off").Body.String())
	if strings.Contains(off, ">Change<") || strings.Contains(off, "both ranges") {
		t.Errorf("a list that is not compared has changes: %s", off)
	}
	first := html.UnescapeString(got(t, h, "/sites/shop/top/page?from="+day.Format("2006-01-02")+"&where=country%3DIN").Body.String())
	if strings.Contains(first, ">Change<") {
		t.Errorf("a list of the first days, before which there are no data, has changes: %s", first)
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
