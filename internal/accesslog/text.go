package accesslog

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ValidText spells bytes that are not UTF-8 as escape and two hex digits: no two texts become one by a common replacement character.
func ValidText(text []byte, escape string) []byte {
	if utf8.Valid(text) {
		return text
	}
	var b []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			b = append(append(b, escape...), strings.ToUpper(hex.EncodeToString(text[:1]))...)
		} else {
			b = append(b, text[:n]...)
		}
		text = text[n:]
	}
	return b
}

// quote spells a text for people.
func quote(text []byte) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(string(text[:most]), "") + "…")
	}
	return strconv.Quote(string(text))
}

// unescape undoes the backslashes of a quoted text as Apache (\" \\ \n \t \xhh) and nginx (\xHH) write them. One that begins no known
// escape is kept.
func (v *values) unescape(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	from := len(v.scratch)
	b := v.scratch
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b = append(b, text[i])
			continue
		}
		i++
		switch text[i] {
		case '"', '\\':
			b = append(b, text[i])
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'x':
			if c, ok := hexByte(text[i+1:]); ok {
				b = append(b, c)
				i += 2
				continue
			}
			fallthrough
		default:
			b = append(b, '\\', text[i])
		}
	}
	v.scratch = b
	return b[from:len(b):len(b)]
}

// hexByte reads the two hex digits that a text begins with.
func hexByte(text []byte) (byte, bool) {
	if len(text) < 2 {
		return 0, false
	}
	a, ok := hexDigit(text[0])
	b, also := hexDigit(text[1])
	return a<<4 | b, ok && also
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// percent undoes percent-encoding; where twice is set, %25 alone, before two hex digits. What is broken is kept.
func (v *values) percent(text []byte, doubled bool) []byte {
	if bytes.IndexByte(text, '%') < 0 {
		return text
	}
	from := len(v.scratch)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if x, ok := hexByte(text[i+1:]); c == '%' && ok {
			if _, again := hexByte(text[min(i+3, len(text)):]); !doubled || x == '%' && again {
				c = x
				i += 2
			}
		}
		v.scratch = append(v.scratch, c)
	}
	return v.scratch[from:len(v.scratch):len(v.scratch)]
}
