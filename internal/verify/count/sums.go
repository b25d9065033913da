package count

import (
	"maps"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks/int128"
)

// Sums are the counters of an hour or a day.
type Sums struct {
	figures.Sums
	Goals   GoalSums
	Returns ReturnSums
}

// ReturnSums are the visitors of a day who came back, by the weeks since they were new.
type ReturnSums map[int]int64

// GoalSums are the conversions of an hour or a day, by the number of the goal.
type GoalSums map[uint64]GoalSum

// GoalSum is how many conversions a goal has, and what they are worth together.
type GoalSum struct {
	Count       int64
	ValueMicros int128.Int
}

// Add adds the counters of another hour or day, or of a part of this one.
func (s *Sums) Add(o Sums) {
	s.Plus(&o.Sums)
	s.Goals = s.Goals.plus(o.Goals)
	if len(o.Returns) > 0 { // Versions of a day share them.
		all := maps.Clone(s.Returns)
		if all == nil {
			all = make(ReturnSums)
		}
		for weeks, n := range o.Returns {
			all[weeks] += n
		}
		s.Returns = all
	}
}

// plus returns the sums of both, and leaves both as they are: versions of an hour share them.
func (a GoalSums) plus(b GoalSums) GoalSums {
	if len(b) == 0 {
		return a
	}
	all := make(GoalSums, len(a)+len(b))
	for _, sums := range []GoalSums{a, b} {
		for n, sum := range sums {
			had := all[n]
			all[n] = GoalSum{had.Count + sum.Count, had.ValueMicros.Plus(sum.ValueMicros)}
		}
	}
	return all
}

// SumsOf is what an event adds to its bucket.
func SumsOf(e *event.Event) (s Sums) {
	s.Counts[figures.Events], s.Counts[figures.PageViews] = 1, OneIf(e.IsPageView())
	if e.HasValue {
		s.Counts[figures.Values] = 1
		s.AddMicros(figures.ValueMicros, int128.From(e.Value))
	}
	return s
}
