package serving

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/query"
)

// The page of a funnel has the figures of the command and of the API, says what they cost, and does not read more than it is asked to.
func TestFunnelPageHasTheFiguresOfTheCommand(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from, to := day.Format("2006-01-02"), day.AddDate(0, 0, 2).Format("2006-01-02")
	var a, fromAPI query.FunnelReportAnswer
	clitest.AskedJSON(t, &a, "funnel", "report", "shop", "checkout", "--from", from, "--to", to, "--table", table)
	params := "?from=" + from + "&to=" + to
	if err := json.Unmarshal(got(t, h, "/api/v1/sites/shop/funnels/checkout/report"+params).Body.Bytes(), &fromAPI); err != nil {
		t.Fatal(err)
	}
	if len(a.Steps) != 2 || a.Steps[1].Visitors == 0 || a.Steps[1].DropOff == 0 || fmt.Sprint(a.Steps[1].Visitors, a.Steps[1].DropOff) !=
		fmt.Sprint(fromAPI.Steps[1].Visitors, fromAPI.Steps[1].DropOff) {
		t.Fatalf("the command has %+v, the API %+v", a, fromAPI)
	}
	shown := got(t, h, "/sites/shop/funnels/checkout"+params)
	if shown.Code != http.StatusOK {
		t.Fatalf("%d: %s", shown.Code, shown.Body)
	}
	page := html.UnescapeString(shown.Body.String())
	first, last := a.Steps[0], a.Steps[1]
	for _, want := range []string{
		fmt.Sprintf("1. Page /</bdi></th><td>%d</td><td class=\"share\">100.0 %%</td>", first.Visitors),
		fmt.Sprintf("2. Page /thanks</bdi></th><td>%d</td><td class=\"share\">%.1f %%</td>", last.Visitors, 100**last.OfFirst),
		fmt.Sprintf("<span class=\"worse\">%d ", last.DropOff),
		fmt.Sprintf("%d of %d visitors reached the last step", last.Visitors, first.Visitors),
		fmt.Sprintf("Computed from %d raw events for ", a.EventsRead),
		"within 30 minutes from the first", "funnels/checkout/report?format=csv"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
	dear := html.UnescapeString(got(t, h, "/sites/shop/funnels/checkout"+params+"&maxEvents=1").Body.String())
	for _, want := range []string{"raw events of this range would cost about", "maxEvents=1000000", "within 30 minutes"} {
		if !strings.Contains(dear, want) {
			t.Errorf("the page lacks %s: %s", want, dear)
		}
	}
	if strings.Contains(dear, "reached the last step") {
		t.Error("the page has figures that it should not have read")
	}
	site := html.UnescapeString(got(t, h, "/sites/shop"+params).Body.String())
	want := `<a href="/sites/shop/funnels/checkout` + params + `"><bdi title="checkout">checkout</bdi></a> <small>2 steps</small>`
	if !strings.Contains(site, want) {
		t.Errorf("the page of the site lacks %s", want)
	}
	for path, status := range map[string]int{"/sites/shop/funnels/other": http.StatusNotFound,
		"/sites/shop/funnels/checkout?maxEvents=2000000": http.StatusUnprocessableEntity, "/sites/shop/funnels/checkout?where=page%3D/": 422,
		"/sites/shop/funnels/checkout?segment=none": 422,
		"/sites/shop/funnels/%20":                   http.StatusUnprocessableEntity} {
		if r := got(t, h, path); r.Code != status {
			t.Errorf("%s: %d, want %d", path, r.Code, status)
		}
	}
	form := got(t, h, "/sites/shop/funnels/checkout?from="+from+"&until="+day.AddDate(0, 0, 1).Format("2006-01-02"))
	if to := form.Header().Get("Location"); form.Code != http.StatusSeeOther || to != "/sites/shop/funnels/checkout"+params {
		t.Errorf("the form of another range: %d, leads to %s", form.Code, to)
	}
	testFilteredFunnel(t, table, h, params)
	csv := got(t, h, "/api/v1/sites/shop/funnels/checkout/report?format=csv&from="+from+"&maxEvents=1000000")
	if csv.Code != http.StatusOK {
		t.Errorf("CSV: %d: %s", csv.Code, csv.Body)
	}
}

// testFilteredFunnel looks at a funnel under filters: page, API, CSV and command have the same figures, and links keep the filters.
func testFilteredFunnel(t *testing.T, table string, h http.Handler, params string) {
	t.Helper()
	const where, own = "&where=country%3DIN", "country=IN"
	day := strings.TrimPrefix(strings.Split(params, "&")[0], "?from=")
	var all, a query.FunnelReportAnswer
	args := []string{"funnel", "report", "shop", "checkout", "--from", day, "--to", strings.Split(params, "to=")[1], "--table", table}
	clitest.AskedJSON(t, &all, args...)
	clitest.AskedJSON(t, &a, append(args, "--where", own)...)
	first, last := a.Steps[0].Visitors, a.Steps[1].Visitors
	if first == 0 || first >= all.Steps[0].Visitors || last >= all.Steps[1].Visitors {
		t.Fatalf("under the filter are %d and %d of %d and %d visitors", first, last, all.Steps[0].Visitors, all.Steps[1].Visitors)
	}
	page := html.UnescapeString(got(t, h, "/sites/shop/funnels/checkout"+params+where).Body.String())
	for _, want := range []string{fmt.Sprintf("1. Page /</bdi></th><td>%d</td>", first), fmt.Sprintf("2. Page /thanks</bdi></th><td>%d</td>",
		last),
		"Country is <bdi>India</bdi>", fmt.Sprintf("Computed from %d raw events for ", a.EventsRead),
		`aria-label="Remove the filter Country is India"`, `<option value="country">`, `href="/sites/shop` + params + where + `"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the filtered page lacks %s: %s", want, page)
		}
	}
	if strings.Contains(page, `<option value="page">`) || strings.Count(page, "Computed from") != 1 {
		t.Errorf("the page offers a filter that it refuses, or says its cost twice: %s", page)
	}
	csv := got(t, h, "/api/v1/sites/shop/funnels/checkout/report"+params+where+"&format=csv").Body.String()
	if !strings.Contains(csv, fmt.Sprintf("1,page:/,%d,", first)) || !strings.Contains(csv, fmt.Sprintf("2,page:/thanks,%d,", last)) {
		t.Errorf("CSV: %s", csv)
	}
	site := html.UnescapeString(got(t, h, "/sites/shop"+params+where).Body.String())
	if !strings.Contains(site, `/sites/shop/funnels/checkout`+params+where) {
		t.Error("the filtered page of the site does not lead to the funnel")
	}
	dear := html.UnescapeString(got(t, h, "/sites/shop/funnels/checkout"+params+where+"&maxEvents=1").Body.String())
	if !strings.Contains(dear, "would cost about") || !strings.Contains(dear, "maxEvents=1000000") || !strings.Contains(dear,
		"within 30 minutes") {
		t.Errorf("a dear page under filters: %s", dear)
	}
	now := html.UnescapeString(got(t, h, "/sites/shop/now"+params+where).Body.String())
	if !strings.Contains(now, "Now cannot be filtered: this is all traffic.") || !strings.Contains(now, `href="/sites/shop`+params+where+`"`) {
		t.Errorf("now: %s", now)
	}
	if text := got(t, h, "/sites/shop/now"+params).Body.String(); strings.Contains(text, "cannot be filtered") {
		t.Error("now without filters says that it cannot be filtered")
	}
	for where, says := range map[string]string{"&where=country%3DXX": "No session passes", "&where=page%3D/none": "No event passes"} {
		none := html.UnescapeString(got(t, h, "/sites/shop"+params+where).Body.String())
		if want := says + ` the filters in this range. <a href="/sites/shop` + params + `">Remove all filters</a>`; !strings.Contains(none, want) {
			t.Errorf("%s: the page lacks %s", where, want)
		}
	}
	if strings.Contains(site, "passes the filters in this range") {
		t.Error("a page with figures says that nothing passes")
	}
}
