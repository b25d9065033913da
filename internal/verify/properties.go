package verify

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/footfall/footfall/sketch"
)

// maxPropertyValue is up to how many bytes of a property's value count.
const maxPropertyValue = 256

// propertiesIn counts what an event says in the properties that its site has chosen. gone says that no row is made for its visitor.
func (s *statsRecount) propertiesIn(b *breakdown, r *record, gone bool) {
	e := r.event
	if r.rules == nil || len(r.rules.Properties) == 0 || e.Properties == nil {
		return
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(e.Properties, &members); err != nil {
		return
	}
	hit := sketch.Hit{Visitor: s.v.hasher.Visitor(e.Visitor()), PageView: e.IsPageView()}
	for _, p := range r.rules.Properties {
		value := propertyText(members[p.Key])
		switch d := sketch.PropertyDimension(p.N); {
		case value == "":
		case gone:
			b.EventOfGone(d, value, hit)
		default:
			b.Event(d, value, r.position, hit)
		}
	}
}

// dimensions returns the dimensions of a sealed breakdown and of what it should be made of: all that events always have, and the
// properties that either has.
func (m *made) dimensions(have *sketch.Breakdown) []sketch.Dimension {
	all := have.Properties()
	for _, part := range m.breakdowns {
		all = append(all, part.Properties()...)
	}
	slices.Sort(all)
	return append(sketch.Dimensions(), slices.Compact(all)...)
}

// propertyText returns the value that a member is counted under; "": none. Texts count without quotes, numbers and booleans as they
// are spelled, all else does not.
func propertyText(raw json.RawMessage) string {
	text := string(raw)
	switch {
	case text == "" || text == "null" || text[0] == '{' || text[0] == '[':
		return ""
	case text[0] == '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			return ""
		}
	}
	if len(text) <= maxPropertyValue {
		return text
	}
	n := maxPropertyValue
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
