package eventjson

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// TimeFormat spells event times that are ours to spell: RFC 3339 in UTC, to the millisecond.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// Writer writes the JSON of one event, fields in the order in which they are given.
type Writer struct {
	Site, Kind, ID string // of the event, for those who ask
	json           []byte
}

// Begin begins an event without fields. It is written into room.
func Begin(room []byte) Writer { return Writer{json: append(room[:0], '{')} }

// New begins an event with the fields that each has. It is written into room.
func New(room []byte, site, kind string, when time.Time) Writer {
	e := Begin(room)
	e.Site, e.Kind = site, kind
	e.Text("siteId", site)
	e.Text("type", kind)
	e.Name("timestamp")
	e.json = append(when.UTC().AppendFormat(append(e.json, '"'), TimeFormat), '"')
	return e
}

// Text adds a string, which must be valid UTF-8. An empty one is left out.
func (e *Writer) Text(name, value string) {
	if value == "" {
		return
	}
	if name == "id" {
		e.ID = value
	}
	e.Name(name)
	e.json = AppendQuoted(e.json, value)
}

// Bytes adds a string, which must be valid UTF-8. An empty one is left out.
func (e *Writer) Bytes(name string, value []byte) {
	if len(value) > 0 {
		e.Name(name)
		e.json = AppendQuoted(e.json, value)
	}
}

// AppendQuoted appends a JSON string.
func AppendQuoted[T []byte | string](dst []byte, s T) []byte {
	dst, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		panic(err) // Not UTF-8: our own lists are, and what comes from elsewhere is checked or repaired before.
	}
	return dst
}

// Raw adds a value that is JSON already.
func (e *Writer) Raw(name, value string) {
	e.Name(name)
	e.json = append(e.json, value...)
}

func (e *Writer) Name(name string) {
	if len(e.json) > 1 {
		e.json = append(e.json, ',')
	}
	e.json = append(e.json, '"')
	e.json = append(e.json, name...)
	e.json = append(e.json, `":`...)
}

// End ends the event and returns its JSON.
func (e *Writer) End() []byte { return append(e.json, '}') }
