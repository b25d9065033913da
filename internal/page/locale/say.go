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
var Translations = map[string]map[string]string{"de": together(titled(0), germanTexts, germanSentences),
	"es": together(titled(1), spanishTexts, spanishSentences), "fr": together(titled(2), frenchTexts, frenchSentences)}

func together(titles, texts, sentences map[string]string) map[string]string {
	maps.Copy(titles, texts)
	maps.Copy(titles, sentences)
	return titles
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
// in all languages. {visitor|visitors} is the first of both where the number before it is one, or that after it if there is none before.
func Say(english string, about ...any) string {
	n, ok := numbers[english]
	if !ok {
		parts := make([]string, len(about))
		for i, a := range about {
			parts[i] = fmt.Sprint(a)
		}
		return filled(english, "", parts)
	}
	var b strings.Builder
	b.WriteString(markSay + strconv.Itoa(n))
	for _, a := range about {
		b.WriteString(markAbout + fmt.Sprint(a))
	}
	b.WriteString(markSayEnd)
	return b.String()
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
	return filled(escape(text), base, about)
}

// place is where a text has something that it is about, or forms of words.
var place = regexp.MustCompile(`%(\[[1-9]\])?s|\{[^{}|]*\|[^{}|]*\}`)

// filled is a text in a language with what it is about.
func filled(text, base string, about []string) string {
	next, last := 0, 0
	return place.ReplaceAllStringFunc(text, func(verb string) string {
		if one, more, ok := strings.Cut(strings.Trim(verb, "{}"), "|"); ok {
			switch {
			case last >= len(about), strings.HasPrefix(about[last], "{"): // A script chooses.
				return verb
			case isOne(about[last], base):
				return one
			}
			return more
		}
		n := next
		if next++; len(verb) > 2 {
			n = int(verb[2] - '1')
		}
		if last = n; n >= len(about) {
			return verb
		}
		return about[n]
	})
}

// isOne reports whether a number goes with the singular: in French all below two do.
func isOne(number, base string) bool {
	if base != "fr" {
		return number == "1"
	}
	whole, _, _ := strings.Cut(strings.TrimPrefix(number, "−"), markPoint)
	return whole == "0" || whole == "1"
}
