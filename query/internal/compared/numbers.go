package compared

import (
	"iter"
	"maps"
	"slices"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// Numbers returns the buckets that have a row, given the numbers of those that have anything in the range and in the earlier one: these, or
// all up to the current one.
func (q *Question) Numbers(now, before iter.Seq[int64]) []int64 {
	has := make(map[int64]bool)
	for n := range now {
		has[n] = true
	}
	first, last := q.Cal.Bucket(q.Span.From).N, q.Cal.Bucket(q.Span.To-1).N
	for n := range before {
		if partner, ok := q.Pairing.After(n); q.Paired && ok && first <= partner && partner <= last && !q.Cal.At(partner).Empty() {
			has[partner] = true
		}
	}
	for n := first; q.Fill && n <= last && q.Cal.At(n).From <= q.Table.Now().UnixMilli(); n++ {
		if !q.Cal.At(n).Empty() {
			has[n] = true
		}
	}
	return slices.Sorted(maps.Keys(has))
}

// Clipped reports whether the range has a part of a row only. A row that is not over is not clipped where the range ends with the day.
func (q *Question) Clipped(r *sitetable.Row) bool {
	return r.Part.From > r.From || r.Part.To < min(r.To, q.Table.Now().UnixMilli()+1)
}

// Running reports whether a row, or the part of it that the range has, is not over.
func (q *Question) Running(r *sitetable.Row) bool { return r.Part.To > q.Table.Now().UnixMilli() }

// BeforeOf returns the bucket that the n-th is compared with; nil: there is none.
func (q *Question) BeforeOf(n int64) *calendar.Bucket {
	if !q.Paired {
		return nil
	}
	before, ok := q.Pairing.Before(n)
	if b := q.Cal.At(before); ok && b.From < q.Before.To && !b.Empty() {
		return &b
	}
	return nil
}
