package event

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// read is the authority: it finds the value of every field of the object in value.
func (d *Decoder) read(value []byte) (Reason, string) {
	d.begin()
	if detail := d.fault(value); detail != "" {
		return BadJSON, detail
	}
	d.reset(value)
	if d.json.PeekKind() != jsontext.KindBeginObject {
		return NotObject, "the value is JSON, but not an object"
	}
	if _, err := d.json.ReadToken(); err != nil {
		return BadJSON, jsonFault(err)
	}
	for d.json.PeekKind() != jsontext.KindEndObject {
		key, err := d.readSpan()
		if err != nil {
			return BadJSON, jsonFault(err)
		}
		s, err := d.readSpan()
		if err != nil {
			return BadJSON, jsonFault(err)
		}
		d.note(fieldOf(d.token(value, key).text), s)
	}
	return Accepted, ""
}

// fault says why a value is not a JSON text as a record may be, if it is not. jsontext does not look for keys that an
// object has twice: it would take four times as long.
func (d *Decoder) fault(value []byte) (detail string) {
	if len(value) > 0 && (value[0] == 0 || value[0] == 3) { // Confluent's header, and that of AWS Glue.
		return fmt.Sprintf("byte %d at the beginning: schema registry format, such as Avro; send JSON", value[0])
	}
	if detail := overLimits(value); detail != "" {
		return detail
	}
	d.reset(value)
	if _, err := d.json.ReadValue(); err != nil {
		return jsonFault(err)
	}
	if detail := d.trailing(); detail != "" {
		return detail
	}
	used := len(d.text)
	end := d.skipValue(value, skipSpace(value, 0), maxRecordDepth)
	d.text = d.text[:used]
	if end < 0 && d.names.twice != nil {
		return TruncateDetail(fmt.Sprintf("duplicate object member name %q", d.names.twice))
	}
	return ""
}

func (d *Decoder) reset(value []byte) {
	d.src = *bytes.NewBuffer(value)
	d.json.Reset(&d.src, jsontext.AllowDuplicateNames(true))
}

// trailing says what follows the JSON value, if anything but white space does.
func (d *Decoder) trailing() string {
	end := d.json.InputOffset()
	if _, err := d.json.ReadToken(); err == io.EOF {
		return ""
	}
	return fmt.Sprintf("the JSON value ends at offset %d, but the record continues", end)
}

// nesting returns how deep the objects and arrays of a valid JSON text are nested: 1 for {}.
func nesting(text []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return deepest
}

// jsonFault says in a detail what jsontext found.
func jsonFault(err error) string {
	if err == io.EOF {
		return "the value is white space only"
	}
	return TruncateDetail(strings.ToValidUTF8(strings.TrimPrefix(err.Error(), "jsontext: "), "\uFFFD"))
}
