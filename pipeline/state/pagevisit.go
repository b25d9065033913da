package state

import "encoding/binary"

// MaxPageBytes is where a session or a realtime minute truncates a page's path, on a rune boundary.
const MaxPageBytes = 200

// PageVisit is a page view of a session that is its first or its last.
type PageVisit struct {
	Page string // path, truncated to MaxPageBytes
	At   int64  // event time, milliseconds
	Pos  int64  // position of its record; decides between equal times
}

// appendBinary appends at and position less the base's, and the page: 0 where it is the base's, or its length and the page.
func (v *PageVisit) appendBinary(b []byte, base *PageVisit) []byte {
	b = binary.AppendVarint(b, v.At-base.At)
	b = binary.AppendVarint(b, v.Pos-base.Pos)
	if v.Page == base.Page {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(v.Page)))
	return append(b, v.Page...)
}

func (r *varints) visit(base *PageVisit) PageVisit {
	v := PageVisit{Page: base.Page, At: base.At + r.next(), Pos: base.Pos + r.next()}
	if page := r.text(MaxPageBytes); page != "" {
		v.Page = page
	}
	return v
}
