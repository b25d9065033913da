package ids

import "strings"

// Whole reports whether Escape spells an id whole.
func Whole(id string) bool {
	if 3*len(id) <= MaxBytes {
		return true
	}
	n := len(id)
	for i := 0; i < len(id); i++ {
		if mustEscape(id[i]) {
			n += 2
		}
	}
	return n <= MaxBytes
}

// Compact spells an id of 16 bytes as EscapeID does. Any other id is spelled as it is, after a "%" if it begins with one.
func Compact(id string) string {
	var room [compactBytes + MaxBytes]byte
	return string(AppendCompact(room[:0], id))
}

// AppendCompact appends what Compact returns.
func AppendCompact(b []byte, id string) []byte {
	if bytes, uuid, ok := Binary(id); ok {
		return appendCompact(b, bytes, uuid)
	}
	if strings.HasPrefix(id, "%") {
		b = append(b, '%')
	}
	return append(b, id...)
}

// Expand returns the id that Compact spelled.
func Expand(s string) string {
	if compacted(s) {
		if id, err := expand(s); err == nil {
			return id
		}
	}
	if strings.HasPrefix(s, "%%") {
		return s[1:]
	}
	return s
}
