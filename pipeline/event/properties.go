package event

import "github.com/go-json-experiment/json/jsontext"

// EachProperty calls each with the event's properties that have a value to be broken down by, in their order: texts that are not empty,
// without quotes and escapes, and numbers and booleans as they are spelled. The bytes are those of the record, or copies.
func (e *Event) EachProperty(each func(key, value []byte)) {
	if len(e.Properties) == 0 {
		return
	}
	eachMember(e.Properties, func(key, value []byte) {
		if value[0] == '{' || value[0] == '[' || value[0] == 'n' { // Objects, lists and null have no row.
			return
		}
		if value[0] == '"' {
			value = unquoted(value)
		}
		if len(value) > 0 {
			each(key, value)
		}
	})
}

// eachMember calls each with the members of an object that the decoder has accepted: it is valid, from brace to brace, and no key comes
// twice. The key is without quotes and escapes, the value as it is spelled.
func eachMember(object []byte, each func(key, value []byte)) {
	for i := skipSpace(object, 1); object[i] == '"'; {
		quote, _ := scanString(object, i+1)
		from := skipSpace(object, skipSpace(object, quote+1)+1)
		to := endOf(object, from)
		each(unquoted(object[i:quote+1]), object[from:to])
		if i = skipSpace(object, to); object[i] == ',' {
			i = skipSpace(object, i+1)
		}
	}
}

// unquoted returns a string of JSON without its quotes and escapes.
func unquoted(text []byte) []byte {
	if quote, escaped := scanString(text, 1); !escaped {
		return text[1:quote]
	}
	plain, err := jsontext.AppendUnquote(nil, text)
	if err != nil {
		return nil // The decoder refuses such a record.
	}
	return plain
}

// endOf returns where the JSON value ends that begins at b[i], in a text that is valid.
func endOf(b []byte, i int) int {
	for depth := 0; ; i++ {
		switch b[i] {
		case '"':
			i, _ = scanString(b, i+1)
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
}
