package locale

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Translations are the texts of the other languages by those in English. Each has all.
var Translations = map[string]map[string]string{"de": both(germanTexts, germanSentences), "fr": both(frenchTexts, frenchSentences),
	"es": both(spanishTexts, spanishSentences)}

func both(texts, sentences map[string]string) map[string]string {
	maps.Copy(texts, sentences)
	return texts
}

// texts are all texts in English, and numbers where each is among them.
var texts, numbers = func() ([]string, map[string]int) {
	all := slices.Sorted(maps.Keys(Translations["de"]))
	of := make(map[string]int, len(all))
	for i, t := range all {
		of[t] = i
	}
	return all, of
}()

// Say is a text with what it is about in the places of %s, in their order, or of %[1]s and %[2]s. A text that has no translation is English
// in all languages.
func Say(english string, about ...any) string {
	n, ok := numbers[english]
	if !ok {
		parts := make([]string, len(about))
		for i, a := range about {
			parts[i] = fmt.Sprint(a)
		}
		return filled(english, parts)
	}
	var b strings.Builder
	b.WriteString(markSay + strconv.Itoa(n))
	for _, a := range about {
		b.WriteString(markAbout + fmt.Sprint(a))
	}
	b.WriteString(markSayEnd)
	return b.String()
}

// SayCount is one of two texts about a number.
func SayCount(n int64, one, more string, about ...any) string {
	if n == 1 {
		return Say(one, about...)
	}
	return Say(more, about...)
}

// said returns what say has written, with its texts in a language.
func said(s, base string, escape func(string) string) string {
	if !strings.Contains(s, markSay) {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, markSay)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		parts, after := sayParts(rest)
		b.WriteString(textIn(parts, base, escape))
		s = after
	}
}

// sayParts splits what follows markSay into the number of a text, what it is about, and what follows all of it. What a text is about may
// be a text itself.
func sayParts(s string) (parts []string, after string) {
	depth, start := 0, 0
	for i, r := range s {
		switch string(r) {
		case markSay:
			depth++
		case markAbout:
			if depth == 0 {
				parts, start = append(parts, s[start:i]), i+len(markAbout)
			}
		case markSayEnd:
			if depth == 0 {
				return append(parts, s[start:i]), s[i+len(markSayEnd):]
			}
			depth--
		}
	}
	return append(parts, s[start:]), "" // It was cut, which no page does.
}

// textIn is a text in a language.
func textIn(parts []string, base string, escape func(string) string) string {
	n, err := strconv.Atoi(parts[0])
	if err != nil || n >= len(texts) {
		return ""
	}
	text := texts[n]
	if own := Translations[base][text]; own != "" {
		text = own
	}
	about := make([]string, len(parts)-1)
	for i, p := range parts[1:] {
		about[i] = said(p, base, escape)
	}
	return filled(escape(text), about)
}

// place is where a text has something that it is about.
var place = regexp.MustCompile(`%(\[[1-9]\])?s`)

// filled is a text with what it is about.
func filled(text string, about []string) string {
	next := 0
	return place.ReplaceAllStringFunc(text, func(verb string) string {
		n := next
		if next++; len(verb) > 2 {
			n = int(verb[2] - '1')
		}
		if n >= len(about) {
			return verb
		}
		return about[n]
	})
}
