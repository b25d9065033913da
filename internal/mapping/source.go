package mapping

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/eventjson"
)

// source says where a field's value comes from: a constant, one key of the record, or a template that puts keys
// between constant texts.
type source struct {
	parts []part
	plain bool // one key and nothing else: its JSON value is at hand
}

// part is a constant text, or the value of the first of its choices that has one.
type part struct {
	text     string
	choices  []choice // none: text
	optional bool     // a record without any of the keys is no fault
	identity bool     // words such as null are no value
	query    bool     // comes after a '?' in the template
	form     form
}

// choice is a key with what becomes of its value.
type choice struct {
	key    string
	origin origin
	equals *string // the choice holds for this value alone
	gives  *string // in place of the value; "": the field has none
}

// origin is the part of a record that a choice reads.
type origin int

const (
	inValue    origin = iota // key is one of the value's
	recordKey                // the record's key, a text
	header                   // the last header of the name key, a text
	recordTime               // the record's timestamp
)

// kafkaPrefix begins what is of the record around its value: kafka:key, kafka:timestamp, kafka:header:NAME.
const kafkaPrefix = "kafka:"

// form says how a template puts a key in. The last two are those of RFC 6570, where a key without a value leaves nothing.
type form int

const (
	encoded form = iota // {key}: percent-encoded in a url; without a value there is no field
	plain               // {+key}: as it stands
	named               // {?key,key}: as ?key=value&key=value
)

// constant is the source of a --set.
func constant(text string) source { return source{parts: []part{{text: text}}} }

// parseSource reads the right side of a --map: a key, several with a | between them, of which the first with a value is taken, or a
// template as in /wiki/{page}. A '?' after a key, as in country? or {page?}, says that records may lack it.
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
		if strings.Contains(text, "=>") {
			return source{}, fmt.Errorf("%q: in a template, write key=>text within the braces", s)
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

// parseKey reads key, or key|key with what becomes of each: key=>text, or key==value=>text.
func parseKey(s string, spell spelling) (p part, err error) {
	for _, text := range alternatives(s) {
		var c choice
		if before, gives, fixed := strings.Cut(text, "=>"); fixed {
			text, c.gives = before, &gives
			if key, value, compares := strings.Cut(before, "=="); compares {
				text, c.equals = key, &value
			}
		}
		name, optional := strings.CutSuffix(text, "?")
		p.optional = p.optional || optional || c.gives != nil
		if name == "" {
			return part{}, fmt.Errorf("%q names no key: write one of the %s's, as in %s", s, spell.record(), spell.with("map", "siteId=channel"))
		}
		if strings.Contains(name, "==") {
			return part{}, fmt.Errorf("%q says not what it gives: write %s=>TEXT", name, name)
		}
		if open := strings.Count(name, "["); open != strings.Count(name, "]") {
			return part{}, fmt.Errorf("%q: close each [ with a ], as in tags[0] or list[key=name].value", name)
		}
		if c.key, c.origin, err = parseOrigin(name, spell); err != nil {
			return part{}, err
		}
		p.choices = append(p.choices, c)
	}
	if last := p.choices[len(p.choices)-1]; last.gives == nil && !strings.HasSuffix(s, "?") {
		p.optional = false // key==value=>text alone never makes what follows optional.
	}
	return p, nil
}

// alternatives takes keys apart at each | that is not within brackets.
func alternatives(s string) (all []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '|' && depth <= 0:
			all, from = append(all, s[from:i]), i+1
		}
	}
	return append(all, s[from:])
}

// parseOrigin takes apart what is not of the value.
func parseOrigin(name string, spell spelling) (key string, from origin, err error) {
	rest, ok := strings.CutPrefix(name, kafkaPrefix)
	if !ok {
		return name, inValue, nil
	}
	if !spell {
		return "", 0, fmt.Errorf("%s: lines of files have no record around them: name a key of theirs", name)
	}
	of, isHeader := strings.CutPrefix(rest, "header:")
	switch {
	case rest == "key":
		return rest, recordKey, nil
	case rest == "timestamp":
		return rest, recordTime, nil
	case isHeader && of != "":
		return of, header, nil
	}
	return "", 0, fmt.Errorf("%s is unknown: write kafka:key, kafka:timestamp or kafka:header:NAME", name)
}

// keys lists the top-level keys that the source takes whole.
func (s source) keys() []string {
	var keys []string
	for _, p := range s.parts {
		for _, c := range p.choices {
			if c.origin == inValue {
				keys = append(keys, c.key)
			}
		}
	}
	return keys
}

// isConstant reports whether the source asks no record.
func (s source) isConstant() bool {
	return !slices.ContainsFunc(s.parts, func(p part) bool { return p.choices != nil })
}

// mayLack reports whether records may lack all of the source's keys.
func (s source) mayLack() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.optional })
}

// optional is the source with keys that records may all lack.
func (s source) optional() source {
	s.parts = slices.Clone(s.parts)
	for i := range s.parts {
		s.parts[i].optional = true
	}
	return s
}

// sourceText puts the source together. It is empty when one of its keys in the form {key} is null, or optional and lacking, or when it has
// keys in the form {+key}, and all are. With escaped,
// what such keys hold is percent-encoded, so each stays one segment of a path or one value of a query.
func (m *Mapping) sourceText(s source, escaped bool) (_ string, reason string) {
	if len(s.parts) == 1 && s.parts[0].choices == nil {
		return s.parts[0].text, ""
	}
	var b strings.Builder
	lacks, filled := false, false // some, and some not, of the keys in the form {+key}
	unasked := false              // a key of the query has no value
	for _, p := range s.parts {
		if p.choices == nil {
			b.WriteString(p.text)
			continue
		}
		v, key, reason := m.choose(p)
		text := ""
		if v != nil {
			if text, reason = scalar(v); reason != "" {
				reason = "key " + eventjson.Quote(key) + " " + reason
			}
		}
		filled, lacks = filled || p.form == plain && text != "", lacks || p.form == plain && text == ""
		switch {
		case reason != "" || v == nil && p.form == encoded:
			return "", reason
		case text == "" && p.form != encoded:
			unasked = unasked || p.query
		case p.form == named:
			separator := "?"
			if strings.Contains(b.String(), "?") {
				separator = "&"
			}
			b.WriteString(separator + url.QueryEscape(p.choices[0].key) + "=" + url.QueryEscape(text))
		case !escaped || s.plain || p.form == plain:
			if strings.HasSuffix(b.String(), "://") && strings.Contains(text, "://") {
				b.Reset() // The text has a scheme of its own.
			}
			b.WriteString(text)
		case p.query:
			b.WriteString(url.QueryEscape(text))
		default:
			b.WriteString(url.PathEscape(text))
		}
	}
	if lacks && !filled {
		return "", ""
	}
	if unasked {
		return strings.TrimSuffix(b.String(), "?"), ""
	}
	return b.String(), ""
}
