package sinks

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
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

// An id that footfall's own hashing of visitors makes, or a UUID, is 16 bytes: its segment is a mark and their base64url, 24 characters. No
// escape begins so. Other spellings of such ids, as with capitals, are other ids, and are escaped.
const (
	hexMark  = "%x" // 32 lower-case hex digits
	uuidMark = "%u" // and with hyphens, as a UUID has them

	idBytes      = 16
	compactBytes = 2 + 22
)

// escapeID makes a segment of the id of a session, a visitor or a user, as escape does, but for ids of 16 bytes.
func escapeID(s string) string {
	var room [compactBytes]byte
	return string(appendID(room[:0], s))
}

// appendID appends what escapeID returns.
func appendID(b []byte, s string) []byte {
	bytes, uuid, ok := BinaryID(s)
	if !ok {
		return append(b, escape(s)...)
	}
	return appendCompact(b, bytes, uuid)
}

// appendCompact appends the segment of an id of 16 bytes.
func appendCompact(b []byte, id [idBytes]byte, uuid bool) []byte {
	mark := hexMark
	if uuid {
		mark = uuidMark
	}
	return base64.RawURLEncoding.AppendEncode(append(b, mark...), id[:])
}

const noHexDigit = 0xFF

// hexDigits maps lower-case hex digits to their values, and all else to noHexDigit. Branches on random digits would be mispredicted.
var hexDigits = func() (values [256]byte) {
	for i := range values {
		values[i] = noHexDigit
	}
	for i, c := range []byte("0123456789abcdef") {
		values[c] = byte(i)
	}
	return values
}()

// readHex reads the lower-case hex digits of an id, and reports whether it is spelled so.
func readHex(bytes *[idBytes]byte, s, mark string) bool {
	n := 0
	for i := range len(s) {
		c := s[i]
		if mark == uuidMark && (i == 8 || i == 13 || i == 18 || i == 23) {
			if c != '-' {
				return false
			}
			continue
		}
		digit := hexDigits[c]
		if digit == noHexDigit {
			return false
		}
		bytes[n/2] |= digit << (4 * (1 - n%2))
		n++
	}
	return true
}

// compacted reports whether a segment is one that escapeID makes of 16 bytes.
func compacted(segment string) bool {
	return strings.HasPrefix(segment, hexMark) || strings.HasPrefix(segment, uuidMark)
}

// expand reads such a segment.
func expand(segment string) (id string, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(segment[len(hexMark):])
	if err != nil || len(b) != idBytes {
		return "", fmt.Errorf("%q is no id of %d bytes", segment, idBytes)
	}
	return SpellID([idBytes]byte(b), segment[:len(hexMark)] == uuidMark), nil
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
