package locale

import (
	"strings"
	"testing"
	"time"
)

// Numbers and dates are those of the language that a viewer's token names. One that is not known has those of English.
func TestNumbersAndDatesAreOfALanguage(t *testing.T) {
	at := time.Date(2026, 3, 4, 15, 4, 5, 0, time.UTC)
	written := strings.Join([]string{Count(-1234), Count(1234567), Decimal("12345.5"), Percent(0.1234), Spell(at, "Mon 2 Jan 2006, 15:04"),
		Spell(at, "January 2006"), Spell(at.AddDate(0, 2, 0), "2 Jan"), Spell(at.AddDate(0, 2, 0), "Jan 2006")}, " | ")
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
		if got := Spelled(written, tag); got != want {
			t.Errorf("%q:\n got %s\nwant %s", tag, got, want)
		}
	}
}
