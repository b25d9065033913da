package event

import "github.com/go-json-experiment/json/jsontext"

// URLs returns the siteId of a record, nil if there is none, and where its url and its referrer are, quotes included. value is
// valid JSON or the beginning of it. A value that is no object has neither.
func URLs(value []byte) (siteID []byte, urls []Span) {
	var t topLevelTexts
	t.find(value)
	return t.site, t.urls
}

// Span is a part of a value, [From, To).
type Span struct{ From, To int }

// topLevelTexts are the strings of a record that decide about its queries.
type topLevelTexts struct {
	site []byte // the siteId, unquoted; nil: there is none
	urls []Span
}

// find looks through the members of the object in value, which is valid JSON or the beginning of it. It finds nothing in any
// other value.
func (t *topLevelTexts) find(value []byte) {
	depth := 0
	for i := 0; i < len(value); {
		switch value[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			key := Span{i, stringEnd(value, i)}
			i = key.To
			if depth != 1 {
				continue
			}
			colon := skipSpace(value, i)
			if colon == len(value) || value[colon] != ':' { // An element of an array.
				continue
			}
			i = skipSpace(value, colon+1)
			if i < len(value) && value[i] == '"' {
				text := Span{i, stringEnd(value, i)}
				t.member(value, key, text)
				i = text.To
			}
			continue
		}
		i++
	}
}

// member takes in a member whose value is a string.
func (t *topLevelTexts) member(value []byte, key, text Span) {
	name, _ := jsontext.AppendUnquote(nil, value[key.From:key.To])
	switch fieldOf(name) {
	case fieldSiteID:
		t.site, _ = jsontext.AppendUnquote(nil, value[text.From:text.To])
	case fieldURL, fieldReferrer:
		t.urls = append(t.urls, text)
	}
}

// stringEnd returns where the string that begins at from ends: at the end of value if that is within it.
func stringEnd(value []byte, from int) int {
	for i := from + 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(value)
}
