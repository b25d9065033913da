package mapping

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/internal/figures"
	decoding "github.com/footfall/footfall/pipeline/event"
)

// Mapping makes events of JSON objects of any shape: each of an event's fields from their keys. Make one with [New]. An object is refused
// when it is not one strict JSON object, when it lacks a key that the mapping names without '?', when a required field comes out empty or
// an id too long, or when its timestamp is in 1970. A null makes no field. Not safe for concurrent use.
type Mapping struct {
	Used map[string]bool // keys of which fields are made

	fields []mapped // in the order of targets
	rest   bool
	times  timeReader
	comma  bool // values that are texts have a decimal comma

	spell spelling

	json    eventjson.Reader
	members []eventjson.Member
}

// target is a field that events have.
type target struct {
	name     string
	kind     targetKind
	maxBytes int // a longer text would be rejected or not be used; 0: the pipeline cuts it
}

type targetKind int

const (
	plainText targetKind = iota
	urlText              // values that a template puts in are percent-encoded
	instant
	decimal
	jsonObject
)

// targets are the fields of an event, in the order in which they are written. The limits are the pipeline's.
var targets = slices.Concat([]target{
	{"siteId", plainText, 128}, {"type", plainText, 64}, {"timestamp", instant, 0}, {"id", plainText, 256},
	{"visitorId", plainText, 256}, {"sessionId", plainText, 256}, {"userId", plainText, 256},
	{"url", urlText, 0}, {"referrer", urlText, 0}, {"title", plainText, 0}, {"userAgent", plainText, 0},
	{"name", plainText, 0}, {"value", decimal, 0},
}, given(), []target{{"properties", jsonObject, 0}})

// given are the dimensions that an event gives.
func given() (all []target) {
	for _, d := range figures.Given {
		all = append(all, target{figures.Dimensions[d].Name, plainText, 0})
	}
	return all
}

type mapped struct {
	target
	from    source
	instead source // where from gives nothing; without parts: none
}

