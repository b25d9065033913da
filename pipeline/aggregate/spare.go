package aggregate

import (
	"slices"
	"unsafe"
)

// spare has the room of states that went for those that come: most sessions that are awake rest once their step is settled, thousands at a
// time, and as many wake or begin before the next one is. What it has counts as held, and is given up where memory is short.
type spare[T any] struct{ list []*T }

// take returns a zero T.
func (s *spare[T]) take() *T {
	last := len(s.list) - 1
	if last < 0 {
		return new(T)
	}
	x := s.list[last]
	s.list[last] = nil
	s.list = s.list[:last]
	return x
}

// give takes the room of a T that nothing refers to any more.
func (s *spare[T]) give(x *T) {
	var zero T
	*x = zero
	s.list = append(s.list, x)
}

// bytes is how many bytes it has.
func (s *spare[T]) bytes() int {
	var x T
	return len(s.list)*int(unsafe.Sizeof(x)) + cap(s.list)*int(unsafe.Sizeof(&x))
}

// giveUp frees what it has.
func (s *spare[T]) giveUp() { s.list = nil }

// shrink frees what it has beyond a number of bytes.
func (s *spare[T]) shrink(bytes int) {
	for len(s.list) > 0 && s.bytes() > bytes {
		s.list = slices.Clip(slices.Clone(s.list[:len(s.list)/2]))
	}
}

// slab deals out the room of small states from pieces of several. A piece is freed with the last of them.
type slab[T any] struct{ rest []T }

// slabLen is how many states a piece has: one that stays keeps as many in memory.
const slabLen = 8

// take returns a zero T.
func (s *slab[T]) take() *T {
	if len(s.rest) == 0 {
		s.rest = make([]T, slabLen)
	}
	x := &s.rest[0]
	s.rest = s.rest[1:]
	return x
}
