package links

import "strings"

// Paths cannot have a segment of one or two dots: browsers and servers resolve it, however it is encoded. So an id that is one is written
// with a ~ before it, and one more if it has some already: ~. is the id ".", and ~~. is the id "~.". Other ids are written as they are.

// Spelled returns an id as it is written in a path.
func Spelled(id string) string {
	if dots(strings.TrimLeft(id, "~")) {
		return "~" + id
	}
	return id
}

// Unspelled returns the id that is written in a path.
func Unspelled(segment string) string {
	if rest, ok := strings.CutPrefix(segment, "~"); ok && dots(strings.TrimLeft(rest, "~")) {
		return rest
	}
	return segment
}

func dots(s string) bool { return s == "." || s == ".." }
