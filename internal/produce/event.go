package produce

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// timeFormat spells event times that are ours to spell: RFC 3339 in UTC, to the millisecond.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// event writes the JSON of one event, fields in the order in which they are given.
type event struct {
	json           []byte
	site, kind, id string
}

// newEvent begins an event with the fields that each has. It is written into room.
func newEvent(room []byte, site, kind string, when time.Time) event {
	e := event{json: append(room[:0], '{'), site: site, kind: kind}
	e.text("siteId", site)
	e.text("type", kind)
	e.name("timestamp")
	e.json = append(when.UTC().AppendFormat(append(e.json, '"'), timeFormat), '"')
	return e
}

// text adds a string, which must be valid UTF-8. An empty one is left out.
func (e *event) text(name, value string) {
	if value == "" {
		return
	}
	if name == "id" {
		e.id = value
	}
	e.name(name)
	e.json = appendQuoted(e.json, value)
}

// bytes adds a string, which must be valid UTF-8. An empty one is left out.
func (e *event) bytes(name string, value []byte) {
	if len(value) > 0 {
		e.name(name)
		e.json = appendQuoted(e.json, value)
	}
}

// appendQuoted appends a JSON string.
func appendQuoted[T []byte | string](dst []byte, s T) []byte {
	dst, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		panic(err) // Not UTF-8: our own lists are, and what comes from elsewhere is checked or repaired before.
	}
	return dst
}

// raw adds a value that is JSON already.
func (e *event) raw(name, value string) {
	e.name(name)
	e.json = append(e.json, value...)
}

func (e *event) name(name string) {
	if len(e.json) > 1 {
		e.json = append(e.json, ',')
	}
	e.json = append(e.json, '"')
	e.json = append(e.json, name...)
	e.json = append(e.json, `":`...)
}

// record ends the event.
func (e *event) record(visitorOrSession string, buckets int, when time.Time) Record {
	return Record{
		Key: Key(e.site, visitorOrSession, buckets), Value: append(e.json, '}'), Time: when,
		SiteID: e.site, ID: e.id, Type: e.kind,
	}
}

// tooLarge says that the pipeline would reject the record for its size, where it would.
func tooLarge(r Record) (reason string) {
	if len(r.Value) <= maxEventBytes {
		return ""
	}
	return fmt.Sprintf("the event has %d bytes, more than the %d that the pipeline takes", len(r.Value), maxEventBytes)
}
