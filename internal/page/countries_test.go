package page

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
)

// Lists and filters name countries, in the language of the page. Links, and titles that are pointed at, have the code.
func TestPagesNameCountries(t *testing.T) {
	v := view("shop")
	for i := range v.Tops {
		if v.Tops[i].Dimension == "country" {
			v.Tops[i].Rows[0].Value = "DE"
		}
	}
	wantAll(t, siteOf(t, v), `where=country%3DDE"><bdi title="DE">Germany <small>DE</small></bdi></a>`)
	v.At.Language = "fr"
	v.At.Where = []query.Condition{of("country", query.IsNot, "US"), of("country", query.Begins, "U")}
	v.Filtering = &Filtering{Scope: query.ScopeSessions}
	wantAll(t, siteOf(t, v), `<bdi title="DE">Allemagne <small>DE</small></bdi>`, "<bdi>États-Unis</bdi>", "<bdi>U</bdi>")
	at := links.Address{Look: v.At.Look, Site: "shop", Values: map[string]string{"search": "ALLEM"}}
	a := query.TopAnswer{Dimension: "country", Sort: "uniqueVisitors", Rows: []query.TopRow{{Value: "DE"}, {Value: "US"}}}
	var b bytes.Buffer
	if err := Top(&b, TopView{At: at, Answer: a}); err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(b.String())
	wantAll(t, page, `<bdi title="DE">Allemagne <small>DE</small></bdi>`)
	if strings.Contains(page, "États-Unis") {
		t.Error("a search finds another country")
	}
}

// Lists and filters show hosts as people write them. Links have the punycode that is counted.
func TestPagesDecodePunycode(t *testing.T) {
	v := view("shop")
	for i := range v.Tops {
		if v.Tops[i].Dimension == "referrer" {
			v.Tops[i].Rows[0].Value = "xn--mnchen-3ya.example"
		}
	}
	v.At.Where = []query.Condition{{Dimension: "hostname", Op: query.Is, Values: []string{"xn--e1afmkfd.xn--p1ai"}}}
	v.Filtering = &Filtering{Scope: query.ScopeSessions}
	wantAll(t, siteOf(t, v), `where=referrer%3Dxn--mnchen-3ya.example"`, "münchen.example</bdi>", "пример.рф</bdi>")
}
