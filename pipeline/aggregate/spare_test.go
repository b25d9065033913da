package aggregate

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestPageFillsItsRoom(t *testing.T) {
	if size, one := unsafe.Sizeof(page{}), unsafe.Sizeof(awake{}); size > pageRoom || size+one <= pageRoom {
		t.Errorf("a page of %d states takes %d bytes, want %d with less than a state's %d left over", pageLen, size, pageRoom, one)
	}
}

// TestSpareDealsOutZeroRoomOfItsOwn takes and gives back room in random order.
func TestSpareDealsOutZeroRoomOfItsOwn(t *testing.T) {
	var s spare
	rng := rand.New(rand.NewPCG(3, 4))
	taken := make(map[*awake]string)
	for i := range 20_000 {
		switch {
		case rng.IntN(500) == 0:
			pages := make(map[*page]bool)
			for x := range taken {
				pages[x.page] = true
			}
			s.giveUp(0)
			if want := len(pages)*pageLen - len(taken); s.free != want {
				t.Fatalf("after giving up, there is room for %d, want %d: that of pages with a state", s.free, want)
			}
		case rng.IntN(2) == 0:
			x := s.take()
			if _, is := taken[x]; is || *x != (awake{page: x.page, place: x.place}) || &x.page.states[x.place] != x {
				t.Fatalf("room taken before: %v; %+v", is, *x)
			}
			x.visitor = string(rune('a' + i%26))
			taken[x] = x.visitor
		default:
			for x, visitor := range taken {
				if x.visitor != visitor {
					t.Fatalf("a state has become %q, want %q", x.visitor, visitor)
				}
				s.give(x)
				delete(taken, x)
				break
			}
		}
	}
	for x := range taken {
		s.give(x)
	}
	if s.bytes() < s.free*awakeRoom || s.free == 0 {
		t.Errorf("%d bytes for %d states", s.bytes(), s.free)
	}
	if s.giveUp(0); s.free != 0 || len(s.pages) != 0 {
		t.Errorf("%d pages with room for %d states are left", len(s.pages), s.free)
	}
}
