package arena

import "strings"

// Arena makes texts from pieces of memory that several of them share: a session has half a dozen of them. A piece is freed with the last of
// its texts. So a text that stays keeps up to a piece in memory, and pieces are as small as what it belongs to.
type Arena struct {
	Piece int // bytes of a piece
	room  strings.Builder
}

// Text returns a copy of the bytes.
func (a *Arena) Text(b []byte) string {
	if a.room.Cap()-a.room.Len() < len(b) {
		a.room = strings.Builder{}
		a.room.Grow(max(a.Piece, len(b)))
	}
	from := a.room.Len()
	a.room.Write(b)
	return a.room.String()[from:]
}
