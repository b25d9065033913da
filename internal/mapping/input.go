package mapping

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/eventjson"
)

// What the values of records are, besides JSON objects.
const (
	inputSnowplow = "snowplow-tsv" // Snowplow's enriched events: columns without a header, separated by tabs
	inputQuery    = "query"        // the parameters of a request, as in ?idsite=1&url=...
)

var inputs = []string{"", inputSnowplow, inputQuery, InputRegistry}

// asObject returns a value as a JSON object. It is good until the next call.
func (m *Mapping) asObject(value []byte) (_ []byte, reason string) {
	switch {
	case m.input == "" || m.input == InputRegistry || m.input == inputQuery && len(value) > 0 && value[0] == '{':
		return value, ""
	case !utf8.Valid(value):
		return nil, "not valid UTF-8"
	case m.input == inputQuery:
		reason = m.parameters(string(value))
	default:
		reason = m.columns(string(value))
	}
	return m.text, reason
}

// parameters makes an object of the parameters of a request. Of one that is given twice the last holds.
func (m *Mapping) parameters(query string) (reason string) {
	if before, after, ok := strings.Cut(query, "?"); ok && !strings.Contains(before, "=") {
		query = after
	}
	pairs := strings.Split(strings.TrimSpace(query), "&")
	names, last := make([]string, len(pairs)), make(map[string]int, len(pairs))
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		names[i], pairs[i] = unescape(name), value
		last[names[i]] = i
	}
	m.text = append(m.text[:0], '{')
	for i, name := range names {
		if name == "" || last[name] != i {
			continue
		}
		value := unescape(pairs[i])
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return "not the parameters of a request: not valid UTF-8"
		}
		m.member(name, eventjson.AppendQuoted(nil, value))
	}
	m.text = append(m.text, '}')
	return ""
}

// unescape undoes percent-encoding. A % that is none stays.
func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	s = strings.ReplaceAll(s, "+", " ")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+3 <= len(s) && s[i] == '%' {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// columns makes an object of the columns of an enriched event. Empty ones are left out; those with JSON objects are objects.
func (m *Mapping) columns(line string) (reason string) {
	cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	if len(cells) != len(snowplowColumns) {
		return fmt.Sprintf("%d columns, and an enriched event of Snowplow has %d", len(cells), len(snowplowColumns))
	}
	m.text = append(m.text[:0], '{')
	for i, cell := range cells {
		if v := jsontext.Value(cell); v.Kind() == '{' && v.IsValid() {
			m.member(snowplowColumns[i], v)
		} else if cell != "" {
			m.member(snowplowColumns[i], eventjson.AppendQuoted(nil, cell))
		}
	}
	m.text = append(m.text, '}')
	return ""
}

func (m *Mapping) member(name string, value []byte) {
	if len(m.text) > 1 {
		m.text = append(m.text, ',')
	}
	m.text = append(append(eventjson.AppendQuoted(m.text, name), ':'), value...)
}
