package sitetable

import (
	"maps"
	"slices"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// Sums are the counters of stats items. They add up over buckets, which rates and visitors do not.
type Sums struct {
	figures.Sums
	Goals GoalSums
}

// Merge folds in the sums of another bucket.
func (s *Sums) Merge(o Sums) {
	s.Plus(&o.Sums)
	s.Goals.plus(o.Goals)
}

// AddStats folds in a stats item.
func (s *Sums) AddStats(it sinks.Item) {
	AddItem(&s.Sums, it)
	s.Goals.add(it)
}

// AddItem folds in the sums of an item. Attributes that it lacks are 0.
func AddItem(to *figures.Sums, it sinks.Item) {
	for s := range figures.AllSums {
		if v := it[s.Attr()]; v.Kind() != sinks.None {
			to.Add(s, v.Num())
		}
	}
}

// GoalSums are the conversions of a bucket or a range by the number of the goal; nil: none.
type GoalSums map[uint64]GoalSum

// A GoalSum is the conversions of one goal, and their values.
type GoalSum struct {
	Count       int64
	ValueMicros int128.Int
}

// add folds in a stats item.
func (s *GoalSums) add(it sinks.Item) {
	for name, v := range it {
		n, value, ok := sinks.GoalSum(name)
		switch {
		case !ok:
		case value:
			s.plusOne(n, GoalSum{ValueMicros: v.Num()})
		default:
			s.plusOne(n, GoalSum{Count: v.Int()})
		}
	}
}

func (s *GoalSums) plus(o GoalSums) {
	for n, sum := range o {
		s.plusOne(n, sum)
	}
}

func (s *GoalSums) plusOne(n uint64, o GoalSum) {
	if *s == nil {
		*s = make(GoalSums)
	}
	had := (*s)[n]
	(*s)[n] = GoalSum{had.Count + o.Count, had.ValueMicros.Plus(o.ValueMicros)}
}

// Numbers are the goals that there is something of, the least first.
func (s GoalSums) Numbers() []uint64 { return slices.Sorted(maps.Keys(s)) }

// Extremes are the least and the greatest value of events, in millionths. They are kept by the hour, as visitors are: days and longer
// buckets derive them from their hours, or have them from the sealed item that has the visitors.
type Extremes struct {
	Least, Greatest int64
	Known           bool // there is a value
}

func (x *Extremes) plus(o Extremes) {
	switch {
	case !o.Known:
	case !x.Known:
		*x = o
	default:
		x.Least, x.Greatest = min(x.Least, o.Least), max(x.Greatest, o.Greatest)
	}
}

// extremesOf reads the two attributes of an item.
func extremesOf(it sinks.Item, least, greatest string) Extremes {
	if it[least].Kind() != sinks.Number || it[greatest].Kind() != sinks.Number {
		return Extremes{}
	}
	return Extremes{it[least].Int(), it[greatest].Int(), true}
}

// Plus adds a conversion.
func (s *GoalSum) Plus(micros int64) {
	s.Count++
	s.ValueMicros = s.ValueMicros.Plus(int128.From(micros))
}
