package arena

// Slab deals out the room of small states from pieces of several. A piece is freed with the last of them.
type Slab[T any] struct{ rest []T }

// slabLen is how many states a piece has: one that stays keeps as many in memory.
const slabLen = 16

// Take returns a zero T.
func (s *Slab[T]) Take() *T {
	if len(s.rest) == 0 {
		s.rest = make([]T, slabLen)
	}
	x := &s.rest[0]
	s.rest = s.rest[1:]
	return x
}
