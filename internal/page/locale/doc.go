// Package locale has the texts of the page, and its numbers, dates and names of countries, in the languages of its readers. What it spells
// has marks where languages differ. [SpelledHTML] puts the signs of a language in their places when the document is complete.
//
//	spelled.go                texts and signs of a language in the places of marks
//	say.go, texts_*.go        texts by their English ones
//	language.go               the signs of languages, by their tags
//	marks.go                  the marks, and texts from outside without them
//	numbers.go, dates.go      numbers, spans, instants and ranges
//	countries.go              names of countries, and their codes
package locale