// New checks a mapping and names everything that is wrong with it.
func New(c Config) (*Mapping, error) {
	m := &Mapping{rest: c.Rest, Used: make(map[string]bool), comma: c.DecimalComma, spell: spelling(c.Configured)}
	var faults []error
	var err error
	if m.times, err = newTimeReader(c.TimeUnit, c.TimeLayout, c.TimeZone, m.spell); err != nil {
		faults = append(faults, err)
	}
	from := make(map[string]source)
	add := func(flag, assignment string, parse func(string) (source, error)) {
		name, text, err := m.spell.assign(flag, assignment)
		if err == nil && from[name].parts != nil {
			err = fmt.Errorf("%s: %s is given twice", m.spell.with(flag, assignment), name)
		}
		var src source
		if err == nil {
			src, err = parse(text)
		}
		if err != nil {
			faults = append(faults, err)
			return
		}
		from[name] = src
		for _, key := range src.keys() {
			m.Used[key] = true
		}
	}
	for _, a := range c.Map {
		add("map", a, func(text string) (source, error) {
			src, err := parseSource(text, m.spell)
			if err != nil {
				err = fmt.Errorf("%s: %w", m.spell.with("map", a), err)
			}
			return src, err
		})
	}
	for _, a := range c.Set {
		add("set", a, func(text string) (source, error) { return constant(text), nil })
	}
	instead := make(map[string]source)
	for _, a := range c.Default {
		name, text, err := m.spell.assign("default", a)
		if err == nil && from[name].keys() == nil {
			err = fmt.Errorf("%s: no %s names %s: use %s where all lines have the same value", m.spell.with("default", a), m.spell.name("map"),
				name, m.spell.name("set"))
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		instead[name] = constant(text)
		from[name] = from[name].optional()
	}
	for _, t := range targets {
		if src := from[t.name]; src.parts != nil {
			m.fields = append(m.fields, mapped{t, src, instead[t.name]})
		}
	}
	return m, errors.Join(append(faults, m.check(from)...)...)
}

// check finds what is missing from a mapping or contradicts itself.
func (m *Mapping) check(from map[string]source) []error {
	var faults []error
	has := func(name string) bool { return from[name].parts != nil }
	for _, name := range []string{"siteId", "type", "timestamp"} {
		if !has(name) {
			faults = append(faults, fmt.Errorf("no %s: every event needs one; say where it comes from with %s or %s", name,
				m.spell.with("map", name+"=KEY"), m.spell.with("set", name+"=TEXT")))
		}
	}
	if !has("visitorId") && !has("sessionId") {
		faults = append(faults, errors.New("neither visitorId nor sessionId: every event needs one; say where it comes from with "+
			m.spell.with("map", "visitorId=KEY")))
	}
	if m.rest && has("properties") {
		faults = append(faults, errors.New(m.spell.with("properties", "rest")+" and a mapping of properties: choose one"))
	}
	return faults
}

// Assign takes FIELD=TEXT of a flag apart.
func Assign(flag, assignment string) (name, text string, err error) {
	return spelling(false).assign(flag, assignment)
}

func (s spelling) assign(flag, assignment string) (name, text string, err error) {
	name, text, ok := strings.Cut(assignment, "=")
	if !ok || text == "" {
		return "", "", fmt.Errorf("%s: write FIELD=%s", s.with(flag, assignment),
			map[string]string{"map": "KEY, or FIELD=TEMPLATE as in url=/wiki/{page}", "set": "TEXT", "default": "TEXT"}[flag])
	}
	if !utf8.ValidString(text) {
		return "", "", fmt.Errorf("%s: not valid UTF-8, which JSON must be", s.with(flag, strconv.Quote(assignment)))
	}
	if !slices.ContainsFunc(targets, func(t target) bool { return t.name == name }) {
		names := make([]string, len(targets))
		for i, t := range targets {
			names[i] = t.name
		}
		return "", "", fmt.Errorf("%s: events have no field %q: choose one of %s", s.with(flag, assignment), name, strings.Join(names, ", "))
	}
	return name, text, nil
}

// Needed lists the keys without which an object is refused.
func (m *Mapping) Needed() (keys []string) {
	for _, f := range m.fields {
		for _, p := range f.from.parts {
			if p.key != "" && !p.optional {
				keys = append(keys, p.key)
			}
		}
	}
	return keys
}

// Event is what a mapping makes of an object.
type Event struct {
	JSON             []byte // as docs/events.md has it
	Site, Type, ID   string
	VisitorOrSession string
	Time             time.Time
}

// Event maps an object. The reason says for people why it is refused.
func (m *Mapping) Event(line []byte) (made Event, reason string) {
	m.members, reason = m.json.Object(m.members[:0], line)
	if reason != "" {
		return Event{}, reason
	}
	e := eventjson.Begin(make([]byte, 0, len(line)+128))
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
			text, reason = m.text(&e, f)
		}
		if reason != "" {
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
		return Event{}, "visitorId: the line gives neither it nor a sessionId; texts such as 0, null and anonymous are none"
	}
	m.restOf(&e)
	return Event{JSON: e.End(), Site: e.Site, Type: e.Kind, ID: e.ID, VisitorOrSession: visitor, Time: when}, ""
}

// identity is an id; "" for a word such as null, which the pipeline takes for none.
func identity(id string) string {
	if decoding.IsPlaceholder([]byte(id)) {
		return ""
	}
	return id
}

// Time returns when the event of an object happened; false: it has no time, or none that can be read.
func (m *Mapping) Time(line []byte) (time.Time, bool) {
	var reason string
	if m.members, reason = m.json.Object(m.members[:0], line); reason != "" {
		return time.Time{}, false
	}
	for _, f := range m.fields {
		if f.kind != instant {
			continue
		}
		if v, reason := m.single(f); reason == "" {
			when, reason := m.times.read(v)
			return when, reason == ""
		}
	}
	return time.Time{}, false
}

