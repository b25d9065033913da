package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/sinks"
)

// sessionMemory is where sessions have their memory from. Each of them would take a dozen allocations otherwise.
type sessionMemory struct {
	states arena.Slab[session]
	awake  spare
	ids    arena.Arena
	keys   arena.Arena // and visitors and users
	rests  arena.Arena
	room   []byte // for the state of a session that wakes
}

func newSessionMemory() sessionMemory {
	return sessionMemory{ids: arena.Arena{Piece: idPiece}, keys: arena.Arena{Piece: keyPiece}, rests: arena.Arena{Piece: restPiece}}
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

// spellKey spells the key of a session that is awake.
func (s *sessions) spellKey(x *session) {
	var room [256]byte
	key, sk := s.Keys.AppendSession(room[:0], x.site.ID, x.id, s.TP, s.SessionShards)
	text := s.memory.keys.Text(key)
	x.key = sinks.Key{PK: text[:sk], SK: text[sk:]}
}

// sessions are the sessions of the accumulating step, and how they come into memory.
type sessions struct {
	*accumulating
	buckets    *buckets
	breakdowns *breakdowns
	ledger     *ledger
	goals      *goals
	dims       *dimensioner
	texts      numbered // of sessions that rest
	memory     sessionMemory

	touched arena.Blocks[touchedSession] // in the order of first touch
	listed  listCount
	fresh   []*session   // asked for by the present chunk
	booked  []bookedHour // of them, those whose hour is being asked for
	brought int          // hours that sessions brought
}

// bookedHour is an hour in which a session has booked.
type bookedHour struct {
	*session
	hour *hour
}

// ListedPerItem bounds an item of sessions of visitors: 500 entries of at most 269 bytes are 132 KB.
const ListedPerItem = 500

// listCount counts the sessions that the accumulating step lists, and the items which that takes.
type listCount struct {
	sessions map[listHour]int
	items    int
}

type listHour struct {
	site *Site
	hour int64
}
