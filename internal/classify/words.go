package classify

import (
	"math"
	"strings"
)

// words are fixed texts of two bytes or more that are looked for in one pass: at each place those are compared whose first letters are
// there. The zero value has none.
type words struct {
	by      [1 << 10][]word // by their first two letters, see pairOf
	thirds  [1 << 10]uint32 // bits of the third letters that these have; all if one has no third
	numbers map[string]uint16
}

type word struct {
	text   string
	third  byte // of it, or 0: most that begin as a text do differ there
	number uint16
}

// pairOf is equal for letters in either case.
func pairOf(a, b byte) int { return int(a&31)<<5 | int(b&31) }

// add returns the number of the word, which are from 0 on.
func (w *words) add(text string) uint16 {
	n, ok := w.numbers[text]
	if !ok {
		if w.numbers == nil {
			w.numbers = make(map[string]uint16)
		}
		n = uint16(len(w.numbers))
		w.numbers[text] = n
		pair := pairOf(text[0], text[1])
		w.by[pair] = append(w.by[pair], word{text, (text + "\x00")[2], n})
		if w.thirds[pair] |= 1 << ((text + "\x00")[2] & 31); len(text) == 2 {
			w.thirds[pair] = math.MaxUint32
		}
	}
	return n
}

// of returns the numbers of the words that are part of the text.
func (w *words) of(text string) bitset {
	found := make(bitset, len(w.numbers)/64+1)
	for i := 0; i+1 < len(text); i++ {
		some := w.from(text, i)
		for k := range some {
			if some[k].at(text, i) {
				found.add(some[k].number)
			}
		}
	}
	return found
}

// from returns the words that may be at a place, after which the text has two letters.
func (w *words) from(text string, i int) []word {
	pair := pairOf(text[i], text[i+1])
	if i+2 < len(text) && w.thirds[pair]>>(text[i+2]&31)&1 == 0 {
		return nil
	}
	return w.by[pair]
}

// at reports whether the text has the word at a place.
func (w *word) at(text string, i int) bool {
	return (w.third == 0 || i+2 < len(text) && text[i+2] == w.third) && strings.HasPrefix(text[i:], w.text)
}

// A bitset has numbers from 0 on.
type bitset []uint64

func (b bitset) add(n uint16)      { b[n/64] |= 1 << (n % 64) }
func (b bitset) has(n uint16) bool { return b[n/64]>>(n%64)&1 != 0 }
