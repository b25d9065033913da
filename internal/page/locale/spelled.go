package locale

import (
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
)

// Spelled returns a text with the signs of a language instead of marks. A language that is not known has those of English.
func Spelled(s, tag string) string {
	return spelledIn(s, tag, BaseOf(tag), func(s string) string { return s })
}

// SpelledHTML is spelled of a document whose texts are in a language: they have special characters escaped.
func SpelledHTML(s, tag, words string) string {
	return spelledIn(s, tag, words, template.HTMLEscapeString)
}

func spelledIn(s, tag, words string, escape func(string) string) string {
	if tag = Known(tag); tag == "" {
		tag = "en"
	}
	parts := strings.Split(said(s, words, escape), markCountry)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = escape(countryName(parts[i], words))
	}
	return languages[tag].Replace(strings.Join(parts, ""))
}

// InEnglish is a text as what is no page has it.
func InEnglish(s string) string { return Spelled(s, "en") }
