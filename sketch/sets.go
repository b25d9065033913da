package sketch

import "math/bits"

// sets has tables for the visitors of a breakdown's rows. The table of a row doubles up to five times. Small tables share allocations, and
// one that a row has outgrown serves another; of the two largest lengths, a few are kept for that. A nil sets makes each table by itself.
// The zero value is ready.
type sets struct {
	rest [setClasses][]uint64   // zero; tables of a length are cut from it
	free [setClasses][][]uint64 // zero
}

const (
	// setClasses are the lengths of tables, from firstSet to twice RowExact.
	setClasses = 6
	// setsAtOnce is how many tables share an allocation at most, and setPiece how many slots these have together.
	setsAtOnce = 16
	setPiece   = 128
)

func setClass(slots int) int { return bits.Len(uint(slots/firstSet)) - 1 }

// take returns an empty table of so many slots, a power of two from firstSet to 2*RowExact if s is not nil.
func (s *sets) take(slots int) []uint64 {
	if s == nil {
		return make([]uint64, slots)
	}
	class := setClass(slots)
	if last := len(s.free[class]) - 1; last >= 0 {
		set := s.free[class][last]
		s.free[class] = s.free[class][:last]
		return set
	}
	if len(s.rest[class]) == 0 {
		s.rest[class] = make([]uint64, max(slots, min(setsAtOnce*slots, setPiece)))
	}
	set := s.rest[class][:slots:slots]
	s.rest[class] = s.rest[class][slots:]
	return set
}

// give takes back a table that nothing refers to any more; it may be nil.
func (s *sets) give(set []uint64) {
	if s == nil || set == nil {
		return
	}
	class := setClass(len(set))
	if len(set) >= setPiece/2 && len(s.free[class]) >= setsAtOnce { // They take most of the room.
		return
	}
	clear(set)
	s.free[class] = append(s.free[class], set)
}

// weight returns about how many bytes the tables take that no row has.
func (s *sets) weight() (n int) {
	for class := range s.rest {
		n += 8*len(s.rest[class]) + len(s.free[class])*8*(firstSet<<class) + 24*cap(s.free[class])
	}
	return n
}

// firstSet is how many slots a set begins with.
const firstSet = 4
