package aggregate

import (
	"math/bits"
	"slices"
	"unsafe"
)

// spare has the room of states that went for those that come: most sessions that are awake rest once their step is settled, thousands at a
// time, and as many wake or begin before the next one is. Room comes in pages, which several states share. What is free counts as held.
// Where memory is short, pages without any state are given up. The free room of the others stays for the states that come next.
type spare struct {
	pages []*page // those that have free room
	free  int     // how many states there is free room for
}

// take returns a zero awake, but for its place.
func (s *spare) take() *awake {
	if len(s.pages) == 0 {
		s.pages = append(s.pages, newPage())
		s.free += pageLen
	}
	p := s.pages[len(s.pages)-1]
	i := bits.TrailingZeros16(p.free)
	p.free &^= 1 << i
	s.free--
	if p.free == 0 {
		s.pages[len(s.pages)-1] = nil
		s.pages = s.pages[:len(s.pages)-1]
	}
	return &p.states[i]
}

func newPage() *page {
	p := &page{free: pageFree}
	for i := range p.states {
		p.states[i].page, p.states[i].place = p, uint8(i)
	}
	return p
}

// give takes the room of an awake that nothing refers to any more.
func (s *spare) give(x *awake) {
	p := x.page
	*x = awake{page: p, place: x.place}
	if p.free == 0 {
		s.pages = append(s.pages, p)
	}
	p.free |= 1 << x.place
	s.free++
}

// bytes is how many bytes the free room takes.
func (s *spare) bytes() int {
	return s.free*awakeRoom + cap(s.pages)*int(unsafe.Sizeof(s.pages[0]))
}

// giveUp frees pages that have no state if there are more than so many bytes of free room, until half of that is left.
func (s *spare) giveUp(bytes int) {
	if s.bytes() <= bytes {
		return
	}
	s.pages = slices.DeleteFunc(s.pages, func(p *page) bool {
		gone := p.free == pageFree && s.bytes() > bytes/2
		if gone {
			s.free -= pageLen
		}
		return gone
	})
	if cap(s.pages) > 2*len(s.pages) {
		s.pages = slices.Clip(slices.Clone(s.pages))
	}
}

// awakeRoom is what an awake session takes of a page.
const awakeRoom = pageRoom / pageLen
