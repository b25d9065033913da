package mapping

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/eventjson"
)

// source says where a field's value comes from: a constant, one key of the line, or a template that puts keys
// between constant texts.
type source struct {
	parts []part
	plain bool // one key and nothing else: its JSON value is at hand
}

// part is a constant text, or the value of a key.
type part struct {
	text     string
	key      string // empty: text
	optional bool   // a line without the key is no fault
	query    bool   // comes after a '?' in the template
	form     form
}

// form says how a template puts a key in. The last two are those of RFC 6570, where a key without a value leaves nothing.
type form int

const (
	encoded form = iota // {key}: percent-encoded in a url; without a value there is no field
	plain               // {+key}: as it stands
	named               // {?key,key}: as ?key=value&key=value
)

// constant is the source of a --set.
func constant(text string) source { return source{parts: []part{{text: text}}} }

// parseSource reads the right side of a --map: key, or a template as in /wiki/{page}. A '?' after a key, as in
// country? or {page?}, says that lines may lack it.
func parseSource(s string, spell spelling) (source, error) {
	if !strings.ContainsAny(s, "{}") {
		p, err := parseKey(s, spell)
		return source{parts: []part{p}, plain: true}, err
	}
	var src source
	query := false
	for rest := s; rest != ""; {
		text, more, found := strings.Cut(rest, "{")
		if strings.Contains(text, "}") {
			return source{}, fmt.Errorf("%q has a } without a {: write a key as {key}", s)
		}
		if text != "" {
			src.parts = append(src.parts, part{text: text})
			query = query || strings.Contains(text, "?")
		}
		if !found {
			break
		}
		keys, behind, closed := strings.Cut(more, "}")
		if !closed {
			return source{}, fmt.Errorf("%q has a { without a }: write a key as {key}", s)
		}
		parts, err := parseKeys(keys, spell)
		if err != nil {
			return source{}, fmt.Errorf("%q: %w", s, err)
		}
		for _, p := range parts {
			p.query = query
			src.parts = append(src.parts, p)
			query = query || p.form == named
		}
		rest = behind
	}
	return src, nil
}

// parseKeys reads what a template has in braces.
func parseKeys(s string, spell spelling) (parts []part, err error) {
	keys, put := []string{s}, encoded
	if list, ok := strings.CutPrefix(s, "?"); ok && list != "" {
		keys, put = strings.Split(list, ","), named
	} else if key, ok := strings.CutPrefix(s, "+"); ok {
		keys, put = []string{key}, plain
	}
	for _, key := range keys {
		p, err := parseKey(key, spell)
		if err != nil {
			return nil, err
		}
		p.form, p.optional = put, p.optional || put == named
		parts = append(parts, p)
	}
	return parts, nil
}

func parseKey(s string, spell spelling) (part, error) {
	key, optional := strings.CutSuffix(s, "?")
	if key == "" {
		return part{}, fmt.Errorf("%q names no key: write one of the line's, as in %s", s, spell.with("map", "siteId=channel"))
	}
	return part{key: key, optional: optional}, nil
}

// keys lists the top-level keys that the source takes whole.
func (s source) keys() []string {
	var keys []string
	for _, p := range s.parts {
		if p.key != "" {
			keys = append(keys, p.key)
		}
	}
	return keys
}

// optional is the source with keys that lines may all lack.
func (s source) optional() source {
	s.parts = slices.Clone(s.parts)
	for i := range s.parts {
		s.parts[i].optional = true
	}
	return s
}

// lookup finds a key of the line: as it is spelled, or where there is none so, step by step at its dots: actor.login
// is the login in actor. tags.0 and tags[0] are the first of tags.
func lookup(r *eventjson.Reader, object []eventjson.Member, key string) jsontext.Value {
	if v := eventjson.Find(object, key); v != nil {
		return v
	}
	for i, c := range key {
		if c != '.' && c != '[' {
			continue
		}
		if v := eventjson.Find(object, key[:i]); v != nil {
			if v = within(r, v, key[i:]); v != nil {
				return v
			}
		}
	}
	return nil
}

// within follows the rest of a key, from its dot or bracket, into an object or an array.
func within(r *eventjson.Reader, v jsontext.Value, rest string) jsontext.Value {
	switch {
	case rest == "":
		return v
	case v.Kind() == '{' && rest[0] == '.':
		inner, _ := r.Object(nil, v) // It was read as part of the line: it is valid.
		return lookup(r, inner, rest[1:])
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
	n, err := strconv.ParseUint(index, 10, 31)
	if err != nil {
		return nil
	}
	if v = element(v, int(n)); v == nil {
		return nil
	}
	return within(r, v, rest)
}

// element returns the n-th element of a valid array, from 0; nil: it has fewer.
func element(array jsontext.Value, n int) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(array))
	_, _ = d.ReadToken() // Its bracket.
	for ; d.PeekKind() != ']'; n-- {
		v, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if n == 0 {
			return v.Clone()
		}
	}
	return nil
}

// value returns the JSON value of a plain source. It is nil when the line has null there, or lacks an optional key.
func (s source) value(r *eventjson.Reader, object []eventjson.Member) (_ jsontext.Value, reason string) {
	p := s.parts[0]
	v := lookup(r, object, p.key)
	switch {
	case v == nil && !p.optional:
		return nil, "the line has no key " + eventjson.Quote(p.key) + " (if some lines have none, write " + p.key + "? in the mapping)"
	case v.Kind() == 'n':
		return nil, ""
	}
	return v, ""
}

// text puts the source together. It is empty when one of its keys in the form {key} is null, or optional and lacking. With escaped,
// what such keys hold is percent-encoded, so that each stays one segment of a path or one value of a query.
func (s source) text(r *eventjson.Reader, object []eventjson.Member, escaped bool) (_ string, reason string) {
	if len(s.parts) == 1 && s.parts[0].key == "" {
		return s.parts[0].text, ""
	}
	var b strings.Builder
	for _, p := range s.parts {
		if p.key == "" {
			b.WriteString(p.text)
			continue
		}
		v, reason := source{parts: []part{p}}.value(r, object)
		switch {
		case v == nil && reason == "" && p.form != encoded:
			continue
		case v == nil:
			return "", reason
		}
		text, reason := scalar(v)
		if reason != "" {
			return "", "key " + eventjson.Quote(p.key) + " " + reason
		}
		switch {
		case p.form == named:
			separator := "?"
			if strings.Contains(b.String(), "?") {
				separator = "&"
			}
			b.WriteString(separator + url.QueryEscape(p.key) + "=" + url.QueryEscape(text))
		case !escaped || s.plain || p.form == plain:
			b.WriteString(text)
		case p.query:
			b.WriteString(url.QueryEscape(text))
		default:
			b.WriteString(url.PathEscape(text))
		}
	}
	return b.String(), ""
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