// text adds a field of text and returns it.
func (m *Mapping) text(e *eventjson.Writer, f mapped) (text, reason string) {
	text, reason = f.from.text(&m.json, m.members, f.kind == urlText)
	if text == "" && reason == "" && f.instead.parts != nil {
		text = f.instead.parts[0].text
	}
	switch {
	case reason != "":
		return "", reason
	case text == "" && (f.name == "siteId" || f.name == "type"):
		return "", "empty or null, and every event needs one"
	case f.maxBytes > 0 && len(text) > f.maxBytes:
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
	switch when, reason = m.times.read(v); {
	case reason != "" && m.times.ours() && v.Kind() == '"':
		reason += ": say how it looks, as in " + m.spell.with("time-layout", "'%d.%m.%Y %H:%M:%S'") + ", or " + m.spell.with("time-unit", "s") +
			" for seconds since 1970"
	case reason != "":
	case m.times.ours():
		reason = eventjson.LooksLikeSeconds(v, when, "add "+m.spell.with("time-unit", "s"))
		e.Raw(f.name, string(v))
	default:
		e.Text(f.name, when.Format(eventjson.TimeFormat))
	}
	return when, reason
}

// withComma is a number that has a comma as its decimal sign, if it has a fraction, and dots between all of its thousands or none.
var withComma = regexp.MustCompile(`^-?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?$`)

// value adds the value, a number or a string that spells one, or the properties, an object.
func (m *Mapping) value(e *eventjson.Writer, f mapped) (reason string) {
	v, reason := m.single(f)
	if v == nil {
		return reason
	}
	if s, ok := eventjson.Unquote(v); ok && f.kind == decimal {
		if m.comma && !withComma.MatchString(s) {
			return eventjson.Quote(s) + " is not a number as in 1.234,50, which " + m.spell.name("decimal-comma") + " asks for"
		}
		if m.comma {
			s = strings.NewReplacer(".", "", ",", ".").Replace(s)
		}
		v = jsontext.Value(s)
	}
	switch {
	case f.kind == decimal && (v.Kind() != '0' || !v.IsValid()):
		reason = eventjson.Quote(string(v)) + " is not a number"
		if withComma.Match(v) {
			reason += ": if its comma is the decimal sign, add " + m.spell.with("decimal-comma", "")
		}
		return reason
	case f.kind == jsonObject && v.Kind() != '{':
		return eventjson.Quote(string(v)) + " is not an object"
	}
	e.Raw(f.name, string(v))
	return ""
}

// single returns a field as one JSON value, nil for null: a plain key's value as it stands, a constant or a
// template as a string; but properties that are set, which are JSON.
func (m *Mapping) single(f mapped) (v jsontext.Value, reason string) {
	v, reason = m.singleFrom(f, f.from)
	if empty := v == nil || string(v) == `""`; empty && reason == "" && f.instead.parts != nil {
		return m.singleFrom(f, f.instead)
	}
	return v, reason
}

func (m *Mapping) singleFrom(f mapped, from source) (_ jsontext.Value, reason string) {
	if from.plain {
		return from.value(&m.json, m.members)
	}
	text, reason := from.text(&m.json, m.members, false)
	if text == "" || reason != "" {
		return nil, reason
	}
	if f.kind == jsonObject {
		_, reason := m.json.Object(nil, []byte(text))
		return jsontext.Value(text), reason
	}
	return eventjson.AppendQuoted(nil, text), ""
}

// restOf adds the keys that no field was made of as properties, their values byte for byte.
func (m *Mapping) restOf(e *eventjson.Writer) {
	if !m.rest {
		return
	}
	p := []byte{'{'}
	for _, x := range m.members {
		if m.Used[x.Name] {
			continue
		}
		if len(p) > 1 {
			p = append(p, ',')
		}
		p = append(eventjson.AppendQuoted(p, x.Name), ':')
		p = append(p, x.Value...)
	}
	if len(p) > 1 {
		e.Raw("properties", string(append(p, '}')))
	}
}
