package sketch

import (
	"cmp"
	"slices"
)

// SetRows gives some dimensions another number of rows than the breakdown's own, which all others get. It changes no row: a
// dimension that has more rows than it may now have keeps them until Trim evicts them or others take their place.
//
// The numbers are no part of the state, and its bytes do not hold them. The state is a function of the sequence of calls, SetRows
// included, provided that it is called again after UnmarshalBinary and before Event.
func (b *Breakdown) SetRows(own []DimensionRows) {
	if len(b.own)+len(own) == 0 {
		return
	}
	b.own = own
	for d, m := range b.all() {
		m.top.capacity = b.rows(d)
	}
}

// RowsByName returns the rows of the dimensions that are named, in the order of the dimensions. Names of no dimension are left out.
func RowsByName(rows map[string]int) []DimensionRows {
	var own []DimensionRows
	for name, n := range rows {
		if d, err := ParseDimension(name); err == nil {
			own = append(own, DimensionRows{d, n})
		}
	}
	slices.SortFunc(own, func(a, b DimensionRows) int { return cmp.Compare(a.Dimension, b.Dimension) })
	return own
}
