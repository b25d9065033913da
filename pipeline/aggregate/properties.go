package aggregate

import (
	"bytes"
	"encoding/json"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sketch"
)

// A site may choose properties of its events as dimensions of its breakdowns. A property is what the record's own event says, as a page
// is. Nothing of a session is booked to it, so that no session has to keep it.

// chosen is what an event says in the dimension of a property.
type chosen struct {
	d     sketch.Dimension
	value string // "": it has no row, and gets none
}

// properties returns the values of the event's properties that its site has chosen. They stay valid until the next call.
func (b *breakdowns) properties(r *Input) []chosen {
	b.chosen = b.chosen[:0]
	if rules := r.hour.Site.Ruled.Rules; rules != nil && len(rules.Properties) > 0 && len(r.Event.Properties) > 0 {
		eachProperty(r.Event.Properties, func(key, value []byte) {
			for _, p := range rules.Properties {
				if p.Key == string(key) {
					b.chosen = append(b.chosen, chosen{p.Dimension(), b.texts.Text(event.Truncate(value, sites.MaxPropertyValue))})
				}
			}
		})
	}
	return b.chosen
}

// feedProperty counts an event in a property's row.
func (b *breakdowns) feedProperty(r *Input, x *chosen, hit sketch.Hit, gone bool) {
	rows := r.hour.Breakdown.Breakdown
	if !gone {
		rows.Event(x.d, x.value, b.position(r), hit)
	} else if !rows.EventOfGone(x.d, x.value, hit) {
		x.value = "" // No log has a text that no row has.
	}
}

// eachProperty calls each with the members of a JSON object that have a value to be broken down by, in their order: texts that are not
// empty, without quotes and escapes, and numbers and booleans as they are spelled. The object is one that the decoder of events has
// accepted, so it is valid, and no key comes twice.
func eachProperty(object []byte, each func(key, value []byte)) {
	for rest := object[1:]; ; {
		var key, value []byte
		key, rest = jsonValue(rest)
		if key == nil {
			return
		}
		value, rest = jsonValue(rest)
		if !single(value) {
			continue
		}
		if value = plain(value); len(value) > 0 {
			each(plain(key), value)
		}
	}
}

// single reports whether a value is a text, a number or a boolean.
func single(value []byte) bool {
	return value[0] != '{' && value[0] != '[' && value[0] != 'n'
}

// jsonValue returns the first value of a text of valid JSON, and what follows it. Colons and commas before it are skipped; nil: there
// is none.
func jsonValue(b []byte) (value, rest []byte) {
	b = bytes.TrimLeft(b, " \t\r\n:,")
	if len(b) == 0 || b[0] == '}' {
		return nil, nil
	}
	switch b[0] {
	case '"':
		end := 1 + stringEnd(b[1:])
		return b[:end], b[end:]
	case '{', '[':
		end := nestedEnd(b)
		return b[:end], b[end:]
	}
	end := bytes.IndexAny(b, " \t\r\n,}")
	return b[:end], b[end:]
}

// stringEnd returns how many bytes the rest of a string has, its closing quote included.
func stringEnd(b []byte) int {
	for i := 0; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// nestedEnd returns how many bytes an object or an array has.
func nestedEnd(b []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch b[i] {
		case '"':
			i += stringEnd(b[i+1:])
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// plain returns a text without its quotes and escapes, and all else as it is.
func plain(value []byte) []byte {
	if value[0] != '"' {
		return value
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1]
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil // The decoder of events refuses such a record.
	}
	return []byte(text)
}
