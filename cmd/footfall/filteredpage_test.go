package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/query"
)

// A filtered page has the figures that the API has, and says what they cost; what cannot be had is left out with the reason.
func TestFilteredPageHasTheFiguresOfTheAPI(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from := "?from=" + day.Format("2006-01-02")
	for _, where := range []string{"&where=country%3DDE", "&where=country!%3DDE&where=page%3D/kettles", "&where=referrer~%3Dgoogle"} {
		var a query.FilteredStatsAnswer
		if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/stats"+from+where+"&exact=true").Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		var top query.FilteredTopAnswer
		if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/top/page"+from+where).Body.Bytes(), &top); err != nil {
			t.Fatal(err)
		}
		if a.Totals.PageViews == 0 || len(top.Rows) == 0 {
			t.Fatalf("%s: nothing passes: %+v", where, a.Totals)
		}
		page := html.UnescapeString(got(t, h, "/sites/shop"+from+where).Body.String())
		wants := []string{fmt.Sprintf("<strong>%d</strong>", a.Totals.UniqueVisitors), fmt.Sprintf("<strong>%d</strong>", a.Totals.PageViews),
			fmt.Sprintf("Computed from %d raw events for ", a.Filter.Cost.EventsRead), "Scope: " + string(a.Filter.Scope),
			"Entries cannot be had under filters."}
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
