package classify

import "strings"

// words are fixed texts of two bytes or more that are looked for in one pass: each pair of neighbours in the text is
// looked up, and only words that begin with that pair are compared.
type words struct {
	pairs [1 << 16 / 64]uint64 // bits: with which pairs words begin
	by    map[[2]byte][]string
}

func (w *words) add(word string) {
	if w.by == nil {
		w.by = make(map[[2]byte][]string)
	}
	pair := [2]byte{word[0], word[1]}
	w.by[pair] = append(w.by[pair], word)
	n := uint(pair[0])<<8 | uint(pair[1])
	w.pairs[n/64] |= 1 << (n % 64)
}

// in reports whether any word is part of the text.
func (w *words) in(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		n := uint(text[i])<<8 | uint(text[i+1])
		if w.pairs[n/64]>>(n%64)&1 == 0 {
			continue
		}
		for _, word := range w.by[[2]byte{text[i], text[i+1]}] {
			if strings.HasPrefix(text[i:], word) {
				return true
			}
		}
	}
	return false
}
