package figures

import "github.com/footfall/footfall/sinks/int128"

// LastCount is the last sum that is 64 bits wide.
const LastCount = firstDecimal - 1

// AllSums yields every sum, in the order in which they are declared.
func AllSums(yield func(Sum) bool) {
	for s := range endOfSums {
		if !yield(s) {
			return
		}
	}
}

// Attr is the name of the attribute of stats items that holds the sum, a number.
func (s Sum) Attr() string { return declared[s].attr }

// About says what is counted, for the documents of the table.
func (s Sum) About() string { return declared[s].about }

// Decimal reports whether the sum is one of values, in millionths.
func (s Sum) Decimal() bool { return s >= firstDecimal }

// Milliseconds reports whether the sum is a duration.
func (s Sum) Milliseconds() bool { return declared[s].milliseconds }

// ByState reports whether a stored state, such as a session, decides what an event adds to the sum. If the state is lost, the sum is
// uncertain.
func (s Sum) ByState() bool { return declared[s].byState }

// Sums are all counters of a bucket. The zero value has counted nothing. Sums are compared with ==.
type Sums struct {
	Counts   [firstDecimal]int64 // each at its Sum
	decimals [endOfSums - firstDecimal]int128.Int
}

// Micros returns a decimal sum, in millionths.
func (s *Sums) Micros(of Sum) int128.Int { return s.decimals[of-firstDecimal] }

// AddMicros adds to a decimal sum, in millionths.
func (s *Sums) AddMicros(of Sum, n int128.Int) {
	s.decimals[of-firstDecimal] = s.decimals[of-firstDecimal].Plus(n)
}

// Total returns any sum.
func (s *Sums) Total(of Sum) int128.Int {
	if of.Decimal() {
		return s.Micros(of)
	}
	return int128.From(s.Counts[of])
}

// Add adds to any sum.
func (s *Sums) Add(of Sum, n int128.Int) {
	if of.Decimal() {
		s.AddMicros(of, n)
	} else {
		s.Counts[of] += n.Int64()
	}
}

// Plus adds the sums of another bucket, or of another partition.
func (s *Sums) Plus(o *Sums) {
	for i, n := range o.Counts {
		s.Counts[i] += n
	}
	for i, n := range o.decimals {
		s.decimals[i] = s.decimals[i].Plus(n)
	}
}

// A Set is some of the sums.
type Set uint32

// SetOf returns the set of some sums.
func SetOf(sums ...Sum) (set Set) {
	for _, s := range sums {
		set |= 1 << s
	}
	return set
}

// All is the set of all sums.
const All Set = 1<<endOfSums - 1

// Has reports whether the sum is in the set.
func (set Set) Has(s Sum) bool { return set>>s&1 == 1 }
