package mapping

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/eventjson"
	decoding "github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/wire"
)

// Mapping makes events of records of any shape: each of an event's fields from the keys of a JSON object, or of what the record's value is
// read as, and from the record's own key, headers and timestamp. Make one with [New]. A record is refused when its value cannot be read,
// when it lacks a key that the mapping names without '?', when a required field comes out empty or an id too long, or when its timestamp is
// in 1970. A null makes no field. Not safe for concurrent use.
type Mapping struct {
	Used       map[string]bool // keys of which fields are made
	FindSchema SchemaFinder    // needed if ReadsSchemas; New sets NoSchemas

	input      string
	events     bool     // values are events: no fields are mapped
	fields     []mapped // in the order of targets
	properties []mapped // members of the properties, by name
	base       *mapped  // the properties that they are added to; nil: none
	rest       bool
	times      timeReader
	comma      bool // values that are texts have a decimal comma

	spell spelling

	// Of the record that is being mapped.
	json    eventjson.Reader
	record  *kgo.Record
	text    []byte // its value as a JSON object, if it is none
	members []eventjson.Member
	inner   []inner
	each    []eventjson.Member // of the element that is looked at
	timed   bool               // its timestamp was asked for
	decoded kgo.Record         // with the JSON that its schema makes of its value
}

type mapped struct {
	target
	from    source
	instead source // where from gives nothing; without parts: none
}

// Needed lists the keys without which an object is refused, but for those that stand for one another.
func (m *Mapping) Needed() (keys []string) {
	for _, f := range m.fields {
		for _, p := range f.from.parts {
			if len(p.choices) == 1 && !p.optional {
				keys = append(keys, p.choices[0].key)
			}
		}
	}
	return keys
}

// Event is what a mapping makes of a record.
type Event struct {
	JSON             []byte // as docs/events.md has it
	Site, Type, ID   string
	VisitorOrSession string
	Time             time.Time
}

// read takes the value of a record apart.
func (m *Mapping) read(r *kgo.Record) (reason string) {
	m.record, m.inner = r, m.inner[:0]
	value, reason := m.asObject(r.Value)
	if reason == "" {
		m.members, reason = m.json.Object(m.members[:0], value)
		if id, _, named := wire.Split(r.Value); reason != "" && named && bool(m.spell) && m.input == "" {
			reason += ": the value begins as one with schema " + id.String() + " does: set event.registry.urls"
		}
	}
	return reason
}

// Event maps a record. The reason says for people why it is refused.
func (m *Mapping) Event(r *kgo.Record) (made Event, reason string) {
	if reason = m.read(r); reason != "" {
		return Event{}, reason
	}
	e := eventjson.Begin(make([]byte, 0, len(r.Value)+128))
	var when time.Time
	var visitor, session string
	for _, f := range m.fields {
		var text string
		switch f.kind {
		case instant:
			when, reason = m.time(&e, f)
		case decimal, jsonObject:
			reason = m.value(&e, f)
		default:
			text, reason = m.textField(&e, f)
		}
		if reason != "" {
			if f.name == "siteId" || f.name == "type" || f.name == "timestamp" { // Records may not lack it.
				reason, _, _ = strings.Cut(reason, lackingHint)
			}
			return Event{}, f.name + ": " + reason
		}
		switch f.name {
		case "siteId":
			e.Site = text
		case "type":
			e.Kind = text
		case "visitorId":
			visitor = identity(text)
		case "sessionId":
			session = identity(text)
		}
	}
	if visitor == "" {
		visitor = session
	}
	if visitor == "" {
		return Event{}, "visitorId: the " + m.spell.record() + " gives neither it nor a sessionId; texts such as 0, null and anonymous are none"
	}
	if reason = m.propertiesOf(&e); reason != "" {
		return Event{}, reason
	}
	return Event{JSON: e.End(), Site: e.Site, Type: e.Kind, ID: e.ID, VisitorOrSession: visitor, Time: when}, ""
}

// identity is an id; "" for a word such as null, which the pipeline takes for none.
func identity(id string) string {
	if decoding.IsPlaceholder([]byte(id)) {
		return ""
	}
	return id
}

// Time returns when the event of a record happened; false: it has no time, or none that can be read.
func (m *Mapping) Time(r *kgo.Record) (time.Time, bool) {
	if m.read(r) != "" {
		return time.Time{}, false
	}
	for _, f := range m.fields {
		if f.kind != instant {
			continue
		}
		if v, reason := m.single(f); reason == "" {
			when, reason := m.instant(v)
			return when, reason == ""
		}
	}
	return time.Time{}, false
}

// textField adds a field of text and returns it.
func (m *Mapping) textField(e *eventjson.Writer, f mapped) (text, reason string) {
	lenient := bool(m.spell) && f.from.mayLack() && f.name != "siteId" && f.name != "type"
	if lenient && f.from.plain {
		if v, _, _ := m.choose(f.from.parts[0]); v.Kind() == '{' || v.Kind() == '[' {
			e.Raw(f.name, string(v)) // It counts as absent, and the event counts.
			return "", ""
		}
	}
	text, reason = m.sourceText(f.from, f.kind == urlText)
	if text == "" && reason == "" && f.instead.parts != nil {
		text = f.instead.parts[0].text
	}
	switch {
	case reason != "":
		return "", reason
	case text == "" && (f.name == "siteId" || f.name == "type"):
		return "", "empty or null, and every event needs one"
	case f.maxBytes > 0 && len(text) > f.maxBytes && !lenient:
		return "", fmt.Sprintf("%s has %d bytes, more than %d", eventjson.Quote(text), len(text), f.maxBytes)
	}
	e.Text(f.name, text)
	return text, ""
}

