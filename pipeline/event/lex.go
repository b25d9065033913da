package event

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// scanString returns the index of the quote that ends the string whose contents begin at b[i], and whether there is a
// backslash in it; what follows the backslashes is for unescape to judge. The index is -1 if the string
// does not end, or holds a control character or invalid UTF-8.
func scanString(b []byte, i int) (quote int, escaped bool) {
	from := i
	var seen uint64 // the words that were read, or'ed: all bytes of the string, and some after it
	for {
		for ; len(b)-i >= 8; i += 8 {
			word := binary.LittleEndian.Uint64(b[i:])
			seen |= word
			if s := stops(word); s != 0 {
				i += bits.TrailingZeros64(s) / 8
				break
			}
		}
		for ; i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20; i++ {
			seen |= uint64(b[i])
		}
		switch {
		case i >= len(b):
			return -1, false
		case b[i] == '"':
			if seen&highBits != 0 && !utf8.Valid(b[from:i]) {
				return -1, false
			}
			return i, escaped
		case b[i] != '\\':
			return -1, false
		}
		escaped = true
		i += 2
	}
}

const highBits = 0x8080808080808080

// stops returns a word with the high bit of each byte at which a string ends or an escape begins: a quote, a backslash or a control
// character. It is right up to the first such byte; after it there may be more.
//
// The bytes are c with c^2 < 0x21, which are the quote and what is below 0x20, and c with c^'\\' < 1. Of the bytes below 0x80,
// subtracting sets the high bit of these, and of one above them that they borrow from.
func stops(word uint64) uint64 {
	const ones = 0x0101010101010101
	return (((word ^ 2*ones) - 0x21*ones) | ((word ^ '\\'*ones) - ones)) &^ word & highBits
}

// scanNumber returns where the JSON number that begins at b[i] ends, -1 if there is none.
func scanNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	default:
		if i = skipDigits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = skipDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return skipDigits(b, i)
	}
	return i
}

// skipDigits returns the end of the digits from b[i] on, -1 if there is none.
func skipDigits(b []byte, i int) int {
	from := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

func skipSpace(b []byte, i int) int {
	const spaces = 1<<' ' | 1<<'\n' | 1<<'\r' | 1<<'\t'
	for i < len(b) && b[i] <= ' ' && spaces>>b[i]&1 != 0 {
		i++
	}
	return i
}

func skipLiteral(b []byte, i int, literal string) int {
	if end := i + len(literal); end <= len(b) && string(b[i:end]) == literal {
		return end
	}
	return -1
}
