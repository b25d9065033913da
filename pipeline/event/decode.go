package event

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Decoder makes Events of records' values. It is strict, so that no two readers of a record can understand it
// differently: keys match in exact case, no object names a key twice, all text is valid UTF-8 without lone
// surrogates, and nothing follows the object. It is bounded: see maxRecordDepth and maxRecordKeys.
//
// It has two readers. Package jsontext is the authority on what is JSON (authority.go). Before it comes a scanner
// (scan.go) that reads valid records within the limits, six times as fast and in bounded time, and hands over
// all others; it never refuses a record itself. Both note where the fields' values lie. The same rules (rules.go) make an Event of
// these, and FuzzDecode holds the scanner to the authority's Events.
//
// A Decoder keeps its buffers from record to record and does not allocate for accepted ones once they have
// grown. The zero value is not usable; call NewDecoder. Not safe for concurrent use.
type Decoder struct {
	json jsontext.Decoder
	src  bytes.Buffer // what json reads: the record itself, not a copy
	text []byte       // unescaped strings: of the events that are held, then of the present record
	held int          // how much of text belongs to events that are held

	values [fieldCount]span // of the present record; of unknown keys the last
	others uint32           // a bit for each field whose value is there and no plain text

	index textIndex
	names names      // the keys of the objects that are open
	room  int        // how much deeper the value that the scanner has read could have been nested
	keys  []knownKey // the scanner's fields, in the order in which records have had them
}

// NewDecoder returns a Decoder ready for its first record.
func NewDecoder() *Decoder {
	return &Decoder{text: make([]byte, 0, 1<<10), index: textIndex{able: hasIndex}, names: names{list: make([]name, 0, maxCompared)},
		keys: make([]knownKey, 0, fieldCount)}
}

// Decode examines a record's value by every rule that does not need the record's timestamp; Settings.Judge has
// the rest. It fills e and returns Accepted, or returns why the record is rejected and, in a sentence for people,
// what it found; e is then zero. e may point into value, which must stay as it is while e is used, and into the Decoder:
// it is good until the next Decode, or longer if it is held (see Hold and Swap).
func (d *Decoder) Decode(value []byte, e *Event) (Reason, string) {
	switch {
	case len(value) > MaxRecordBytes:
		*e = Event{}
		return TooLarge, TooLargeDetail(int64(len(value)))
	case len(value) == 0:
		*e = Event{}
		return Empty, "the record has no value"
	}
	if !d.scan(value) {
		if reason, detail := d.read(value); reason != Accepted {
			*e = Event{}
			return reason, detail
		}
	}
	return d.finish(value, e)
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

// Swap returns the memory that texts of the held events lie in, and ends the Decoder's hold of them: they are good for as long as the
// caller keeps that memory as it is. The Decoder continues with other memory, which no event that is in use may point into; nil: it
// makes some.
func (d *Decoder) Swap(memory []byte) []byte {
	held := d.text
	d.text = memory
	d.Release()
	return held
}

// begin forgets the record before.
func (d *Decoder) begin() {
	d.text = d.text[:d.held]
	d.values, d.others = [fieldCount]span{}, 0
	d.index.holds, d.index.plain = false, false
	d.names.begin()
}

// maxDetailBytes bounds what a detail quotes: it travels in a header of the failed event.
const maxDetailBytes = 200

// TruncateDetail cuts a detail on a rune boundary.
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
