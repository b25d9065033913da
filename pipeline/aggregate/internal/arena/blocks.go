package arena

import "iter"

// Blocks is a list that grows by whole blocks: an entry stays where it is, and growing copies none. The lists of a step begin empty and
// end with tens of thousands of entries of several hundred bytes. The zero value is an empty list.
type Blocks[T any] struct {
	list [][]T // of blockLen entries each; those after the n-th entry are zero
	n    int
}

const blockLen = 64

// Add appends a zero entry.
func (b *Blocks[T]) Add() *T {
	if b.n == b.Room() {
		b.list = append(b.list, make([]T, blockLen))
	}
	x := &b.list[b.n/blockLen][b.n%blockLen]
	b.n++
	return x
}

// Len is how many entries the list has.
func (b *Blocks[T]) Len() int { return b.n }

// Room is how many entries the list has room for.
func (b *Blocks[T]) Room() int { return len(b.list) * blockLen }

// All ranges over the entries, in the order in which they were added.
func (b *Blocks[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range b.n {
			if !yield(&b.list[i/blockLen][i%blockLen]) {
				return
			}
		}
	}
}

// Reset empties the list, and keeps its room for the next entries.
func (b *Blocks[T]) Reset() {
	for i := range (b.n + blockLen - 1) / blockLen {
		clear(b.list[i])
	}
	b.n = 0
}
