package serve

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/access"
)

// Filters never widen what a share link shows: a range beyond it is refused with them, too, and what the page says of raw events has
// nothing of the time around the range.
func TestFiltersDoNotWidenShareLinks(t *testing.T) {
	g, link := sharedServer(t, someDays)
	for _, path := range []string{"/sites/shop", "/sites/shop/top/page"} {
		for _, query := range []string{"from=2026-05-01", "period=2026-05-03", "from=2026-05-04&to=2026-05-12",
			"from=2026-05-04&to=2026-05-11&tz=Asia/Kolkata"} {
			for _, where := range []string{"country%3DDE", "page%5E%3D/", "country%3DDE&where=page%3D/"} {
				address := link + path + "?" + query + "&where=" + where
				if r, text := ask(t, g.Handler, address, "Accept", "text/html"); r.Code != http.StatusForbidden {
					t.Errorf("%s: %d: %s", address, r.Code, text)
				}
			}
		}
		for _, more := range []string{"", "&maxEvents=2000000"} {
			address := link + path + "?where=country!%3DDE" + more
			r, text := ask(t, g.Handler, address, "Accept", "text/html")
			if r.Code != http.StatusOK || !strings.Contains(text, "Country is not <bdi>Germany</bdi>") {
				t.Errorf("%s: %d: %s", address, r.Code, text)
			}
			for _, secret := range []string{"read units for", "would cost", "were estimated", "Read them", "begin after", "compared",
				"Show from"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s says %q", address, secret)
				}
			}
		}
	}
}

// Without raw events a page says which filters can be had alone, and one alone has its totals.
func TestPageSaysWhichFiltersCanBeHad(t *testing.T) {
	h := handler(t, shopTable(t))
	asHTML := func(address string, status int) string {
		t.Helper()
		r, text := ask(t, h, address, "Accept", "text/html")
		if r.Code != status {
			t.Fatalf("%s: %d: %s", address, r.Code, text)
		}
		return html.UnescapeString(text)
	}
	text := asHTML("/sites/shop?where=country%3DDE&where=page%5E%3D/a&pages=exits", http.StatusOK)
	for _, want := range []string{"Country is <bdi>Germany</bdi>", "Page begins with <bdi>/a</bdi>", "Scope: events that pass.", "raw events",
		`href="/sites/shop?pages=exits&where=page%5E%3D%2Fa" aria-label="Remove the filter Country is Germany"`, "Remove all filters",
		`name="filters" value="where=country%3DDE&where=page%5E%3D%2Fa"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s: %s", want, text)
		}
	}
	if strings.Contains(text, ">Bounce rate<") {
		t.Error("the page has figures of sessions under filters of events")
	}
	for _, c := range []struct {
		query, says string
	}{{"where=colour%3Dred", "there is no dimension"}, {"where=country", "no operator"},
		{"where=page%3D" + strings.Repeat("<", 2048), "2048 bytes"},
		{"where=country%3DDE&where=" + strings.Repeat("&where=country!%3DX", 11), "empty"}, {"where=country%3D%ff", "UTF-8"},
		{"where=" + strings.Repeat("country!%3DA&where=", 10) + "country%3DB", "10"}, {"maxEvents=0&where=country%3DDE", "from 1 to"},
		{"maxEvents=20000000&where=country%3DDE", "from 1 to"}, {"filter=country&op=%3C&value=x", "choose =, !="}, {"filter=&value=x", "empty"},
		{"filter=page%3Dx&value=x", "has an operator"}} {
		if text := asHTML("/sites/shop?"+c.query, http.StatusUnprocessableEntity); !strings.Contains(text, c.says) {
			t.Errorf("%.80s: %s; want %s", c.query, text, c.says)
		}
	}
}

// The form of a new filter leads to the address that has it as all filters are there, with what else the address had.
func TestFormsLeadToOneAddress(t *testing.T) {
	h := handler(t, shopTable(t))
	values := url.Values{"filters": {"where=country%3DDE"}, "filter": {"page"}, "op": {"~="}, "value": {"a&b\r\nc\x00=\u202e"},
		"pages": {"exits"}, "from": {"-3d"}}
	r, _ := ask(t, h, "/sites/shop?"+values.Encode(), "Accept", "text/html")
	to, err := url.Parse(r.Header().Get("Location"))
	if err != nil || r.Code != http.StatusSeeOther || to.Path != "/sites/shop" {
		t.Fatalf("%d: leads to %s, %v", r.Code, r.Header().Get("Location"), err)
	}
	want := url.Values{"where": {"country=DE", "page~=a&b\r\nc\x00=\u202e"}, "pages": {"exits"}, "from": {"-3d"}}
	if to.Query().Encode() != want.Encode() {
		t.Errorf("leads to %v, want %v", to.Query(), want)
	}
}

// A field may have several values, as --where may, and a country be written by its name.
func TestFilterFormTakesSeveralValuesAndNamesOfCountries(t *testing.T) {
	h := handler(t, shopTable(t))
	for form, want := range map[string]string{"filter=country&op=%3D&value=germany": "where=country%3DDE",
		"filter=country&op=!%3D&value=St.+Kitts+%26+Nevis": "where=country%21%3DKN",
		"filter=country&op=%5E%3D&value=Germany":           "where=country%5E%3DGermany",
		"filter=city&op=%3D&value=Germany":                 "where=city%3DGermany", "filter=country&value=Germ": "where=country%3DGerm",
		"filter=country&value=DE,+Austria,CH,": "where=country%3DAT%2CCH%2CDE",
		"filter=page&op=%5E%3D&value=/b,/a":    "where=page%5E%3D%2Fa%2C%2Fb",
		"filter=city&value=Washington,+D.C.":   "where=city%3D%22Washington%2C+D.C.%22"} {
		r, _ := ask(t, h, "/sites/shop?"+form, "Accept", "text/html")
		if got := r.Header().Get("Location"); got != "/sites/shop?"+want {
			t.Errorf("%s leads to %s, want %s", form, got, want)
		}
	}
}

// A filtered page has the command that saves its filters, quoted for a shell, for those who may have commands.
func TestFilteredPagesHaveTheCommandOfASegment(t *testing.T) {
	h := handler(t, shopTable(t))
	g, _ := sharedServer(t, someDays)
	const command = `footfall segment create shop NAME --where 'country=AT,DE' --where 'page^=/it'\''s$HOME'`
	filtered := "/sites/shop?" + url.Values{"where": {"country=AT,DE", "page^=/it's$HOME"}}.Encode()
	link := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	locked := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: []access.Filter{{"country=", "AT", "DE", "CH"}}}})
	for _, c := range []struct {
		h       http.Handler
		address string
		shown   bool
	}{
		{h, filtered, true}, {h, strings.Replace(filtered, "?", "/top/page?", 1), true}, {h, "/sites/shop", false},
		{h, "/sites/shop?where=page%3Da%E2%80%AEb", false}, {g.Handler, link + filtered, false}, {g.Handler, locked + filtered, false},
	} {
		r, text := ask(t, c.h, c.address, "Accept", "text/html")
		if text = html.UnescapeString(text); r.Code != http.StatusOK || strings.Contains(text, "segment create") != c.shown ||
			c.shown && !strings.Contains(text, "<code>"+command+"</code>") {
			t.Errorf("%s: %d: the command is shown: %v, want %v", c.address, r.Code, strings.Contains(text, "segment create"), c.shown)
		}
	}
}
