package event

// scan is the fast path: it finds the value of every field of the object in b and returns true, or returns false
// when b is not a valid record within the limits, having perhaps found some. What it accepts the authority accepts,
// with the same values; what it does not accept is for the authority to explain.
func (d *Decoder) scan(b []byte) bool {
	d.begin()
	d.index.take(b)
	i, next := skipSpace(b, 0), 0 // next is the place in d.keys of the key that comes next if the record is like those before.
	if i >= len(b) || b[i] != '{' {
		return false
	}
	for {
		if i, next = d.scanMember(b, i+1, next); i < 0 {
			return false
		}
		i, next = d.scanUsual(b, i, next)
		if i = skipSpace(b, i); i >= len(b) {
			return false
		}
		if b[i] != ',' {
			return b[i] == '}' && skipSpace(b, i+1) == len(b) && d.names.count <= maxRecordKeys
		}
	}
}

// scanUsual reads members from the comma at b[i] on as long as their keys are expected ones and their values strings. It returns
// the index after the last, and the place in d.keys of the key that is expected then.
func (d *Decoder) scanUsual(b []byte, i, next int) (end, after int) {
	for i < len(b) && b[i] == ',' {
		f, value, after := d.expected(b, i+1, next)
		if value < 0 || b[value] != '"' || d.values[f].kind != 0 {
			break
		}
		quote, escaped := d.stringEnd(b, value+1)
		if size := uint(quote - value - 1); !escaped && size-1 < uint(maxPlain[f]) { // So quote is not -1.
			d.values[f] = span{from: uint32(value + 1), to: uint32(quote), kind: plainText}
		} else if quote < 0 || !d.noteString(b, f, value, quote+1, escaped) {
			break
		}
		d.names.count++
		i, next = quote+1, after
	}
	return i, next
}

// scanMember reads any key from b[i] on, and its value. It returns the index after the value, -1 if one of them is not valid or the
// record has the key twice, and the place in d.keys of the key that is expected then.
func (d *Decoder) scanMember(b []byte, i, next int) (end, after int) {
	f, value, after := d.expected(b, i, next)
	if value < 0 {
		if f, value, after = d.scanKey(b, i, next); value < 0 {
			return -1, after
		}
	}
	if d.names.count++; d.names.count > maxRecordKeys || d.values[f].kind != 0 && f != fieldUnknown {
		return -1, after
	}
	s, end := d.scanValue(b, value)
	d.note(f, s)
	return end, after
}

// scanKey reads any key from b[i] on. It returns its field, where its value begins, and the place in d.keys of the key that is expected
// after it. value is -1 if the key is not valid, or an unknown one that the record has twice.
func (d *Decoder) scanKey(b []byte, i, next int) (f eventField, value, after int) {
	name, escaped, value := d.scanName(b, i)
	if value < 0 {
		return fieldUnknown, -1, next
	}
	switch f = fieldOf(name); {
	case f == fieldUnknown:
		if !d.names.add(0, name, &d.names.known) {
			return f, -1, next
		}
	case !escaped:
		next = d.learn(f, b[i:value], next)
	}
	return f, value, next
}

// scanValue reads the value that begins at b[i], perhaps after white space, and returns it and where it ends, -1 if it is not valid.
func (d *Decoder) scanValue(b []byte, i int) (s span, end int) {
	if i = skipSpace(b, i); i >= len(b) {
		return s, -1
	}
	s = span{from: uint32(i), kind: b[i]}
	switch b[i] {
	case '"':
		quote, escaped := d.stringEnd(b, i+1)
		if quote < 0 {
			return s, -1
		}
		s, err := d.spanOf(b, i, quote+1, escaped)
		if err != nil {
			return s, -1
		}
		return s, quote + 1
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end = scanNumber(b, i)
		s.kind = '0'
	default:
		d.room = maxRecordDepth - 1
		end = d.skipValue(b, i, d.room)
		s.deep = maxRecordDepth-1-d.room > maxPropertiesDepth
	}
	s.to = uint32(end)
	return s, end
}

// skipValue returns where the value that begins at b[i] ends, or -1 if it is not valid or nested deeper than
// depth. It lowers d.room to what is left of depth at the deepest.
func (d *Decoder) skipValue(b []byte, i, depth int) int {
	switch b[i] {
	case '"':
		quote, escaped := d.stringEnd(b, i+1)
		if quote < 0 {
			return -1
		}
		if escaped {
			used := len(d.text)
			if _, err := d.unescape(b[i : quote+1]); err != nil {
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
	open, known := len(d.names.list), uint64(0)
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		name, _, value := d.scanName(b, i)
		if value < 0 || !d.names.add(open, name, &known) {
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
	to, escaped := d.stringEnd(b, i+1)
	if to < 0 {
		return nil, false, -1
	}
	name = b[i+1 : to]
	if escaped {
		var err error
		if name, err = d.unescape(b[i : to+1]); err != nil {
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
