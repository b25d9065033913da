package serve

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/serve/problem"
)

// The days of the form "Other range" are both included, and lead to the address that has the day after the last as its end.
func TestDaysOfTheFormAreIncluded(t *testing.T) {
	h := handler(t, shopTable(t))
	r, _ := ask(t, h, "/sites/shop?from=2026-05-03&until=2026-05-03&tz=UTC&where=country%3DDE&pages=exits", "Accept", "text/html")
	to, err := url.Parse(r.Header().Get("Location"))
	want := url.Values{"from": {"2026-05-03"}, "to": {"2026-05-04"}, "tz": {"UTC"}, "where": {"country=DE"}, "pages": {"exits"}}
	if err != nil || r.Code != http.StatusSeeOther || to.Path != "/sites/shop" || to.Query().Encode() != want.Encode() {
		t.Fatalf("%d: leads to %s, %v", r.Code, r.Header().Get("Location"), err)
	}
	if _, text := ask(t, h, to.String(), "Accept", "text/html"); !strings.Contains(text, `name="until" value="2026-05-03"`) {
		t.Errorf("the form does not have the last day: %s", text)
	}
	for query, says := range map[string]string{
		"from=2026-05-03&until=2026-05-02":               "it is before the first day, 2026-05-03",
		"from=2026-05-03&until=tomorrow":                 "write a day, as 2026-05-31",
		"from=2026-05-03&until=2026-05-03&to=2026-05-04": "leave it out beside to or period",
	} {
		r, text := ask(t, h, "/sites/shop?"+query, "Accept", "text/html")
		text = html.UnescapeString(text)
		if r.Code != http.StatusUnprocessableEntity || !strings.Contains(text, says) || !strings.Contains(text, `<h2 id="totals">`) {
			t.Errorf("%s: %d: %s; want %q on the page of the site", query, r.Code, text, says)
		}
	}
}

// What is wrong with a field of a range is said beside it, on the page of the range that was shown, under the same filters.
func TestWrongRangesKeepThePage(t *testing.T) {
	h := handler(t, shopTable(t))
	filters := "&filters=" + url.QueryEscape("where=country%3DDE") + "&pages=exits"
	for _, c := range []struct{ query, field, says, keeps string }{
		{"from=2026-05-03&until=2026-05-02&tz=UTC&shown=period%3D2026-05" + filters, "until", `"2026-05-02": it is before the first day`,
			"1 May 2026 – 31 May 2026"},
		{"from=2026-05-03&until=2026-05-04&tz=Mars&shown=from%3D-3d" + filters, "tz", `"Mars": `, "10 May 2026 – 12 May 2026"},
		{"from=last+week&until=2026-05-04&tz=UTC" + filters, "from", `"last week": `, "6 May 2026 – 12 May 2026"},
		{"from=2026-05-05&to=2026-05-03" + filters, "", "", "6 May 2026 – 12 May 2026"},
		{"period=2036&pages=exits&where=country%3DDE", "from", `"2036": the range lies in the future`, "6 May 2026 – 12 May 2026"},
		{"from=2036-05-03&until=2036-05-04&tz=UTC&shown=from%3D-3d" + filters, "from", `"2036-05-03": the range lies in the future`,
			"10 May 2026 – 12 May 2026"},
		{"period=fortnight&pages=exits&where=country%3DDE", "from", `"fortnight": not a period`, "6 May 2026 – 12 May 2026"},
		{"period=2026-05-11&compare=last+week" + filters, "compare", `"last week": write off for no comparison, or choose previous, year or a range, as in`, "Mon 11 May 2026"},
	} {
		address := "/sites/shop?" + c.query
		r, text := ask(t, h, address, "Accept", "text/html")
		if r.Code == http.StatusSeeOther && !strings.Contains(c.query, "shown=") { // Filters have an address of their own.
			address = r.Header().Get("Location")
			r, text = ask(t, h, address, "Accept", "text/html")
		}
		text = html.UnescapeString(text)
		wants := []string{`<h2 id="totals">` + c.keeps, "Country is <bdi>Germany</bdi>", `name="pages" value="exits"`, c.says}
		if c.field != "" {
			wants = append(wants, `aria-invalid="true" aria-describedby="wrong-`+c.field+`"`, `id="wrong-`+c.field+`" role="alert"`)
		}
		for _, want := range wants {
			if r.Code != http.StatusUnprocessableEntity || !strings.Contains(text, want) {
				t.Errorf("%s: %d: the page lacks %s: %.6000s", c.query, r.Code, want, text)
			}
		}
		if strings.Contains(text, "shown=") {
			t.Errorf("%s: links of the page have the range that was shown", c.query)
		}
		if r, _ := ask(t, h, address); r.Code != http.StatusUnprocessableEntity || r.Header().Get("Content-Type") != problem.ProblemType {
			t.Errorf("%s: a program gets %d, %s", c.query, r.Code, r.Header().Get("Content-Type"))
		}
	}
}

// A list has the ranges of the site's page, and keeps its figure, search, comparison and filters in each. Weeks begin on Monday.
func TestListsOfferRanges(t *testing.T) {
	h := handler(t, shopTable(t))
	const kept = "compare=off&search=a&sort=pageViews"
	r, text := ask(t, h, "/sites/shop/top/page?period=last-week&"+kept, "Accept", "text/html")
	text = html.UnescapeString(text)
	for _, want := range []string{`href="/sites/shop/top/page?compare=off&period=week&search=a&sort=pageViews" aria-keyshortcuts="k">This week`,
		`href="/sites/shop/top/page?compare=off&period=last-week&search=a&sort=pageViews" aria-current="true" aria-keyshortcuts="j">Last week`,
		"4 May 2026 – 10 May 2026", `href="/sites/shop/top/page?compare=off&from=2026-04-27&search=a&sort=pageViews&to=2026-05-04"`} {
		if r.Code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d: the list lacks %s: %s", r.Code, want, text)
		}
	}
	r, text = ask(t, h, "/sites/shop/top/page?from=2026-05-03&until=2026-05-03&tz=UTC&"+kept, "Accept", "text/html")
	if to := r.Header().Get("Location"); to != "/sites/shop/top/page"+
		"?compare=off&from=2026-05-03&search=a&sort=pageViews&to=2026-05-04&tz=UTC" {
		t.Errorf("%d: the form of the list leads to %q: %s", r.Code, to, text)
	}
	if _, text = ask(t, h, "/sites/shop?period=week", "Accept", "text/html"); !strings.Contains(text, "11 May 2026 – 17 May 2026") ||
		!strings.Contains(text, "compared with 4 May 2026, 00:00 – 5 May 2026, 15:00") {
		t.Errorf("this week is not compared with the week before up to now: %s", text)
	}
}
