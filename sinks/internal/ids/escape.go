// Package ids spells ids as segments of keys, and back.
package ids

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxBytes bounds the segments of keys that ids make.
const MaxBytes = 256

// Escape makes an id a segment of a key: '%', '#' and control characters are percent-encoded, and what would
// pass MaxBytes is cut, followed by "%~" and a hash of the whole. Escaped text never holds "%~", so no
// short id spells a cut one. Different ids have different segments; the hash is 128 bits of SHA-256.
func Escape(s string) string {
	n := 0 // bytes that need escaping
	for i := 0; i < len(s); i++ {
		if mustEscape(s[i]) {
			n++
		}
	}
	if n == 0 && len(s) <= MaxBytes {
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
	if len(e) <= MaxBytes {
		return e
	}
	sum := sha256.Sum256([]byte(s))
	tail := "%~" + hex.EncodeToString(sum[:16])
	return cut(e, MaxBytes-len(tail)) + tail
}

// An id that footfall's own hashing of visitors makes, or a UUID, is 16 bytes: its segment is a mark and their base64url, 24 characters. No
// escape begins so. Other spellings of such ids, as with capitals, are other ids, and are escaped.
const (
	hexMark  = "%x" // 32 lower-case hex digits
	uuidMark = "%u" // and with hyphens, as a UUID has them

	idBytes      = 16
	compactBytes = 2 + 22
)

// EscapeID makes a segment of the id of a session, a visitor or a user, as Escape does, but for ids of 16 bytes.
func EscapeID(s string) string {
	var room [compactBytes]byte
	return string(AppendID(room[:0], s))
}

// AppendID appends what EscapeID returns.
func AppendID(b []byte, s string) []byte {
	bytes, uuid, ok := Binary(s)
	if !ok {
		return append(b, Escape(s)...)
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

// compacted reports whether a segment is one that EscapeID makes of 16 bytes.
func compacted(segment string) bool {
	return strings.HasPrefix(segment, hexMark) || strings.HasPrefix(segment, uuidMark)
}

// Binary returns the bytes of an id that is a UUID, or 32 hex digits, in lower case; ok is false for any other id.
func Binary(id string) (b [idBytes]byte, uuid, ok bool) {
	mark := hexMark
	switch len(id) {
	case 2 * idBytes:
	case 2*idBytes + 4:
		mark = uuidMark
	default:
		return b, false, false
	}
	ok = readHex(&b, id, mark)
	return b, mark == uuidMark, ok
}

// Spell returns the id that Binary read.
func Spell(b [idBytes]byte, uuid bool) string {
	id := hex.EncodeToString(b[:])
	if uuid {
		id = id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
	}
	return id
}

// ShortMark begins the hash in a segment that was shortened.
const ShortMark = "%~"

// Unescape reads what Escape spelled. Of a segment that was shortened it returns the beginning, and cut is set.
func Unescape(s string) (id string, cut bool, err error) {
	if compacted(s) {
		id, err = expand(s)
		return id, false, err
	}
	s, _, cut = strings.Cut(s, ShortMark)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", cut, fmt.Errorf("%q ends inside an escape", s)
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", cut, fmt.Errorf("%q: %w", s, err)
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), cut, nil
}

// expand reads such a segment.
func expand(segment string) (id string, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(segment[len(hexMark):])
	if err != nil || len(b) != idBytes {
		return "", fmt.Errorf("%q is no id of %d bytes", segment, idBytes)
	}
	return Spell([idBytes]byte(b), segment[:len(hexMark)] == uuidMark), nil
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
