package sinks

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// escape makes an id a segment of a key: '%', '#' and control characters are percent-encoded, and what would
// pass maxSegmentBytes is cut, followed by "%~" and a hash of the whole. Escaped text never holds "%~", so no
// short id spells a cut one. Different ids have different segments; the hash is 128 bits of SHA-256.
func escape(s string) string {
	n := 0 // bytes that need escaping
	for i := 0; i < len(s); i++ {
		if mustEscape(s[i]) {
			n++
		}
	}
	if n == 0 && len(s) <= maxSegmentBytes {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; mustEscape(c) {
			const digits = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	e := b.String()
	if len(e) <= maxSegmentBytes {
		return e
	}
	sum := sha256.Sum256([]byte(s))
	tail := "%~" + hex.EncodeToString(sum[:16])
	return cut(e, maxSegmentBytes-len(tail)) + tail
}

func mustEscape(c byte) bool { return c == '%' || c == '#' || c < 0x20 || c == 0x7f }

// cut returns at most n bytes of escaped text, ending neither inside a rune nor inside an escape.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if n >= 1 && s[n-1] == '%' {
		return s[:n-1]
	}
	if n >= 2 && s[n-2] == '%' {
		return s[:n-2]
	}
	return s[:n]
}
