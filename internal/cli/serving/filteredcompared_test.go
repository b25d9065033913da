package serving

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/query"
)

// read asks the API.
func read[A any](t *testing.T, h http.Handler, address string) (a A) {
	t.Helper()
	r := got(t, h, address)
	if err := json.Unmarshal(r.Body.Bytes(), &a); err != nil || r.Code != http.StatusOK {
		t.Fatalf("%s: %d: %v: %s", address, r.Code, err, r.Body)
	}
	return a
}

// lacks reports what a page lacks.
func lacks(t *testing.T, page, of string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("%s: the page lacks %s: %s", of, want, page)
		}
	}
}

// Totals, buckets and rows of a filtered page are compared as those of the API are, and the cost that it says is that of both ranges.
func TestFilteredPageComparesAsTheAPI(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	date := func(days int) string { return day.AddDate(0, 0, days).Format(time.DateOnly) }
	rows := 0
	for _, where := range []string{"&where=country%3DDE", "&where=country!%3DDE&where=page%3D/kettles", "&where=referrer~%3Dgoogle"} {
		for page, api := range map[string]string{"": "previous", "&compare=" + date(1) + ".." + date(2): date(1) + ".." + date(2)} {
			of := "?from=" + date(2) + "&to=" + date(3) + where
			a := read[query.FilteredStatsAnswer](t, h, "/api/v1/sites/shop/stats"+of+"&exact=true&fill=true&compare="+api)
			was, cost := a.Previous, a.Filter.Cost
			if was == nil || was.Totals.Events == 0 || a.Totals.Events == 0 {
				t.Fatalf("%s: nothing to compare: %+v", where, a)
			}
			text := html.UnescapeString(got(t, h, "/sites/shop"+of+page).Body.String())
			wants := []string{"compared with " + day.AddDate(0, 0, 1).Format("Mon 2 Jan 2006"),
				fmt.Sprintf("<small>from %d</small>", was.Totals.UniqueVisitors), fmt.Sprintf("<small>from %d</small>", was.Totals.PageViews),
				fmt.Sprintf("Computed from %d raw events of both ranges for %.0f read units; %.0f were estimated before.", cost.EventsRead,
					cost.ReadUnits, cost.ReadUnitsEstimated), `<path class="before"`, `aria-label="Comparison"`}
			for _, b := range a.Buckets {
				wants = append(wants, fmt.Sprintf("<tspan>%d</tspan>, before: %d", b.UniqueVisitors, b.Previous.UniqueVisitors))
			}
			top := read[query.FilteredTopAnswer](t, h, "/api/v1/sites/shop/top/page"+of)
			earlier := read[query.FilteredTopAnswer](t, h, "/api/v1/sites/shop/top/page?from="+date(1)+"&to="+date(2)+where)
			for _, r := range top.Rows {
				change := "new"
				for _, before := range earlier.Rows {
					if before.Value == r.Value {
						change = strings.NewReplacer("+0 ", "0 ", "-0 ", "0 ", "-", "−").Replace(fmt.Sprintf("%+.0f %%",
							100*(float64(r.PageViews)/float64(before.PageViews)-1)))
						rows++
					}
				}
				_, row, _ := strings.Cut(text, fmt.Sprintf("<bdi title=\"%s\">", r.Value))
				row, _, _ = strings.Cut(row, "</tr>")
				lacks(t, row, where+", row "+r.Value, fmt.Sprintf("<td>%d</td>", r.PageViews), ">"+change+"</span>")
			}
			lacks(t, text, where+page, wants...)
		}
	}
	if rows == 0 {
		t.Error("no row is compared")
	}
	of := "?from=" + date(2) + "&to=" + date(3) + "&where=country%3DDE"
	alone := read[query.FilteredStatsAnswer](t, h, "/api/v1/sites/shop/stats"+of+"&exact=true")
	text := html.UnescapeString(got(t, h, "/sites/shop"+of+"&compare=off").Body.String())
	lacks(t, text, "not compared", fmt.Sprintf("Computed from %d raw events for ", alone.Filter.Cost.EventsRead))
	if strings.Contains(text, "compared with") {
		t.Error("not compared: the page compares")
	}
	// The bound is of the sum: what one range costs leaves out the comparison alone.
	most := alone.Filter.Cost.EventsEstimated
	if r := got(t, h, fmt.Sprintf("/api/v1/sites/shop/stats%s&exact=true&maxEvents=%d", of, most)); r.Code != http.StatusOK {
		most *= 4 // Each is an item.
	}
	text = html.UnescapeString(got(t, h, fmt.Sprintf("/sites/shop%s&maxEvents=%d", of, most)).Body.String())
	lacks(t, text, "a comparison that is too dear", "Nothing is compared: reading both ranges would cost about",
		"maxEvents=2000000", ">Compare</a>", fmt.Sprintf("Computed from %d raw events for ", alone.Filter.Cost.EventsRead),
		fmt.Sprintf("<strong>%d</strong>", alone.Totals.PageViews))
}

