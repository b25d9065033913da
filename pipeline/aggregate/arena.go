package aggregate

import "strings"

// arena makes texts from pieces of memory that several of them share: a session has half a dozen of them. A piece is freed with the last of
// its texts. So a text that stays keeps up to a piece in memory, and pieces are as small as what it belongs to.
type arena struct {
	piece int // bytes of a piece
	room  strings.Builder
}

// text returns a copy of the bytes.
func (a *arena) text(b []byte) string {
	if a.room.Cap()-a.room.Len() < len(b) {
		a.room = strings.Builder{}
		a.room.Grow(max(a.piece, len(b)))
	}
	from := a.room.Len()
	a.room.Write(b)
	return a.room.String()[from:]
}

// The pieces.
const (
	// keyPiece is of texts that live while a session is awake: its key, its visitor and its user. It takes 896 bytes itself.
	keyPiece = 2 << 10
	// idPiece is of ids of sessions, restPiece of what they keep while they rest, some 150 bytes.
	idPiece   = 1 << 10
	restPiece = 1 << 10
	// writePiece is of texts of a step's writes, which are freed together.
	writePiece = 4 << 10
)
