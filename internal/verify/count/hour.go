package count

import "github.com/footfall/footfall/sketch"

// smallUniques is how many visitors a part of uniques has at most while it rides in the hour's stats item.
const smallUniques = 16

// Hour is what one partition knows of an hour of a site.
type Hour struct {
	Sums
	Visitors *sketch.Uniques
	Early    []uint64 // the first smallUniques different hashes, in offset order
	Values   Spread
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (h *Hour) Clone() *Hour {
	if h == nil {
		return nil
	}
	o := *h
	o.Visitors = h.Visitors.Clone()
	return &o
}

// See takes a visitor in, and reports whether the part keeps more for it.
func (h *Hour) See(hash uint64) bool {
	added := h.Visitors.Add(hash)
	if added && len(h.Early) < smallUniques {
		h.Early = append(h.Early, hash)
	}
	return added && h.Visitors.Entries() >= 0
}

// Small reports whether the part rides in the hour's stats item.
func (h *Hour) Small() bool {
	n := h.Visitors.Entries()
	return n >= 0 && n <= smallUniques
}

// Day is what one partition knows of a day of a site.
type Day struct{ Sums }

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (d *Day) Clone() *Day {
	if d == nil {
		return nil
	}
	o := *d
	return &o
}
