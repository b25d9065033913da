package memory

import (
	"iter"
	"slices"
	"sort"
)

// list holds rows in an order; nil is empty. It is split into blocks: an insertion moves the rows of one at most. No block is empty.
//
// A place in it is given by a function that is false for the rows before the place and true for the others.
type list struct {
	blocks [][]*row
}

// maxBlock is how many rows a block has at most: moving half of them takes about as long as finding the place.
const maxBlock = 512

// seek returns the first row of a place; after all rows, that is in a block that does not exist.
func (l *list) seek(from func(*row) bool) (block, at int) {
	block = sort.Search(len(l.blocks), func(i int) bool { return from(l.blocks[i][len(l.blocks[i])-1]) })
	if block < len(l.blocks) {
		b := l.blocks[block]
		at = sort.Search(len(b), func(i int) bool { return from(b[i]) })
	}
	return block, at
}

// insert inserts a row at a place.
func (l *list) insert(r *row, from func(*row) bool) {
	block, at := l.seek(from)
	if block == len(l.blocks) { // After all rows, as most are that come in the order of time.
		if block == 0 || len(l.blocks[block-1]) == maxBlock {
			l.blocks = append(l.blocks, nil)
		} else {
			block--
		}
		at = len(l.blocks[block])
	}
	b := slices.Insert(l.blocks[block], at, r)
	l.blocks[block] = b
	if half := len(b) / 2; len(b) > maxBlock {
		l.blocks = slices.Insert(l.blocks, block+1, slices.Clone(b[half:]))
		l.blocks[block] = slices.Delete(b, half, len(b))
	}
}

// remove removes the first row of a place.
func (l *list) remove(from func(*row) bool) {
	block, at := l.seek(from)
	if l.blocks[block] = slices.Delete(l.blocks[block], at, at+1); len(l.blocks[block]) == 0 {
		l.blocks = slices.Delete(l.blocks, block, block+1)
	}
}

// ascend iterates over the rows from a place on.
func (l *list) ascend(from func(*row) bool) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		if l == nil {
			return
		}
		for block, at := l.seek(from); block < len(l.blocks); block, at = block+1, 0 {
			for _, r := range l.blocks[block][at:] {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// descend iterates backwards over the rows before a place.
func (l *list) descend(from func(*row) bool) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		if l == nil {
			return
		}
		for block, at := l.seek(from); ; at = len(l.blocks[block]) {
			for at--; at >= 0; at-- {
				if !yield(l.blocks[block][at]) {
					return
				}
			}
			if block--; block < 0 {
				return
			}
		}
	}
}
