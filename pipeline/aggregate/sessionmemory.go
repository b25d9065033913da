package aggregate

import "github.com/footfall/footfall/pipeline/aggregate/internal/memory"

// sessionMemory is where sessions have their memory from. Each of them would take a dozen allocations otherwise.
type sessionMemory struct {
	states memory.Slab[session]
	awake  spare
	ids    memory.Arena
	keys   memory.Arena // and visitors and users
	rests  memory.Arena
	room   []byte // for the state of a session that wakes
}

func newSessionMemory() sessionMemory {
	return sessionMemory{ids: memory.Arena{Piece: idPiece}, keys: memory.Arena{Piece: keyPiece}, rests: memory.Arena{Piece: restPiece}}
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
