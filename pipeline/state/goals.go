package state

import (
	"encoding/binary"

	"github.com/footfall/footfall/internal/sites"
)

// Goals is a set of goals of a site, by their numbers: each as a uvarint, in the order in which they were added, none twice. The
// zero value is the empty set. It is a string so that states of sessions can be compared.
type Goals string

// maxGoalsBytes is how long a set is at most: 64 goals, of numbers up to MaxGoalNumber.
const (
	maxGoalsBytes = 128
	// MaxGoalNumber is the last number that a goal of a site can have: in two bytes.
	MaxGoalNumber = sites.MaxGoalNumber
)

// Has reports whether goal n is in the set.
func (g Goals) Has(n uint64) bool {
	for have := range g.each {
		if have == n {
			return true
		}
	}
	return false
}

// With returns the set with goal n, of 1 to MaxGoalNumber, in it. ok is false, and the set as it was, where n is in it, or
// where it is full.
func (g Goals) With(n uint64) (with Goals, ok bool) {
	if g.Has(n) {
		return g, false
	}
	b := binary.AppendUvarint([]byte(g), n)
	if len(b) > maxGoalsBytes {
		return g, false
	}
	return Goals(b), true
}

// Len is how many goals are in the set.
func (g Goals) Len() (n int64) {
	for range g.each {
		n++
	}
	return n
}

// Numbers returns the numbers, in the order in which they were added.
func (g Goals) Numbers() []uint64 {
	numbers := []uint64{}
	for n := range g.each {
		numbers = append(numbers, n)
	}
	return numbers
}

// each yields the numbers, up to the first that is none.
func (g Goals) each(yield func(uint64) bool) {
	for b := []byte(g); len(b) > 0; {
		n, size := binary.Uvarint(b)
		if size <= 0 || !yield(n) {
			return
		}
		b = b[size:]
	}
}

// valid reports whether the bytes are those of a set.
func (g Goals) valid() bool {
	var set Goals
	for n := range g.each {
		with, ok := set.With(n)
		if !ok || n == 0 || n > MaxGoalNumber {
			return false
		}
		set = with
	}
	return set == g && g != ""
}
