package aggregate

import "iter"

// blocks is a list that grows by whole blocks: an entry stays where it is, and growing copies none. The lists of a step begin empty and
// end with tens of thousands of entries of several hundred bytes. The zero value is an empty list.
type blocks[T any] struct {
	list [][]T // of blockLen entries each; those after the n-th entry are zero
	n    int
}

const blockLen = 64

// add appends a zero entry.
func (b *blocks[T]) add() *T {
	if b.n == b.room() {
		b.list = append(b.list, make([]T, blockLen))
	}
	x := &b.list[b.n/blockLen][b.n%blockLen]
	b.n++
	return x
}

func (b *blocks[T]) len() int { return b.n }

// room is how many entries the list has room for.
func (b *blocks[T]) room() int { return len(b.list) * blockLen }

// all ranges over the entries, in the order in which they were added.
func (b *blocks[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range b.n {
			if !yield(&b.list[i/blockLen][i%blockLen]) {
				return
			}
		}
	}
}

// reset empties the list, and keeps its room for the next entries.
func (b *blocks[T]) reset() {
	for i := range (b.n + blockLen - 1) / blockLen {
		clear(b.list[i])
	}
	b.n = 0
}
