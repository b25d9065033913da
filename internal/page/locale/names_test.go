package locale

import (
	"testing"
)

// Countries have their names in the language of the page, with the code beside them. What is no code is as it was sent.
func TestCountriesHaveNames(t *testing.T) {
	for _, c := range []struct{ value, tag, want string }{{"DE", "", "Germany"}, {"DE", "de-AT", "Deutschland"}, {"DE", "fr", "Allemagne"},
		{"DE", "es-419", "Alemania"}, {"DE", "xx", "Germany"}, {"KN", "en", "St. Kitts & Nevis"}, {"de", "de", "de"},
		{"Germany", "de", "Germany"},
		{"T1", "en", "T1"}, {"QQ", "en", "QQ"}, {"D" + markCountry, "de", `D\ufdd7`}} {
		if got := Spelled(Country(c.value), c.tag); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.value, c.tag, got, c.want)
		}
	}
	if got := SpelledHTML(Country("KN"), "en", "en"); got != "St. Kitts &amp; Nevis" {
		t.Errorf("a page has %s", got)
	}
}

// Someone may write the name of a country in the language of the page, or in English.
func TestCountriesAreFoundByTheirNames(t *testing.T) {
	for _, c := range []struct{ name, tag, want string }{{"germany", "fr", "DE"}, {" Allemagne ", "fr", "DE"}, {"Allemagne", "de", ""},
		{"DE", "en", ""}, {"Côte d’Ivoire", "xx", "CI"}} {
		if got := CountryCode(c.name, c.tag); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.name, c.tag, got, c.want)
		}
	}
}

// The name of a country leads to the code that is in use, not to one that it replaced, such as FX of France.
func TestNamesOfCountriesLeadToCodesInUse(t *testing.T) {
	found := 0
	for base, codes := range codesByName {
		for name, code := range codes() {
			found++
			if got := CountryCode(countryName(code, base), base); got != code {
				t.Errorf("%s in %s: %s, want %s", name, base, got, code)
			}
		}
	}
	if found < 4*240 {
		t.Errorf("%d names in four languages: countries are missing", found)
	}
	for name, want := range map[string]string{"France": "FR", "United Kingdom": "GB", "Panama": "PA", "Benin": "BJ", "Burkina Faso": "BF",
		"Timor-Leste": "TL", "Congo - Kinshasa": "CD", "Germany": "DE", "Vietnam": "VN", "Myanmar (Burma)": "MM"} {
		if got := CountryCode(name, "en"); got != want {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
}
