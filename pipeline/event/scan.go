package event

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// maxScannedNames is how many keys the scanner remembers at once to find duplicates: the unknown ones of the
// record and those of each object that is open below it. Each new one is compared with all of its object.
const maxScannedNames = 32

// nameSpan is where a key stands in the record, without its quotes.
type nameSpan struct{ from, to int }

// scan is the fast path: it passes every field of the object in b to its rule and returns true, or returns false
// when b is not plain, having perhaps passed some. Plain is a valid record without escapes in keys, without
// duplicate keys, nested at most maxPropertiesDepth below a field, with few enough keys to compare. What it
// accepts the authority accepts, with the same fields; what it does not accept says nothing about the record.
func (d *Decoder) scan(b []byte, e *Event) bool {
	d.names, d.named = d.names[:0], 0
	next := 0       // the place in d.keys of the key that comes next if the record is like those before
	var seen uint32 // the known fields so far, a bit each
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	for {
		var f eventField
		value := i + 1
		if next < len(d.keys) && bytes.HasPrefix(b[value:], d.keys[next].spelled()) {
			f = d.keys[next].field
			value = skipSpace(b, value+int(d.keys[next].size))
			next++
			if value >= len(b) {
				return false
			}
		} else {
			var from, to int
			from, to, value = scanName(b, value)
			if value < 0 {
				return false
			}
			if f = fieldOf(b[from:to]); f != fieldUnknown {
				next = d.keyAfter(f, b[from:to], next)
			} else if !d.newName(b, 0, from, to) {
				return false
			}
		}
		if f != fieldUnknown && seen&(1<<f) != 0 {
			return false
		}
		seen |= 1 << f

		t, end := d.scanToken(b, value)
		if end < 0 {
			return false
		}
		d.assign(e, f, t)

		i = skipSpace(b, end)
		if i >= len(b) {
			return false
		}
		if b[i] != ',' {
			return b[i] == '}' && skipSpace(b, i+1) == len(b)
		}
	}
}

// knownKey is a key of the schema as producers spell it: in quotes, with the colon, without white space. Records of
// one producer have their keys in one order, and comparing with the key that is expected is faster than finding
// out which it is.
type knownKey struct {
	field eventField
	size  uint8
	text  [len(`"properties":`)]byte // the longest
}

func (k *knownKey) spelled() []byte { return k.text[:k.size] }

// keyAfter returns the index after the field's key in d.keys. It inserts a new key at the index next.
func (d *Decoder) keyAfter(f eventField, name []byte, next int) int {
	for i := range d.keys {
		if d.keys[i].field == f {
			return i + 1
		}
	}
	k := knownKey{field: f, size: uint8(len(name) + len(`"":`))}
	copy(k.text[1:], name)
	k.text[0], k.text[k.size-2], k.text[k.size-1] = '"', '"', ':'
	d.keys = slices.Insert(d.keys, next, k)
	return next + 1
}

// scanToken reads the value that begins at b[i] and returns it and where it ends, -1 if it is not plain.
func (d *Decoder) scanToken(b []byte, i int) (t jsonToken, end int) {
	switch c := b[i]; c {
	case '"':
		quote, escaped := scanString(b, i+1)
		if quote < 0 {
			return t, -1
		}
		if !escaped {
			return jsonToken{kind: '"', text: b[i+1 : quote : quote]}, quote + 1
		}
		text, err := d.unquote(b[i : quote+1])
		if err != nil {
			return t, -1
		}
		return jsonToken{kind: '"', text: text}, quote + 1
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end = scanNumber(b, i)
		t.kind = '0'
	default:
		end = d.skipValue(b, i, maxPropertiesDepth)
		t.kind = c
	}
	if end >= 0 {
		t.text = b[i:end:end]
	}
	return t, end
}

// skipValue returns where the value that begins at b[i] ends, or -1 if it is not plain or nested deeper than
// depth.
func (d *Decoder) skipValue(b []byte, i, depth int) int {
	switch b[i] {
	case '"':
		quote, escaped := scanString(b, i+1)
		if quote < 0 {
			return -1
		}
		if escaped {
			used := len(d.text)
			if _, err := d.unquote(b[i : quote+1]); err != nil {
				return -1
			}
			d.text = d.text[:used]
		}
		return quote + 1
	case '{':
		if depth == 0 {
			return -1
		}
		open := len(d.names)
		end := d.skipObject(b, i, depth)
		d.names = d.names[:open]
		return end
	case '[':
		if depth == 0 {
			return -1
		}
		return d.skipArray(b, i, depth)
	case 't':
		return skipLiteral(b, i, "true")
	case 'f':
		return skipLiteral(b, i, "false")
	case 'n':
		return skipLiteral(b, i, "null")
	}
	return scanNumber(b, i)
}

