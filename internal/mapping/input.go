package mapping

import (
	"fmt"
	"net/url"
	"slices"
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

var inputs = []string{"", inputSnowplow, inputQuery}

// asObject returns a value as a JSON object. It is good until the next call.
func (m *Mapping) asObject(value []byte) (_ []byte, reason string) {
	switch {
	case m.input == "" || m.input == inputQuery && len(value) > 0 && value[0] == '{':
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
	if _, after, ok := strings.Cut(query, "?"); ok {
		query = after
	}
	all, err := url.ParseQuery(strings.TrimSpace(query))
	if err != nil {
		return "not the parameters of a request: " + err.Error()
	}
	m.text = append(m.text[:0], '{')
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := all[name][len(all[name])-1]
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return "not the parameters of a request: not valid UTF-8"
		}
		m.member(name, eventjson.AppendQuoted(nil, value))
	}
	m.text = append(m.text, '}')
	return ""
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