// Under locked filters a page is compared as the API compares through the same share link, and says nothing of what that costs.
func TestLockedPageComparesAsTheAPI(t *testing.T) {
	h, base, _, day := lockedPages(t, footfalltest.Options{})
	of := "?from=" + day.AddDate(0, 0, 2).Format(time.DateOnly) + "&to=" + day.AddDate(0, 0, 3).Format(time.DateOnly)
	for _, where := range []string{"", "&where=page%3D/kettles", "&where=referrer~%3Dnews"} {
		a := read[query.FilteredStatsAnswer](t, h, base+"/api/v1/sites/shop/stats"+of+where+"&compare=previous")
		if a.Previous == nil || a.Previous.Totals.Events == 0 {
			t.Fatalf("%s: nothing to compare: %+v", where, a)
		}
		text := html.UnescapeString(got(t, h, base+"/sites/shop"+of+where).Body.String())
		lacks(t, text, where, "compared with ", fmt.Sprintf("<strong>%d</strong>", a.Totals.PageViews),
			fmt.Sprintf("<small>from %d</small>", a.Previous.Totals.UniqueVisitors),
			fmt.Sprintf("<small>from %d</small>", a.Previous.Totals.PageViews), `<path class="before"`)
		for _, secret := range []string{"read units", "raw events for", "of both ranges"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: the page says %q", where, secret)
			}
		}
	}
}

// A page of which raw events have expired says in one sentence for how long they are kept, leads to the days that can be had, and says
// nothing of recounts of figures that it does not have. If only the earlier range has lost them, the rest is shown.
func TestFilteredPageLeadsToTheDaysThatAreKept(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	if code, out, errs := clitest.Footfall(t, "site", "update", "shop", "--raw-days", "3", "--table", table); code != 0 {
		t.Fatalf("exit %d, out %s, err %s", code, out, errs)
	}
	h := served(t, table)
	several := "&where=country%3DDE&where=page%3D/kettles"
	text := html.UnescapeString(got(t, h, "/sites/shop?from="+day.Format(time.DateOnly)+several).Body.String())
	const says = `are kept for 3 days: some or all of this range is older. <a href="`
	lacks(t, text, "expired", says, ">Show from ")
	for _, other := range []string{"Recounted", "No recount", "begin at", "(filters read"} {
		if strings.Contains(text, other) {
			t.Errorf("expired: the page has %s", other)
		}
	}
	_, link, _ := strings.Cut(text, says)
	link, _, _ = strings.Cut(link, `"`)
	text = html.UnescapeString(got(t, h, link).Body.String())
	none := "Nothing is compared: the site has no data before " + day.Format("2 Jan 2006") + "."
	lacks(t, text, link, "Computed from ", none)
	text = html.UnescapeString(got(t, h, link+"&compare="+day.Format(time.DateOnly)).Body.String())
	lacks(t, text, link+" and the first day", "Nothing is compared: the raw events of the earlier range have expired.")
}
