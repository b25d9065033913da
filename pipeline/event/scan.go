package event

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// scan is the fast path: it passes every field of the object in b to its rule and returns true, or returns false
// when b is not a valid record within the limits, having perhaps passed some. What it accepts the authority accepts,
// with the same fields; what it does not accept is for the authority to explain.
func (d *Decoder) scan(b []byte, e *Event) bool {
	d.names.begin()
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
			var name []byte
			var escaped bool
			name, escaped, value = d.scanName(b, value)
			if value < 0 {
				return false
			}
			if f = fieldOf(name); f != fieldUnknown && !escaped {
				next = d.keyAfter(f, name, next)
			} else if f == fieldUnknown && !d.names.add(0, name) {
				return false
			}
		}
		if d.names.count++; d.names.count > maxRecordKeys || f != fieldUnknown && seen&(1<<f) != 0 {
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

// scanToken reads the value that begins at b[i] and returns it and where it ends, -1 if it is not valid.
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
		d.room = maxRecordDepth - 1
		end = d.skipValue(b, i, d.room)
		t.kind, t.deep = c, maxRecordDepth-1-d.room > maxPropertiesDepth
	}
	if end >= 0 {
		t.text = b[i:end:end]
	}
	return t, end
}

// skipValue returns where the value that begins at b[i] ends, or -1 if it is not valid or nested deeper than
// depth. It lowers d.room to what is left of depth at the deepest.
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
		d.room = min(d.room, depth-1)
		open, used := len(d.names.list), len(d.text)
		end := d.skipObject(b, i, depth)
		d.names.list, d.text = d.names.list[:open], d.text[:used]
		return end
	case '[':
		if depth == 0 {
			return -1
		}
		d.room = min(d.room, depth-1)
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
	open := len(d.names.list)
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		name, _, value := d.scanName(b, i)
		if value < 0 || !d.names.add(open, name) {
			return -1
		}
		if d.names.count++; d.names.count > maxRecordKeys {
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

// scanName reads a key and its colon from b[i] on, white space around them included. It returns the key, unescaped,
// and where its value begins; value is -1 if there is none, or the key is not valid.
func (d *Decoder) scanName(b []byte, i int) (name []byte, escaped bool, value int) {
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != '"' {
		return nil, false, -1
	}
	to, escaped := scanString(b, i+1)
	if to < 0 {
		return nil, false, -1
	}
	name = b[i+1 : to]
	if escaped {
		var err error
		if name, err = d.unquote(b[i : to+1]); err != nil {
			return nil, false, -1
		}
	}
	if i = skipSpace(b, to+1); i >= len(b) || b[i] != ':' {
		return nil, false, -1
	}
	if i = skipSpace(b, i+1); i >= len(b) {
		return nil, false, -1
	}
	return name, escaped, i
}

// scanString returns the index of the quote that ends the string whose contents begin at b[i], and whether there is a
// backslash in it; what follows the backslashes is for unquote to judge. The index is -1 if the string
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
