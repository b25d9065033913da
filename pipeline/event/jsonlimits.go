package event

import "fmt"

// What a record may hold, so that none costs much more than its bytes: package jsontext compares the keys of an object with each
// other, and pays for each level of nesting.
const (
	maxRecordDepth = 64    // objects and arrays within each other: 1 for {}
	maxRecordKeys  = 1_000 // of all objects together
)

// overLimits says which limit a JSON text is beyond, if any: one pass over its bytes, before anything else reads it. It does not
// have to be valid: outside of strings each brace or bracket opens or closes, and each colon follows a key. A text that is not
// valid is rejected for the same reason in any case.
func overLimits(text []byte) (detail string) {
	depth, keys := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxRecordDepth {
				return fmt.Sprintf("objects and arrays are nested more than %d deep at offset %d", maxRecordDepth, i)
			}
		case '}', ']':
			depth--
		case ':':
			if keys++; keys > maxRecordKeys {
				return fmt.Sprintf("there are more than %d keys, at offset %d", maxRecordKeys, i)
			}
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return ""
}
