package query

import (
	"maps"
	"slices"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// goalSums are the conversions of a bucket or a range by the number of the goal; nil: none.
type goalSums map[uint64]goalSum

type goalSum struct {
	count       int64
	valueMicros int128.Int
}

// add folds in a stats item.
func (s *goalSums) add(it sinks.Item) {
	for name, v := range it {
		n, value, ok := sinks.GoalSum(name)
		switch {
		case !ok:
		case value:
			s.plusOne(n, goalSum{valueMicros: v.Num()})
		default:
			s.plusOne(n, goalSum{count: v.Int()})
		}
	}
}

func (s *goalSums) plus(o goalSums) {
	for n, sum := range o {
		s.plusOne(n, sum)
	}
}

func (s *goalSums) plusOne(n uint64, o goalSum) {
	if *s == nil {
		*s = make(goalSums)
	}
	had := (*s)[n]
	(*s)[n] = goalSum{had.count + o.count, had.valueMicros.Plus(o.valueMicros)}
}

// numbers are the goals that there is something of, the least first.
func (s goalSums) numbers() []uint64 { return slices.Sorted(maps.Keys(s)) }
