package locale

import (
	"regexp"
	"testing"
)

// noCount are the texts with a word after what is no number, or a number that is never one.
var noCount = regexp.MustCompile(`^(%s (by|of|or|to|as a) |.*(busiest|greatest of|last %s minutes|from %s on|first %s are))`)

// Each noun after a number is spelled for one and for several of it, in all languages.
func TestNounsAreSpelledForOneAndForSeveral(t *testing.T) {
	word := regexp.MustCompile(`%s (\pL+ )?(\pL|\{)`)
	forms := regexp.MustCompile(`\{[^{}|]+\|[^{}|]+\}`)
	for tag, of := range Translations {
		for english, own := range of {
			n := len(word.FindAllString(english, -1))
			if n == 0 || noCount.MatchString(english) && !forms.MatchString(english) {
				continue
			}
			if len(forms.FindAllString(english, -1)) < n || !forms.MatchString(own) {
				t.Errorf("%q, in %s %q: want {one|several} after each number", english, tag, own)
			}
		}
	}
}

func TestTextsAgreeWithTheirNumbers(t *testing.T) {
	const text = "last 5 minutes: %s {visitor|visitors}, %s page {view|views}"
	for _, c := range []struct{ tag, visitors, views, want string }{
		{"en", "1", "2", "last 5 minutes: 1 visitor, 2 page views"},
		{"en", "0", "1", "last 5 minutes: 0 visitors, 1 page view"},
		{"de", "1", "1", "letzte 5 Minuten: 1 Besucher, 1 Seitenaufruf"},
		{"es", "0", "1", "últimos 5 minutos: 0 visitantes, 1 página vista"},
		{"fr", "0", "1", "5 dernières minutes\u00a0: 0 visiteur, 1 page vue"},
		{"fr", "2", "21", "5 dernières minutes\u00a0: 2 visiteurs, 21 pages vues"},
		{"en", "{0}", "{1}", "last 5 minutes: {0} {visitor|visitors}, {1} page {view|views}"}, // The script chooses.
	} {
		if got := Spelled(Say(text, c.visitors, c.views), c.tag); got != c.want {
			t.Errorf("%s: %q, want %q", c.tag, got, c.want)
		}
	}
	for tag, want := range map[string]string{"en": "1.0 points", "fr": "1,0 point", "de": "1,0 Prozentpunkte"} {
		if got := Spelled(Say("%s {point|points}", Decimals(1, 1)), tag); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	const missing = "%s raw {event is|events are} missing."
	if got, more := Spelled(Say(missing, Count(1)), "es"), Spelled(Say(missing, Count(1001)), "es"); got != "Falta 1 evento sin procesar." ||
		more != "Faltan 1001 eventos sin procesar." {
		t.Errorf("a word before its number: %q, %q", got, more)
	}
}
