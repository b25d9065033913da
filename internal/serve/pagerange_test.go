package serve

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
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
		if r.Code != http.StatusUnprocessableEntity || !strings.Contains(text, says) || !strings.Contains(text, `<a href="/sites/shop">`) {
			t.Errorf("%s: %d: %s; want %q and the way back to the site", query, r.Code, text, says)
		}
	}
}
