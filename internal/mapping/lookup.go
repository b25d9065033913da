package mapping

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/eventjson"
)

// choose returns the JSON value of the first choice that has one, and its key. It is nil when all are null, or optional and lacking.
func (m *Mapping) choose(p part) (v jsontext.Value, key, reason string) {
	there := false
	for i, c := range p.choices {
		v, reason := m.find(c)
		if reason != "" {
			return nil, c.key, reason
		}
		there = there || v != nil
		if empty := v == nil || v.Kind() == 'n'; empty || string(v) == `""` && i < len(p.choices)-1 {
			continue
		}
		if text, _ := scalar(v); c.equals != nil && text != *c.equals || c.gives != nil && text == "" && v.Kind() == '"' {
			continue
		}
		if p.identity && i < len(p.choices)-1 && identity(textOf(v)) == "" {
			continue
		}
		if c.gives == nil {
			m.timed = c.origin == recordTime
			return v, c.key, ""
		}
		if *c.gives == "" {
			return nil, c.key, ""
		}
		return eventjson.AppendQuoted(nil, *c.gives), c.key, ""
	}
	if there || p.optional {
		return nil, "", ""
	}
	return nil, "", p.lacking(m.spell.record())
}

// lackingHint begins what to do about keys that records may lack.
const lackingHint = " (if some "

// lacking says that a record has none of a part's keys. in is what messages call it.
func (p part) lacking(in string) string {
	first := p.choices[0]
	var names []string
	for _, c := range p.choices {
		if name := eventjson.Quote(c.key); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 1:
		return "the " + in + " has none of the keys " + strings.Join(names, ", ") + lackingHint +
			in + "s have none, write ? after the last in the mapping)"
	case first.origin == header:
		return "the record has no header " + names[0] + lackingHint + "records have none, write " + kafkaPrefix + "header:" + first.key +
			"? in the mapping)"
	}
	return "the " + in + " has no key " + names[0] + lackingHint + in + "s have none, write " + first.key + "? in the mapping)"
}

// find returns what a choice finds in the record; nil: there is none.
func (m *Mapping) find(c choice) (_ jsontext.Value, reason string) {
	var text []byte
	switch c.origin {
	case recordTime:
		return eventjson.AppendQuoted(nil, m.record.Timestamp.UTC().Format(eventjson.TimeFormat)), ""
	case recordKey:
		if text = m.record.Key; len(text) > batch.MaxKeyBytes {
			return nil, fmt.Sprintf("the record's key is over %d KiB", batch.MaxKeyBytes>>10)
		}
	case header:
		if batch.HeaderBytes(m.record.Headers) > batch.MaxHeaderBytes {
			return nil, fmt.Sprintf("the record's headers are over %d KiB", batch.MaxHeaderBytes>>10)
		}
		for _, h := range m.record.Headers {
			if h.Key == c.key {
				text = h.Value
			}
		}
	default:
		return m.lookup(m.members, c.key), ""
	}
	if text == nil {
		return nil, ""
	}
	if !utf8.Valid(text) {
		return nil, "the record's " + map[origin]string{recordKey: "key", header: "header " + c.key}[c.origin] + " is not valid UTF-8"
	}
	return eventjson.AppendQuoted(nil, text), ""
}

// inner is an object within the record that was taken apart.
type inner struct {
	at      *byte
	members []eventjson.Member
}

// object takes an object within the record apart, once. It may be in a string, as JSON within JSON; another string has no members.
func (m *Mapping) object(v jsontext.Value) []eventjson.Member {
	for i := range m.inner {
		if m.inner[i].at == &v[0] {
			return m.inner[i].members
		}
	}
	text := []byte(v)
	if s, ok := eventjson.Unquote(v); ok {
		text = []byte(s)
	}
	members, reason := m.json.Object(nil, text)
	if reason != "" {
		members = nil
	}
	m.inner = append(m.inner, inner{&v[0], members})
	return members
}

// lookup finds a key of an object: as it is spelled, or where there is none so, step by step at its dots: actor.login
// is the login in actor. tags.0 and tags[0] are the first of tags, tags[name=x] is the first that has x as its name.
func (m *Mapping) lookup(object []eventjson.Member, key string) jsontext.Value {
	if v := eventjson.Find(object, key); v != nil {
		return v
	}
	for i, c := range key {
		if c != '.' && c != '[' {
			continue
		}
		if v := eventjson.Find(object, key[:i]); v != nil {
			if v = m.within(v, key[i:]); v != nil {
				return v
			}
		}
	}
	return nil
}

// within follows the rest of a key, from its dot or bracket, into an object or an array.
func (m *Mapping) within(v jsontext.Value, rest string) jsontext.Value {
	switch {
	case rest == "":
		return v
	case (v.Kind() == '{' || v.Kind() == '"') && rest[0] == '.':
		return m.lookup(m.object(v), rest[1:])
	case v.Kind() == '"':
		text, _ := eventjson.Unquote(v)
		if v = jsontext.Value(text); v.Kind() != '[' || !v.IsValid() {
			return nil
		}
	case v.Kind() != '[':
		return nil
	}
	var index string
	if rest[0] == '[' {
		var closed bool
		if index, rest, closed = strings.Cut(rest[1:], "]"); !closed || rest != "" && rest[0] != '.' && rest[0] != '[' {
			return nil
		}
	} else {
		end := strings.IndexAny(rest[1:], ".[") + 1
		if end == 0 {
			end = len(rest)
		}
		index, rest = rest[1:end], rest[end:]
	}
	if v = m.element(v, index); v == nil {
		return nil
	}
	return m.within(v, rest)
}

// element returns the element of a valid array with an index from 0, or the first object in it of which name=value holds; nil: there is
// none.
func (m *Mapping) element(array jsontext.Value, index string) jsontext.Value {
	name, value, byName := strings.Cut(index, "=")
	n, err := strconv.ParseUint(index, 10, 31)
	if err != nil && !byName {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(array))
	_, _ = d.ReadToken() // Its bracket.
	for ; d.PeekKind() != ']'; n-- {
		v, err := d.ReadValue()
		if err != nil {
			return nil
		}
		end := d.InputOffset() // v itself is good only until the next read.
		v = array[end-int64(len(v)) : end]
		if !byName && n == 0 {
			return v
		}
		if byName && v.Kind() == '{' {
			m.each, _ = m.json.Object(m.each[:0], v)
			if text, reason := scalar(eventjson.Find(m.each, name)); reason == "" && text == value {
				return v
			}
		}
	}
	return nil
}

// textOf is the text of a string, or a value as it stands.
func textOf(v jsontext.Value) string {
	if text, ok := eventjson.Unquote(v); ok {
		return text
	}
	return string(v)
}

// scalar returns the text of a string, and numbers and booleans as they are written.
func scalar(v jsontext.Value) (text, reason string) {
	switch v.Kind() {
	case '"':
		text, _ = eventjson.Unquote(v)
		return text, ""
	case '0', 't', 'f':
		return string(v), ""
	case '{':
		return "", "holds an object"
	default:
		return "", "holds an array"
	}
}
