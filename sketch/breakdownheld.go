package sketch

import (
	"iter"
	"slices"
)

// held are the dimensions of a breakdown that were ever asked for.
type held struct {
	parts  [dimensions]*dimension
	chosen []chosenDimension // of properties, by number
}

// chosenDimension is a breakdown by a property that a site has chosen.
type chosenDimension struct {
	d Dimension
	*dimension
}

// part returns a dimension; nil: it was never asked for.
func (h *held) part(d Dimension) *dimension {
	if d < dimensions {
		return h.parts[d]
	}
	for _, c := range h.chosen {
		if c.d == d {
			return c.dimension
		}
	}
	return nil
}

// all ranges over the dimensions that were ever asked for; what they have may have been taken back.
func (h *held) all() iter.Seq2[Dimension, *dimension] {
	return func(yield func(Dimension, *dimension) bool) {
		for d, m := range h.parts {
			if m != nil && !yield(Dimension(d), m) {
				return
			}
		}
		for _, c := range h.chosen {
			if !yield(c.d, c.dimension) {
				return
			}
		}
	}
}

// Properties returns the dimensions of properties that have anything, in the order of their numbers.
func (h *held) Properties() (all []Dimension) {
	for _, c := range h.chosen {
		if !c.empty() {
			all = append(all, c.d)
		}
	}
	return all
}

// place returns where the breakdown has a dimension that was asked for.
func (h *held) place(d Dimension) **dimension {
	if d < dimensions {
		return &h.parts[d]
	}
	return &h.chosen[slices.IndexFunc(h.chosen, func(c chosenDimension) bool { return c.d == d })].dimension
}

// Floor returns the largest rank that was ever evicted from the dimension, 0 before the first eviction. A value without
// a row has that many events at most.
func (h *held) Floor(d Dimension) uint64 {
	if m := h.part(d); m != nil {
		return m.top.floor
	}
	return 0
}

// Full reports whether a dimension has evicted a row.
func (h *held) Full() bool {
	for _, m := range h.all() {
		if m.top.floor > 0 {
			return true
		}
	}
	return false
}

// least returns the dimension that has the least row of all, nil if there are no rows. Those with more rows than the breakdown's number
// come first.
func (h *held) least(capacity int) (least *dimension) {
	rank, wide := uint64(0), false
	for _, m := range h.all() {
		more := len(m.top.rows) > capacity
		if len(m.top.rows) == 0 || wide && !more {
			continue
		}
		if r := m.top.rows[m.top.least()].Rank(); least == nil || r < rank || more && !wide {
			least, rank, wide = m, r, more
		}
	}
	return least
}
