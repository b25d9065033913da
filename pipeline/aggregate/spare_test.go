package aggregate

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestPageFillsItsRoom(t *testing.T) {
	if size, one := unsafe.Sizeof(slab{}), unsafe.Sizeof(awake{}); size > slabRoom || size+one <= slabRoom {
		t.Errorf("a slab of %d states takes %d bytes, want %d with less than a state's %d left over", slabLen, size, slabRoom, one)
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
			slabs := make(map[*slab]bool)
			for x := range taken {
				slabs[x.slab] = true
			}
			s.giveUp(0)
			if want := len(slabs)*slabLen - len(taken); s.free != want {
				t.Fatalf("after giving up, there is room for %d, want %d: that of slabs with a state", s.free, want)
			}
		case rng.IntN(2) == 0:
			x := s.take()
			if _, is := taken[x]; is || *x != (awake{slab: x.slab, place: x.place}) || &x.slab.states[x.place] != x {
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
	if s.giveUp(0); s.free != 0 || len(s.slabs) != 0 {
		t.Errorf("%d slabs with room for %d states are left", len(s.slabs), s.free)
	}
}
