package show

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ids, pages and names come from producers, and a terminal obeys some of their characters: controls move the cursor or
// set the title, and bidirectional formatting shows a text in another order than it has. They are escaped as in JSON.

// hidden reports whether a terminal may obey r: controls of C0 and C1, delete, and bidirectional formatting.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u061c' || r == '\u200e' || r == '\u200f' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r &&
		r <= '\u2069'
}

// escape returns s with hidden characters escaped, but for those in except. Invalid UTF-8 is escaped by the byte.
func escape(s, except string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(r) && !strings.ContainsRune(except, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Plain returns s with all characters escaped that a terminal may obey, but for line breaks and tabs.
func Plain(s string) string { return escape(s, "\n\t") }

// PlainWriter passes on to w what is written to it as [Plain] does. The escapes are those of JSON strings, so a JSON
// document stays one. A rune may be split between two writes.
func PlainWriter(w io.Writer) io.Writer { return &plainWriter{w: w} }

type plainWriter struct {
	w    io.Writer
	rest []byte // the beginning of a rune
}

func (p *plainWriter) Write(b []byte) (int, error) {
	text := append(p.rest, b...)
	end := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				end = len(text) - i
			}
			break
		}
	}
	p.rest = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(p.w, Plain(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// number is a cell that a spreadsheet may take for a number, whatever it begins with.
var number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)

// spreadsheetSafe returns the text of a CSV cell so that a spreadsheet takes it for no formula, with hidden characters
// escaped.
func spreadsheetSafe(s string) string {
	safe := escape(s, "")
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) && !number.MatchString(s) {
		return "'" + safe
	}
	return safe
}
