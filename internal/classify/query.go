package classify

import (
	"bytes"
	"unicode/utf8"
)

// maxValueBytes is how much of a utm parameter's value is kept.
const maxValueBytes = 128

// A query holds what the rules look at in a url's query, as it is spelled.
type query struct {
	source, medium, campaign, content, term param
	click                                   click
}

// A param is a parameter's value; an empty one that is given counts as given.
type param struct {
	raw   []byte
	given bool
}

// first takes the value unless there is one already.
func (p *param) first(value []byte) {
	if !p.given {
		p.raw, p.given = value, true
	}
}

// A click says that the url has an id by which Google or Microsoft tells a click on an advertisement. Theirs are the
// only ones that stand for advertisements alone; Facebook's fbclid, for one, is on every link.
type click uint8

const (
	noClick click = iota
	searchClick
	displayClick
)

// readQuery reads the parameters that have a meaning. Their names are compared byte by byte, as they are spelled.
func readQuery(url []byte) (q query) {
	for rest := queryOf(url); len(rest) > 0; {
		var name, value []byte
		name, value, rest = nextParam(rest)
		switch string(name) {
		case "utm_source":
			q.source.first(value)
		case "utm_medium":
			q.medium.first(value)
		case "utm_campaign":
			q.campaign.first(value)
		case "utm_content":
			q.content.first(value)
		case "utm_term":
			q.term.first(value)
		case "gclid", "gbraid", "wbraid", "msclkid":
			q.click = searchClick
		case "dclid":
			if q.click == noClick {
				q.click = displayClick
			}
		}
	}
	return q
}

// queryOf returns what is between the question mark and the fragment.
func queryOf(url []byte) []byte {
	if i := bytes.IndexByte(url, '#'); i >= 0 {
		url = url[:i]
	}
	_, query := cutByte(url, '?')
	return query
}

func nextParam(query []byte) (name, value, rest []byte) {
	pair, rest := cutByte(query, '&')
	name, value = cutByte(pair, '=')
	return name, value, rest
}

// cutByte is bytes.Cut at a byte, in half the time.
func cutByte(text []byte, at byte) (before, after []byte) {
	if i := bytes.IndexByte(text, at); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// appendValue appends the decoded value: "+" is a space, %XX a byte, and an escape that is none stays as it is.
//
// Text never gets shorter by the replacement of invalid bytes. So what is decoded beyond the limit is looked at only to
// see whether the rune that begins before it ends before it.
func appendValue(dst, raw []byte) []byte {
	var decoded [maxValueBytes + utf8.UTFMax]byte
	n := 0
	for i := 0; i < len(raw) && n < len(decoded); n++ {
		decoded[n] = raw[i]
		switch {
		case raw[i] == '+':
			decoded[n] = ' '
		case raw[i] == '%' && i+2 < len(raw) && isHex(raw[i+1]) && isHex(raw[i+2]):
			decoded[n] = unhex(raw[i+1])<<4 | unhex(raw[i+2])
			i += 2
		}
		i++
	}
	return appendText(dst, decoded[:n], maxValueBytes)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