// time adds the timestamp, as the line spells it if events are spelled so.
func (m *Mapping) time(e *eventjson.Writer, f mapped) (when time.Time, reason string) {
	v, reason := m.single(f)
	if reason != "" {
		return time.Time{}, reason
	}
	switch when, reason = m.instant(v); {
	case reason != "" && m.times.ours() && v.Kind() == '"':
		reason += ": say how it looks, as in " + m.spell.with("time-layout", "'%d.%m.%Y %H:%M:%S'") + ", or " + m.spell.with("time-unit", "s") +
			" for seconds since 1970"
	case reason != "":
	case m.times.ours() && !m.timed:
		reason = eventjson.LooksLikeSeconds(v, when, "add "+m.spell.with("time-unit", "s"))
		e.Raw(f.name, string(v))
	default:
		e.Text(f.name, when.Format(eventjson.TimeFormat))
	}
	return when, reason
}

// instant reads a timestamp, which is the record's own if that was asked for.
func (m *Mapping) instant(v jsontext.Value) (when time.Time, reason string) {
	if m.timed {
		return timeReader{spell: m.times.spell}.read(v)
	}
	return m.times.read(v)
}

// withComma is a number that has a comma as its decimal sign, if it has a fraction, and dots between all of its thousands or none.
var withComma = regexp.MustCompile(`^-?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?$`)

// value adds the value, a number or a string that spells one, or the properties, an object. What is neither is passed on from keys that
// records may lack: it counts as absent, and the event counts.
func (m *Mapping) value(e *eventjson.Writer, f mapped) (reason string) {
	v, reason := m.single(f)
	if v == nil {
		return reason
	}
	as, reason := v, ""
	if f.kind == decimal {
		as, reason = m.number(v)
	} else if v.Kind() != '{' {
		reason = eventjson.Quote(string(v)) + " is not an object"
	}
	if reason == "" {
		e.Raw(f.name, string(as))
	} else if bool(m.spell) && f.from.mayLack() {
		e.Raw(f.name, string(v))
		return ""
	}
	return reason
}

// number reads a number, or a string that spells one.
func (m *Mapping) number(v jsontext.Value) (_ jsontext.Value, reason string) {
	if s, ok := eventjson.Unquote(v); ok {
		if m.comma && !withComma.MatchString(s) {
			return nil, eventjson.Quote(s) + " is not a number as in 1.234,50, which " + m.spell.name("decimal-comma") + " asks for"
		}
		if m.comma {
			s = strings.NewReplacer(".", "", ",", ".").Replace(s)
		}
		v = jsontext.Value(s)
	}
	if v.Kind() == '0' && v.IsValid() {
		return v, ""
	}
	reason = eventjson.Quote(string(v)) + " is not a number"
	if withComma.Match(v) {
		reason += ": if its comma is the decimal sign, add " + m.spell.with("decimal-comma", "")
	}
	return nil, reason
}

// single returns a field as one JSON value, nil for null: a plain key's value as it stands, a constant or a
// template as a string; but properties that are set, which are JSON.
func (m *Mapping) single(f mapped) (v jsontext.Value, reason string) {
	m.timed = false
	v, reason = m.singleFrom(f, f.from)
	if empty := v == nil || string(v) == `""`; empty && reason == "" && f.instead.parts != nil {
		return m.singleFrom(f, f.instead)
	}
	return v, reason
}

func (m *Mapping) singleFrom(f mapped, from source) (_ jsontext.Value, reason string) {
	if from.plain {
		v, _, reason := m.choose(from.parts[0])
		return v, reason
	}
	text, reason := m.sourceText(from, false)
	if text == "" || reason != "" {
		return nil, reason
	}
	if f.kind == jsonObject {
		_, reason := m.json.Object(nil, []byte(text))
		return jsontext.Value(text), reason
	}
	return eventjson.AppendQuoted(nil, text), ""
}

// propertiesOf adds the properties that are mapped one by one, and with rest the keys that no field was made of, their values byte for
// byte.
func (m *Mapping) propertiesOf(e *eventjson.Writer) (reason string) {
	p := []byte{'{'}
	add := func(name string, value []byte) {
		if len(p) > 1 {
			p = append(p, ',')
		}
		p = append(append(eventjson.AppendQuoted(p, name), ':'), value...)
	}
	if m.base != nil {
		if reason := m.baseInto(add); reason != "" {
			return m.base.name + ": " + reason
		}
	}
	for _, f := range m.properties {
		v, reason := m.single(f)
		if reason != "" {
			return f.name + ": " + reason
		}
		if v != nil {
			add(strings.TrimPrefix(f.name, propertyPrefix), v)
		}
	}
	for _, x := range m.members {
		if m.rest && !m.Used[x.Name] && !m.isProperty(x.Name) {
			add(x.Name, x.Value)
		}
	}
	if len(p) > 1 {
		e.Raw("properties", string(append(p, '}')))
	}
	return ""
}

// baseInto adds the members of the properties that are mapped as a whole, but for those that are mapped one by one.
func (m *Mapping) baseInto(add func(name string, value []byte)) (reason string) {
	v, reason := m.single(*m.base)
	if v == nil || v.Kind() != '{' {
		return reason
	}
	for _, x := range m.object(v) {
		if !m.isProperty(x.Name) {
			add(x.Name, x.Value)
		}
	}
	return ""
}

func (m *Mapping) isProperty(name string) bool {
	return slices.ContainsFunc(m.properties, func(f mapped) bool { return f.name == propertyPrefix+name })
}
