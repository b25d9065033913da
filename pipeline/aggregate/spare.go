package aggregate

import (
	"math/bits"
	"slices"
	"unsafe"
)

// spare has the room of states that went for those that come: most sessions that are awake rest once their step is settled, thousands at a
// time, and as many wake or begin before the next one is. Room comes in slabs, which several states share. What is free counts as held.
// Where memory is short, slabs without any state are given up. The free room of the others stays for the states that come next.
type spare struct {
	slabs []*slab // those that have free room
	free  int     // how many states there is free room for
}

// slab is the room of several states, from one allocation.
type slab struct {
	states [slabLen]awake
	free   uint16 // a bit for each state that there is room for
}

const (
	// slabRoom is what a slab takes of the allocator, and slabLen how many states it has room for, and what is free. A state is of
	// 512 bytes and a spot for each dimension.
	slabRoom = 8 << 10
	slabLen  = (slabRoom - 8) / (512 + 24*len(values{}))
)

const slabFree = 1<<slabLen - 1

// take returns a zero awake, but for its place.
func (s *spare) take() *awake {
	if len(s.slabs) == 0 {
		s.slabs = append(s.slabs, newSlab())
		s.free += slabLen
	}
	p := s.slabs[len(s.slabs)-1]
	i := bits.TrailingZeros16(p.free)
	p.free &^= 1 << i
	s.free--
	if p.free == 0 {
		s.slabs[len(s.slabs)-1] = nil
		s.slabs = s.slabs[:len(s.slabs)-1]
	}
	return &p.states[i]
}

func newSlab() *slab {
	p := &slab{free: slabFree}
	for i := range p.states {
		p.states[i].slab, p.states[i].place = p, uint8(i)
	}
	return p
}

// give takes the room of an awake that nothing refers to any more.
func (s *spare) give(x *awake) {
	p := x.slab
	*x = awake{slab: p, place: x.place}
	if p.free == 0 {
		s.slabs = append(s.slabs, p)
	}
	p.free |= 1 << x.place
	s.free++
}

// bytes is how many bytes the free room takes.
func (s *spare) bytes() int {
	return s.free*awakeRoom + cap(s.slabs)*int(unsafe.Sizeof(s.slabs[0]))
}

// giveUp frees slabs that have no state if there are more than so many bytes of free room, until half of that is left.
func (s *spare) giveUp(bytes int) {
	if s.bytes() <= bytes {
		return
	}
	s.slabs = slices.DeleteFunc(s.slabs, func(p *slab) bool {
		gone := p.free == slabFree && s.bytes() > bytes/2
		if gone {
			s.free -= slabLen
		}
		return gone
	})
	if cap(s.slabs) > 2*len(s.slabs) {
		s.slabs = slices.Clip(slices.Clone(s.slabs))
	}
}

// awakeRoom is what an awake session takes of a slab.
const awakeRoom = slabRoom / slabLen
