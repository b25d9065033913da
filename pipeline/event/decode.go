package event

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Decoder makes Events of records' values. It is strict, so that no two readers of a record can understand it
// differently: keys match in exact case, no object names a key twice, all text is valid UTF-8 without lone
// surrogates, and nothing follows the object. It is bounded: see maxRecordDepth and maxRecordKeys.
//
// It has two readers. Package jsontext is the authority on what is JSON. Before it comes a scanner
// (scan.go) that reads valid records within the limits, three times as fast and in bounded time, and hands over
// all others; it never refuses a record itself. Both pass what they read to the same rules (fields.go), and
// FuzzDecode holds the scanner to the authority's Events.
//
// A Decoder keeps its buffers from record to record and does not allocate for accepted ones once they have
// grown. The zero value is not usable; call NewDecoder. Not safe for concurrent use.
type Decoder struct {
	json jsontext.Decoder
	src  bytes.Buffer // what json reads: the record itself, not a copy
	text []byte       // unescaped strings: of the events that are held, then of the present record
	held int          // how much of text belongs to events that are held

	// The required fields as read; which reason holds is decided when all are known.
	site, kind, time jsonToken

	names names      // the scanner's keys of the objects that are open
	room  int        // how much deeper the value that the scanner has read could have been nested
	keys  []knownKey // the scanner's fields, in the order in which records have had them
}

// jsonToken is a JSON value as a field's rule sees it.
type jsonToken struct {
	kind byte   // '"', '0', 'n', 't', 'f', '{' or '['; 0: the key did not occur
	deep bool   // nested deeper than maxPropertiesDepth
	text []byte // of a string its contents, unescaped; else the JSON text
}

// NewDecoder returns a Decoder ready for its first record.
func NewDecoder() *Decoder {
	return &Decoder{text: make([]byte, 0, 1<<10), names: names{list: make([][]byte, 0, maxCompared)}, keys: make([]knownKey, 0, fieldCount)}
}

// Decode examines a record's value by every rule that does not need the record's timestamp; Settings.Judge has
// the rest. It fills e and returns Accepted, or returns why the record is rejected and, in a sentence for people,
// what it found; e is then zero. e may point into value, which must stay as it is while e is used, and into the Decoder:
// it is good until the next Decode, or longer if it is held.
func (d *Decoder) Decode(value []byte, e *Event) (Reason, string) {
	switch {
	case len(value) > MaxRecordBytes:
		*e = Event{}
		return TooLarge, TooLargeDetail(int64(len(value)))
	case len(value) == 0:
		*e = Event{}
		return Empty, "the record has no value"
	}
	d.begin(e)
	if !d.scan(value, e) {
		d.begin(e)
		if reason, detail := d.read(value, e); reason != Accepted {
			*e = Event{}
			return reason, detail
		}
	}
	return d.finish(e)
}

// Hold keeps the event that was decoded last, and those held before it, as they are through further Decodes, until
// Release. So a batch of records is decoded as a whole without copying a text.
func (d *Decoder) Hold() { d.held = len(d.text) }

// Release ends the life of the events that are held.
func (d *Decoder) Release() {
	d.held = 0
	const kept = 32 * MaxRecordBytes
	if cap(d.text) > kept {
		d.text = nil // One batch of hostile records must not cost memory for ever.
	}
}

func (d *Decoder) begin(e *Event) {
	*e = Event{}
	d.text = d.text[:d.held]
	d.site, d.kind, d.time = jsonToken{}, jsonToken{}, jsonToken{}
}

// read is the authority: it passes every field of the object in value to its rule.
func (d *Decoder) read(value []byte, e *Event) (Reason, string) {
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
		key, err := d.readToken(value)
		if err != nil {
			return BadJSON, jsonFault(err)
		}
		t, err := d.readToken(value)
		if err != nil {
			return BadJSON, jsonFault(err)
		}
		d.assign(e, fieldOf(key.text), t)
	}
	return Accepted, ""
}

// fault says why a value is not a JSON text as a record may be, if it is not. jsontext does not look for keys that an
// object has twice: it would take four times as long.
func (d *Decoder) fault(value []byte) (detail string) {
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
	d.names.begin()
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

// readToken returns the next key or value. It takes the bytes out of the record by their offset, since those
// that jsontext returns are good until its next call only.
func (d *Decoder) readToken(value []byte) (jsonToken, error) {
	v, err := d.json.ReadValue()
	if err != nil {
		return jsonToken{}, err
	}
	end := int(d.json.InputOffset())
	raw := value[end-len(v) : end : end]
	t := jsonToken{kind: byte(v.Kind()), text: raw}
	switch t.kind {
	case '"':
		t.text, err = d.unquote(raw)
	case '{', '[':
		t.deep = nesting(raw) > maxPropertiesDepth
	}
	return t, err
}

// unquote returns the contents of a JSON string, within the record where they are spelled as they are.
func (d *Decoder) unquote(quoted []byte) ([]byte, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		end := len(quoted) - 1
		return quoted[1:end:end], nil
	}
	from := len(d.text)
	text, err := jsontext.AppendUnquote(d.text, quoted)
	if err != nil {
		return nil, err
	}
	d.text = text // When it has moved, tokens before stay where they were.
	return text[from:len(text):len(text)], nil
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

// maxDetailBytes bounds what a detail quotes: it travels in a header of the failed event.
const maxDetailBytes = 200

// jsonFault says in a detail what jsontext found.
func jsonFault(err error) string {
	if err == io.EOF {
		return "the value is white space only"
	}
	return TruncateDetail(strings.ToValidUTF8(strings.TrimPrefix(err.Error(), "jsontext: "), "\uFFFD"))
}

// clip cuts a detail on a rune boundary.
func TruncateDetail(s string) string {
	if len(s) <= maxDetailBytes {
		return s
	}
	n := maxDetailBytes
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

func TooLargeDetail(length int64) string {
	return fmt.Sprintf("the value has %d bytes, at most %d are decoded", length, MaxRecordBytes)
}
