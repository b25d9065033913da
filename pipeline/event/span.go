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

// unescape appends the contents of a JSON string to d.text and returns them.
func (d *Decoder) unescape(quoted []byte) ([]byte, error) {
	at := len(d.text)
	text, err := jsontext.AppendUnquote(d.text, quoted)
	if err != nil {
		return nil, err
	}
	d.text = text // When it has moved, what others have of it stays where it was.
	return text[at:len(text):len(text)], nil
}

// readSpan reads the next key or value for the authority. It returns offsets, since the bytes that jsontext returns are good until its
// next call only.
func (d *Decoder) readSpan(record []byte) (span, error) {
	v, err := d.json.ReadValue()
	if err != nil {
		return span{}, err
	}
	to := int(d.json.InputOffset())
	from := to - len(v)
	switch kind := byte(v.Kind()); kind {
	case '"':
		return d.spanOf(record, from, to, bytes.IndexByte(v, '\\') >= 0)
	default:
		return span{uint32(from), uint32(to), kind, (kind == '{' || kind == '[') && nesting(v) > maxPropertiesDepth}, nil
	}
}
