package sites

import (
	"cmp"
	"slices"
)

// A Drop is an erasure that includes breakdowns: in those of all hours that begin at or before its instant, rows that only this
// visitor made are moved to what has no row, and the visitor's events, whenever they come, make no row.
//
// It goes by the hour rather than by the event's time, so that dropping rows once more never changes anything: in these hours no
// such row is made again, also not by a visitor who comes back within the last of them.
type Drop struct {
	Rev     int64
	Visitor uint64 // the visitor's hash in sketches
	Until   int64  // ms since the epoch, inclusive
}

// Drops returns the erasures of the site that include breakdowns, by revision, the least first.
func (e Erased) Drops() (all []Drop) {
	for _, those := range e.all {
		for _, t := range those {
			if t.breakdowns != nil && t.Rev <= e.rev {
				all = append(all, Drop{t.Rev, *t.breakdowns, t.Until})
			}
		}
	}
	slices.SortFunc(all, func(a, b Drop) int { return cmp.Compare(a.Rev, b.Rev) })
	return all
}

// Rev returns the revision of the site settings that the erasures are of.
func (e Erased) Rev() int64 { return e.rev }

// DropIndex finds drops by their visitor. The zero value has none.
type DropIndex map[uint64]int64 // the latest instant

// IndexDrops makes an index of drops.
func IndexDrops(drops []Drop) DropIndex {
	if len(drops) == 0 {
		return nil
	}
	x := make(DropIndex, len(drops))
	for _, d := range drops {
		x[d.Visitor] = max(x[d.Visitor], d.Until)
	}
	return x
}

// Has reports whether rows that only the visitor made are dropped from the breakdown of an hour.
func (x DropIndex) Has(visitor uint64, hour int64) bool {
	until, ok := x[visitor]
	return ok && hour <= until
}

// In returns, for sketch.Breakdown.Purge, whose rows are dropped from the breakdown of an hour; nil: none are.
func (x DropIndex) In(hour int64) func(visitor uint64) bool {
	for _, until := range x {
		if hour <= until {
			return func(visitor uint64) bool { return x.Has(visitor, hour) }
		}
	}
	return nil
}
