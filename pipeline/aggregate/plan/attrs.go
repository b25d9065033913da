package plan

import "github.com/footfall/footfall/sinks"

// Attrs deals out room for the attributes of a step's writes from larger pieces: the many small slices of a step
// live and die together. Pieces double from that of a step of one item to 12 KB.
type Attrs struct {
	rest  []sinks.Attr
	piece int
	last  []sinks.Attr // what was left before the last room was dealt out
}

// Room returns an empty slice with place for n attributes.
func (a *Attrs) Room(n int) []sinks.Attr {
	if len(a.rest) < n {
		a.piece = min(max(n, 2*a.piece), 256)
		a.rest = make([]sinks.Attr, max(n, a.piece))
	}
	a.last = a.rest
	room := a.rest[:0:n]
	a.rest = a.rest[n:]
	return room
}

// Took takes back the room that set has left over, except for more attributes.
func (a *Attrs) Took(set []sinks.Attr, more int) []sinks.Attr {
	n := len(set) + more
	a.rest = a.last[n:]
	return set[:len(set):n]
}
