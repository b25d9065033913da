package page

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
)

// Numbers and dates are those of the language that a viewer's token names. One that is not known has those of English.
func TestNumbersAndDatesAreOfALanguage(t *testing.T) {
	at := time.Date(2026, 3, 4, 15, 4, 5, 0, time.UTC)
	written := strings.Join([]string{count(-1234), count(1234567), decimal("12345.5"), percent(0.1234), spell(at, "Mon 2 Jan 2006, 15:04"),
		spell(at, "January 2006"), spell(at.AddDate(0, 2, 0), "2 Jan"), spell(at.AddDate(0, 2, 0), "Jan 2006")}, " | ")
	for tag, want := range map[string]string{
		"":       "−1,234 | 1,234,567 | 12,345.5 | 12.3 % | Wed 4 Mar 2026, 15:04 | March 2026 | 4 May | May 2026",
		"en-US":  "−1,234 | 1,234,567 | 12,345.5 | 12.3 % | Wed 4 Mar 2026, 15:04 | March 2026 | 4 May | May 2026",
		"xx-DE":  "−1,234 | 1,234,567 | 12,345.5 | 12.3 % | Wed 4 Mar 2026, 15:04 | March 2026 | 4 May | May 2026",
		"de":     "−1.234 | 1.234.567 | 12.345,5 | 12,3 % | Mi. 4. März 2026, 15:04 | März 2026 | 4. Mai | Mai 2026",
		"DE-at":  "−1.234 | 1.234.567 | 12.345,5 | 12,3 % | Mi. 4. März 2026, 15:04 | März 2026 | 4. Mai | Mai 2026",
		"de-CH":  "−1’234 | 1’234’567 | 12’345.5 | 12.3 % | Mi. 4. März 2026, 15:04 | März 2026 | 4. Mai | Mai 2026",
		"fr-CA":  "−1\u202f234 | 1\u202f234\u202f567 | 12\u202f345,5 | 12,3 % | mer. 4 mars 2026, 15:04 | mars 2026 | 4 mai | mai 2026",
		"es":     "−1234 | 1.234.567 | 12.345,5 | 12,3 % | mié 4 mar 2026, 15:04 | marzo 2026 | 4 may | may 2026",
		"es-419": "−1,234 | 1,234,567 | 12,345.5 | 12.3 % | mié 4 mar 2026, 15:04 | marzo 2026 | 4 may | may 2026",
	} {
		if got := spelled(written, tag); got != want {
			t.Errorf("%q:\n got %s\nwant %s", tag, got, want)
		}
	}
}

// A page in a language has its texts, numbers and dates in it. What others wrote stays as it is, also if it has a mark.
func TestPageIsOfALanguage(t *testing.T) {
	v := view("1,234.5 Mar" + markShort + markSay + "1" + markSayEnd + markCountry + "DE" + markCountry)
	v.At.Language = "de-DE"
	v.At.Where = []query.Condition{{Dimension: "page", Op: query.Is, Value: "/4 Mar" + markShort}}
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
