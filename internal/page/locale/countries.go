package locale

import (
	"strings"
	"sync"

	tags "golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// regionNames are the names of countries by the languages that a page can be in. Only their tables are linked.
var regionNames = map[string]*display.Dictionary{"en": display.English, "de": display.German, "fr": display.French, "es": display.Spanish}

// IsCountry reports whether a value is spelled as a code of ISO 3166-1 that CLDR has a name for.
func IsCountry(value string) bool {
	if len(value) != 2 || value != strings.ToUpper(value) {
		return false
	}
	region, err := tags.ParseRegion(value)
	return err == nil && region.IsCountry()
}

// Country is a country, with a mark for its name in the language of the page. A value that is no code is as it was sent.
func Country(value string) string {
	if !IsCountry(value) {
		return Text(value)
	}
	return markCountry + value + markCountry
}

// countryName is the name of a country in a language.
func countryName(code, tag string) string {
	region, err := tags.ParseRegion(code)
	if err != nil {
		return code
	}
	if name := regionNames[BaseOf(tag)].Regions().Name(region); name != "" {
		return name
	}
	return code
}

// CountryCode is the code of the country whose name someone has written in a language, or in English, whatever the case of its letters; "":
// there is none.
func CountryCode(name, tag string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if code := codesByName[BaseOf(tag)]()[name]; code != "" {
		return code
	}
	return codesByName["en"]()[name]
}

// codesByName has the codes of all countries by their names in a language, in lower case. Codes that another has replaced, as FR has FX,
// are left out.
var codesByName = func() map[string]func() map[string]string {
	all := make(map[string]func() map[string]string)
	for base := range regionNames {
		all[base] = sync.OnceValue(func() map[string]string {
			codes := make(map[string]string)
			for a := 'A'; a <= 'Z'; a++ {
				for b := 'A'; b <= 'Z'; b++ {
					code := string([]rune{a, b})
					if region, err := tags.ParseRegion(code); err == nil && IsCountry(code) && region.Canonicalize().String() == code {
						codes[strings.ToLower(countryName(code, base))] = code
					}
				}
			}
			return codes
		})
	}
	return all
}()
