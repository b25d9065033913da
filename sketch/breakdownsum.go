package sketch

import (
	"cmp"
	"slices"
)

// BreakdownSum merges the breakdowns of several hours and partitions, by all dimensions, into one that can be kept and
// merged again. Its rows and others hold all that was fed to the parts. A value's error grows by the floor of each part
// that has no row for it, as readers count it (see BreakdownMerge), so that a merge of such sums is the merge of their
// parts. The positions at which rows were admitted are gone: nothing may be booked to a sum.
//
// The zero value is the sum of nothing. Not safe for concurrent use.
type BreakdownSum struct {
	merges [allDimensions]*BreakdownMerge
}

// What a sum holds while parts come in is bounded: beyond maxSumRows rows, some 40 MB, it gives up those of the least ranks
// until sumBytes are left, twice what Breakdown keeps in the end. A row takes 13 bytes at least, so that is 55,000 rows at
// most. A day of 24 hours and 16 partitions has as many only if hundreds of values of ten dimensions differ in all of
// them. Errors are true bounds all the same.
const (
	maxSumRows = 1 << 16
	sumBytes   = 2 * MaxBreakdownBytes
)

// Add takes a part in, which stays as it is. What a sum of very many rows keeps depends on the order of the parts.
func (s *BreakdownSum) Add(part *Breakdown) {
	rows := 0
	for d := range s.merges {
		if p := part.part(Dimension(d)); p != nil && !p.empty() {
			if s.merges[d] == nil {
				s.merges[d] = NewBreakdownMerge(Dimension(d))
			}
			s.merges[d].Add(part)
		}
		if s.merges[d] != nil {
			rows += len(s.merges[d].rows)
		}
	}
	if rows > maxSumRows {
		less := s.Breakdown(sumBytes)
		*s = BreakdownSum{}
		s.Add(less)
	}
}

// Breakdown returns the sum so far as a breakdown whose bytes are most at the most, but for what its others take: rows go
// to them in the order of Trim. MaxBreakdownBytes or less fit in an item.
func (s *BreakdownSum) Breakdown(most int) *Breakdown {
	b := NewBreakdown(MaxRows)
	var rows []sumRow
	for d, m := range s.merges {
		if m == nil {
			continue
		}
		to := b.dimension(Dimension(d))
		to.top.floor, to.top.other, to.other = m.floors, m.events, m.other.clone()
		b.size += to.otherBytes() - emptyBytes
		for value, g := range m.rows {
			r := sumRow{to, Dimension(d), Row{value, g.events, m.floors - g.below}, rest{tally: g.tally}, 0}
			r.bytes = rowBytes(r.row, &r.rest)
			b.size += r.bytes
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(x, y sumRow) int {
		return cmp.Or(cmp.Compare(x.row.Rank(), y.row.Rank()), cmp.Compare(x.d, y.d), cmp.Compare(x.row.Value, y.row.Value))
	})
	for len(rows) > 0 && (b.Size() > most || len(rows) > MaxRows) {
		r := &rows[0]
		b.size -= r.bytes + r.to.otherBytes()
		r.to.top.leave(r.row)
		r.to.other.merge(&r.rest.tally)
		b.size += r.to.otherBytes()
		rows = rows[1:]
	}
	for _, r := range rows {
		r.rest.tally = r.rest.clone()
		r.to.push(r.row, r.rest)
	}
	return b
}

// sumRow is a row of a sum on its way to a dimension of a breakdown, where it takes so many bytes.
type sumRow struct {
	to    *dimension
	d     Dimension
	row   Row
	rest  rest
	bytes int
}