func (d *Decoder) skipObject(b []byte, i, depth int) int {
	open := len(d.names)
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		from, to, value := scanName(b, i)
		if value < 0 || !d.newName(b, open, from, to) {
			return -1
		}
		end := d.skipValue(b, value, depth-1)
		if end < 0 {
			return -1
		}
		i = skipSpace(b, end)
		switch {
		case i >= len(b):
			return -1
		case b[i] == '}':
			return i + 1
		case b[i] != ',':
			return -1
		}
		i++
	}
}

func (d *Decoder) skipArray(b []byte, i, depth int) int {
	if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		end := d.skipValue(b, i, depth-1)
		if end < 0 {
			return -1
		}
		i = skipSpace(b, end)
		switch {
		case i >= len(b):
			return -1
		case b[i] == ']':
			return i + 1
		case b[i] != ',':
			return -1
		}
		i++
	}
}

// newName remembers the key b[from:to] of the object whose keys begin at d.names[open]. It returns false if the
// object has it already, if there are too many to say, or if the record may have more than maxRecordKeys.
func (d *Decoder) newName(b []byte, open, from, to int) bool {
	if d.named++; len(d.names) == maxScannedNames || d.named > maxRecordKeys-int(fieldCount) {
		return false
	}
	for _, n := range d.names[open:] {
		if n.to-n.from == to-from && bytes.Equal(b[n.from:n.to], b[from:to]) {
			return false
		}
	}
	d.names = append(d.names, nameSpan{from, to})
	return true
}

// scanName reads a key and its colon from b[i] on, white space around them included. It returns where the key
// stands and where its value begins; value is -1 if the key has an escape or there is no value.
func scanName(b []byte, i int) (from, to, value int) {
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != '"' {
		return 0, 0, -1
	}
	to, escaped := scanString(b, i+1)
	if to < 0 || escaped {
		return 0, 0, -1
	}
	from = i + 1
	if i = skipSpace(b, to+1); i >= len(b) || b[i] != ':' {
		return 0, 0, -1
	}
	if i = skipSpace(b, i+1); i >= len(b) {
		return 0, 0, -1
	}
	return from, to, i
}

// scanString returns where the quote stands that ends the string whose contents begin at b[i], and whether a
// backslash stands in it; what follows the backslashes is for unquote to judge. The index is -1 if the string
// does not end, or holds a control character or invalid UTF-8.
//
// It reads eight bytes at a time and looks for those to stop at: c with c^2 < 0x21, which are the quote and what
// is below 0x20, and c with c^'\\' < 1. Of the bytes below 0x80, subtracting sets the high bit of these, and of one
// above them that they borrow from: the lowest bit of hit is always right.
func scanString(b []byte, i int) (quote int, escaped bool) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	from := i
	var seen uint64 // all bytes of the string, or'ed
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		hit := (((x ^ 2*ones) - 0x21*ones) | ((x ^ '\\'*ones) - ones)) &^ x & high
		if hit == 0 {
			seen |= x
			i += 8
			continue
		}
		seen |= x & (hit&-hit - 1)
		i += bits.TrailingZeros64(hit) / 8
		switch {
		case b[i] == '"':
			if seen&high != 0 && !utf8.Valid(b[from:i]) {
				return -1, false
			}
			return i, escaped
		case b[i] < 0x20:
			return -1, false
		}
		escaped = true
		i += 2
	}
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			if !utf8.Valid(b[from:i]) {
				return -1, false
			}
			return i, escaped
		case c < 0x20:
			return -1, false
		case c == '\\':
			escaped = true
			i++
		}
	}
	return -1, false
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

func skipLiteral(b []byte, i int, literal string) int {
	if end := i + len(literal); end <= len(b) && string(b[i:end]) == literal {
		return end
	}
	return -1
}

func skipSpace(b []byte, i int) int {
	const spaces = 1<<' ' | 1<<'\n' | 1<<'\r' | 1<<'\t'
	for i < len(b) && b[i] <= ' ' && spaces>>b[i]&1 != 0 {
		i++
	}
	return i
}
