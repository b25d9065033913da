package passing

import "github.com/footfall/footfall/query/internal/calendar"

// Buckets are the sums of the buckets of a calendar, and of all of them.
type Buckets struct {
	Total *Sums
	Sums  map[int64]*Sums // by the number of the bucket

	cal  calendar.Calendar
	last calendar.Bucket
	into []*Sums // of last
}

// NewBuckets makes sums of no bucket.
func NewBuckets(cal calendar.Calendar) *Buckets {
	return &Buckets{cal: cal, Total: NewSums(), Sums: make(map[int64]*Sums)}
}

// At returns where an event of that time counts.
func (b *Buckets) At(at int64) []*Sums {
	if b.into == nil || !b.last.Has(at) {
		b.last = b.cal.Bucket(at)
		if b.Sums[b.last.N] == nil {
			b.Sums[b.last.N] = NewSums()
		}
		b.into = []*Sums{b.Sums[b.last.N], b.Total}
	}
	return b.into
}
