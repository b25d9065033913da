package state

import "testing"

func goals(numbers ...uint64) (g Goals) {
	for _, n := range numbers {
		g, _ = g.With(n)
	}
	return g
}

func TestGoalIsInItsSetOnce(t *testing.T) {
	g := goals(7, 300, 1)
	for n, want := range map[uint64]bool{7: true, 300: true, 1: true, 2: false, 44: false, MaxGoalNumber: false} {
		if got := g.Has(n); got != want {
			t.Errorf("Has(%d) = %v, want %v", n, got, want)
		}
	}
	if again, ok := g.With(300); ok || again != g {
		t.Errorf("goal 300 is added again: %x, want %x", again, g)
	}
}

func TestFullSetOfGoalsStaysAsItIs(t *testing.T) {
	var g Goals
	var n uint64
	for ok := true; ok; n++ {
		if next, fits := g.With(MaxGoalNumber - n); fits {
			g = next
		} else {
			ok = false
		}
	}
	if n-1 != 64 || !g.valid() {
		t.Errorf("it is full with %d goals, want 64; %x", n-1, g)
	}
}

func TestBytesThatAreNoSetOfGoalsAreRefused(t *testing.T) {
	for name, b := range map[string]Goals{
		"nothing": "", "zero": "\x00", "twice": "\x05\x05", "cut short": "\x05\x80", "longer than needed": "\x85\x00",
		"too large": "\x80\x80\x01",
	} {
		if b.valid() {
			t.Errorf("%s: %x is taken for a set", name, string(b))
		}
	}
}
