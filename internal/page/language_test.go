package page

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/query"
)

// A page in a language has its texts, numbers and dates in it. What others wrote stays as it is, also if it has a mark.
func TestPageIsOfALanguage(t *testing.T) {
	v := view("1,234.5 Mar\ufdd2\ufdd81\ufdda\ufdd7DE\ufdd7")
	v.At.Language = "de-DE"
	v.At.Where = []query.Condition{{Dimension: "page", Op: query.Is, Values: []string{"/4 Mar\ufdd2"}}}
	v.Filtering = &Filtering{Scope: query.ScopeEvents}
	page := siteOf(t, v)
	wantAll(t, page, `<html lang="de" data-language="de">`, "10. Mai 2026 – 13. Mai 2026", "<strong>1.234.567</strong>", "~54.321",
		"Gelesen um 00:00:00, für 12,5 Leseeinheiten.", `<bdi title="1,234.5 Mar\ufdd2\ufdd81\ufdda\ufdd7DE\ufdd7">`, `/4 Mar\ufdd2`)
	v.At.Language = ""
	wantAll(t, siteOf(t, v), `<html lang="en">`, "10 May 2026 – 13 May 2026", "<strong>1,234,567</strong>", "for 12.5 read units.")
	for name, page := range pages(t, "plain") {
		if strings.ContainsFunc(page, func(r rune) bool { return 0xfdd0 <= r && r <= 0xfdef }) {
			t.Errorf("%s has marks", name)
		}
	}
}
