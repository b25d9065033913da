package repeats

import (
	"hash/maphash"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Sightings know where each event of a partition was seen last, for as far back as the widest window of duplicates
// that any step of the chain had. What is older falls out a generation at a time.
type Sightings struct {
	spans     []*segments // one for each window that a step of the chain had
	widest    int64       // offsets that the widest of them needs
	young     map[uint64]Sighting
	old       map[uint64]Sighting
	turnover  int64 // the offset from which young becomes old
	Cut       int64 // offset of the end of what was skipped and never read; 0: nothing
	Forgotten bool  // they were let go: the window before the next record is to be read again
}

// Sighting is the record that an event was seen in.
type Sighting struct{ Offset, Time int64 }

// KeptSightings is how many events are remembered from one reading of the log to the next, over all chains: some 50 MB. Those of a
// partition whose sightings do not fit are read again when they are needed.
const KeptSightings = 1_000_000

// seed makes it impossible to choose ids that have the same hash.
var seed = maphash.MakeSeed()

// Widen makes room for a window. Its segments need the log from where the window begins: when it becomes known while records are
// recounted already, what was seen is read again.
func (s *Sightings) Widen(window checkpoint.Duplicates) {
	if window.WindowMs <= 0 || window.Positions <= 0 || s.spanOf(window) != nil {
		return
	}
	began := s.young != nil
	s.spans = append(s.spans, newSegments(window))
	for _, x := range s.spans {
		s.widest = max(s.widest, x.size*(x.back+1))
	}
	if began {
		s.Forget()
	}
}

func (s *Sightings) spanOf(window checkpoint.Duplicates) *segments {
	i := slices.IndexFunc(s.spans, func(x *segments) bool { return x.of == window })
	if i < 0 {
		return nil
	}
	return s.spans[i]
}

// Start is the offset from which the log is to be read for a record at an offset to be judged.
func (s *Sightings) Start(offset int64) int64 {
	start := offset
	for _, x := range s.spans {
		start = min(start, max(0, offset/x.size-x.back)*x.size)
	}
	return start
}

// Clear forgets all events. The log is read from an offset on.
func (s *Sightings) Clear(offset int64) {
	s.young, s.old, s.Cut = nil, nil, offset
	for _, x := range s.spans {
		x.clear()
	}
}

// Time takes in the time of each record before its event.
func (s *Sightings) Time(offset, ms int64) {
	for _, x := range s.spans {
		x.add(offset, inRange(ms))
	}
}

// See takes in an event and returns where it was seen last.
func (s *Sightings) See(site, id []byte, offset, ms int64) (last Sighting, ok bool) {
	if s.young == nil || offset >= s.turnover {
		s.old, s.young, s.turnover = s.young, make(map[uint64]Sighting), offset+s.widest
	}
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(site)
	h.WriteByte(0xff) // No id has it: they are UTF-8.
	h.Write(id)
	who := h.Sum64()
	last, ok = s.young[who]
	if !ok {
		last, ok = s.old[who]
	}
	s.young[who] = Sighting{offset, inRange(ms)}
	return last, ok
}

// Repeated reports whether a record repeats an event that was seen last there, within a window that reaches down to floor.
func (s *Sightings) Repeated(window checkpoint.Duplicates, last, now Sighting, floor int64) bool {
	x := s.spanOf(window)
	if x == nil || last.Offset < floor {
		return false
	}
	apart := inRange(now.Time) - last.Time
	return -window.WindowMs <= apart && apart <= window.WindowMs && x.joined(last.Offset, now.Offset, floor)
}

// Edge is the offset of the first segment that is in reach of a record. What begins below the log's start is left out: its clock is
// not known any more.
func (s *Sightings) Edge(window checkpoint.Duplicates, offset, floor, start int64) int64 {
	x := s.spanOf(window)
	if x == nil {
		return offset
	}
	at := max(0, offset/x.size-x.back, floor/x.size, (start+x.size-1)/x.size) * x.size
	for at+x.size <= offset && !x.joined(at, offset, floor) {
		at += x.size
	}
	return max(at, floor)
}

// MayLack reports whether a log that begins at an offset may lack what decides about a record at another: its event's last sighting, or
// a part of the segment where that was.
func (s *Sightings) MayLack(window checkpoint.Duplicates, last Sighting, seen bool, offset, start int64) bool {
	x := s.spanOf(window)
	if x == nil || start == 0 {
		return false
	}
	if seen {
		return last.Offset/x.size <= start/x.size && offset/x.size-last.Offset/x.size > x.near
	}
	return offset/x.size-x.back <= start/x.size
}

// Forget lets them go.
func (s *Sightings) Forget() {
	s.Clear(s.Cut)
	s.Forgotten = true
}

// Size is how many events are remembered.
func (s *Sightings) Size() int { return len(s.young) + len(s.old) }
