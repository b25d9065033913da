package event

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// span is where a field's value lies. It is small and has no pointer, so that noting and clearing 20 of them costs little.
type span struct {
	from, to uint32 // in the record: of a string its contents, else the JSON text; in Decoder.text if the kind is escapedText
	kind     byte   // plainText, escapedText, '0', 'n', 't', 'f', '{' or '['; 0: the key did not occur
	deep     bool   // nested deeper than maxPropertiesDepth
}

// The kinds of strings. A plain text is one without escapes, and for the rule of its field neither empty nor too long.
const (
	plainText   = '"'
	escapedText = '\\'
)

// jsonToken is a JSON value as a field's rule sees it.
type jsonToken struct {
	kind byte   // '"', '0', 'n', 't', 'f', '{' or '['; 0: the key did not occur
	deep bool   // nested deeper than maxPropertiesDepth
	text []byte // of a string its contents, unescaped; else the JSON text
}

// note keeps where the value of a field lies.
func (d *Decoder) note(f eventField, s span) {
	if s.kind != plainText || s.to-s.from-1 >= maxPlain[f] {
		d.others |= 1 << f
	}
	d.values[f] = s
}

// token returns the value of the record that lies at s.
func (d *Decoder) token(record []byte, s span) jsonToken {
	if s.kind == escapedText {
		return jsonToken{kind: '"', text: d.text[s.from:s.to:s.to]}
	}
	return jsonToken{kind: s.kind, deep: s.deep, text: record[s.from:s.to:s.to]}
}

// noteString keeps where the JSON string record[from:to] lies as the value of a field. It returns false if the string is not valid.
func (d *Decoder) noteString(record []byte, f eventField, from, to int, escaped bool) bool {
	s, err := d.spanOf(record, from, to, escaped)
	if err != nil {
		return false
	}
	d.note(f, s)
	return true
}

// spanOf returns where the contents of the JSON string record[from:to] lie, quotes included in that; escaped says whether it has
// a backslash.
func (d *Decoder) spanOf(record []byte, from, to int, escaped bool) (span, error) {
	if !escaped {
		return span{from: uint32(from + 1), to: uint32(to - 1), kind: plainText}, nil
	}
	at := len(d.text)
	_, err := d.unescape(record[from:to])
	return span{from: uint32(at), to: uint32(len(d.text)), kind: escapedText}, err
}

// unescape appends the contents of a JSON string to d.text and returns them. The end of the string was found by stringEnd.
func (d *Decoder) unescape(quoted []byte) ([]byte, error) {
	at := len(d.text)
	text, ok := appendSimple(d.text, quoted[1:len(quoted)-1])
	if !ok {
		var err error
		if text, err = jsontext.AppendUnquote(d.text, quoted); err != nil {
			return nil, err
		}
	}
	d.text = text // When it has moved, what others have of it stays where it was.
	return text[at:len(text):len(text)], nil
}

// appendSimple appends the contents of a string whose escapes have one character each, as in https:\/\/, which some producers write in
// every url. It returns false for other strings.
func appendSimple(text, contents []byte) ([]byte, bool) {
	for {
		i := bytes.IndexByte(contents, '\\')
		if i < 0 {
			return append(text, contents...), true
		}
		c := simpleEscapes[contents[i+1]]
		if c == 0 {
			return nil, false
		}
		text = append(append(text, contents[:i]...), c)
		contents = contents[i+2:]
	}
}

// simpleEscapes has what a character means after a backslash; 0: it is u, or not valid.
var simpleEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// readSpan reads the next key or value for the authority. It returns offsets, since the bytes that jsontext returns are good until its
// next call only.
func (d *Decoder) readSpan() (span, error) {
	v, err := d.json.ReadValue()
	if err != nil {
		return span{}, err
	}
	to := int(d.json.InputOffset())
	from := to - len(v)
	kind := byte(v.Kind())
	switch {
	case kind != '"':
		return span{uint32(from), uint32(to), kind, (kind == '{' || kind == '[') && nesting(v) > maxPropertiesDepth}, nil
	case bytes.IndexByte(v, '\\') < 0:
		return span{from: uint32(from + 1), to: uint32(to - 1), kind: plainText}, nil
	}
	at := len(d.text)
	text, err := jsontext.AppendUnquote(d.text, v)
	if err != nil {
		return span{}, err
	}
	d.text = text
	return span{from: uint32(at), to: uint32(len(text)), kind: escapedText}, nil
}
