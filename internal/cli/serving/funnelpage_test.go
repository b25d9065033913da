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
		"/sites/shop/funnels/%20": http.StatusUnprocessableEntity} {
		if r := got(t, h, path); r.Code != status {
			t.Errorf("%s: %d, want %d", path, r.Code, status)
		}
	}
	form := got(t, h, "/sites/shop/funnels/checkout?from="+from+"&until="+day.AddDate(0, 0, 1).Format("2006-01-02"))
	if to := form.Header().Get("Location"); form.Code != http.StatusSeeOther || to != "/sites/shop/funnels/checkout"+params {
		t.Errorf("the form of another range: %d, leads to %s", form.Code, to)
	}
	csv := got(t, h, "/api/v1/sites/shop/funnels/checkout/report?format=csv&from="+from+"&maxEvents=1000000")
	if csv.Code != http.StatusOK {
		t.Errorf("CSV: %d: %s", csv.Code, csv.Body)
	}
}
