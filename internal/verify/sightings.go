package verify

import (
	"hash/maphash"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// sightings know where each event of a partition was seen last, for as far back as the widest window of duplicates
// that any step of the chain had. What is older falls out a generation at a time.
type sightings struct {
	window    int64
	young     map[uint64]int64 // offset of the last sighting, by a hash of siteId and id
	old       map[uint64]int64
	turnover  int64 // the offset from which young becomes old
	forgotten bool  // they were let go: the window before the next record is to be read again
}

// keptSightings is up to how many chains keep theirs from one reading of the log to the next: 16 of 65,536 positions are 50 MB.
const keptSightings = 16

// seed makes it impossible to choose ids that have the same hash.
var seed = maphash.MakeSeed()

// widen makes room for a window. Sightings that fell out before are gone, so it is as wide as most will ever ask for
// from the beginning on: a later step's settings may become known while records are recounted.
func (s *sightings) widen(window int64) {
	s.window = max(s.window, window, checkpoint.DefaultDuplicates)
}

// clear forgets all events.
func (s *sightings) clear() { s.young, s.old = nil, nil }

// see takes in an event and returns how many offsets ago it was seen last; 0: not within the window.
func (s *sightings) see(site, id []byte, offset int64) (distance int64) {
	if s.young == nil || offset >= s.turnover {
		s.old, s.young, s.turnover = s.young, make(map[uint64]int64), offset+s.window
	}
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(site)
	h.WriteByte(0xff) // No id has it: they are UTF-8.
	h.Write(id)
	who := h.Sum64()
	last, ok := s.young[who]
	if !ok {
		last, ok = s.old[who]
	}
	s.young[who] = offset
	if !ok {
		return 0
	}
	return offset - last
}

// forget lets them go.
func (s *sightings) forget() { s.young, s.old, s.forgotten = nil, nil, true }
