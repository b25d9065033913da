package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// Config says what New makes.
type Config struct {
	Input   string   `json:"input,omitempty"`   // one of inputs: what values are; "": JSON objects
	Map     []string `json:"map,omitempty"`     // FIELD=SOURCE: see parseSource
	Set     []string `json:"set,omitempty"`     // FIELD=TEXT, the same for every line
	Default []string `json:"default,omitempty"` // FIELD=TEXT, for lines in which what Map names is lacking, null or empty
	Rest    bool     `json:"rest,omitempty"`    // the keys that no Map names become properties, with their values as they stand in the line

	// TimeUnit is one of TimeUnits, of timestamps that are numbers. TimeLayout is how timestamps look that are texts, with the
	// directives of strptime or as Go has it, and TimeZone the zone of those that name none. All empty: timestamps are as in events.
	TimeUnit   string `json:"timeUnit,omitempty"`
	TimeLayout string `json:"timeLayout,omitempty"`
	TimeZone   string `json:"timeZone,omitempty"`
	// DecimalComma says how values look that are texts: 1.234,50 rather than 1234.50.
	DecimalComma bool `json:"decimalComma,omitempty"`
	// Configured: messages name the settings of a configuration, event.*, in place of flags.
	Configured bool `json:"-"`
}

// onlyInput reports whether nothing but the input is configured: values are events, and no fields are mapped.
func (c Config) onlyInput() bool {
	return len(c.Map)+len(c.Set)+len(c.Default) == 0 && !c.Rest && c.TimeUnit+c.TimeLayout+c.TimeZone == "" && !c.DecimalComma
}

// Version names the rules by which a mapping makes an event of an object: any change of what comes out raises it.
const Version = 1

// canonical is how a checkpoint names a mapping.
type canonical struct {
	Version int `json:"v"`
	Config
}

// Canonical spells the mapping as JSON, the same for all configurations that mean the same.
func (c Config) Canonical() string {
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	c.Map, c.Set, c.Default = sorted(c.Map), sorted(c.Set), sorted(c.Default)
	b, err := json.Marshal(canonical{Version, c})
	if err != nil {
		panic(err) // Texts and booleans marshal.
	}
	return string(b)
}

// Parse makes the mapping that Canonical has spelled, with what finds the schemas that values name. "" is nil: records are events as they
// are. A mapping of a release with other rules or other fields is an error.
func Parse(text string, find SchemaFinder) (*Mapping, error) {
	if text == "" {
		return nil, nil
	}
	var c canonical
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("a recorded mapping: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("a recorded mapping: more follows it")
	}
	if c.Version != Version {
		return nil, fmt.Errorf("a recorded mapping is of version %d, and this footfall has version %d", c.Version, Version)
	}
	c.Configured = true
	m, err := New(c.Config)
	if err != nil {
		return nil, err
	}
	m.FindSchema = find
	return m, nil
}

// Text returns the event that the mapping makes of a record as JSON, or null.
func (m *Mapping) Text(r *kgo.Record) []byte {
	text, reason, _ := m.eventText(r)
	if reason != event.Accepted || !json.Valid(text) {
		return []byte("null")
	}
	return text
}

// Decode makes an event of a record, as [event.Decoder.Decode] does, by way of the mapping; nil: its value is one. A record that
// the mapping refuses is [event.NotMapped]; one whose schema is unknown is [event.UnknownSchema].
func (m *Mapping) Decode(d *event.Decoder, r *kgo.Record, e *event.Event) (event.Reason, string) {
	if m == nil || len(r.Value) == 0 || len(r.Value) > event.MaxRecordBytes {
		return d.Decode(r.Value, e)
	}
	text, reason, detail := m.eventText(r)
	if reason != event.Accepted {
		*e = event.Event{}
		return reason, detail
	}
	return d.Decode(text, e)
}

// eventText returns the event that the mapping makes of a record. Where values are events it need not be valid JSON.
func (m *Mapping) eventText(r *kgo.Record) ([]byte, event.Reason, string) {
	r, reason, detail := m.withJSON(r)
	switch {
	case reason != event.Accepted:
		return nil, reason, detail
	case m.events:
		return r.Value, event.Accepted, ""
	}
	made, why := m.Event(r)
	if why != "" {
		return nil, event.NotMapped, event.TruncateDetail(why)
	}
	return made.JSON, event.Accepted, ""
}
