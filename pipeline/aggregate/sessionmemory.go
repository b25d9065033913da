package aggregate

// sessionMemory is where sessions have their memory from. Each of them would take a dozen allocations otherwise.
type sessionMemory struct {
	states slab[session]
	awake  spare
	ids    arena
	keys   arena // and visitors and users
	rests  arena
	room   []byte // for the state of a session that wakes
}

func newSessionMemory() sessionMemory {
	return sessionMemory{ids: arena{piece: idPiece}, keys: arena{piece: keyPiece}, rests: arena{piece: restPiece}}
}
