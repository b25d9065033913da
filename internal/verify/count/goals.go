package count

import (
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// Converted names a conversion of a site: the goal's number and the session.
type Converted struct {
	Goal    uint64
	Session string
}

// Conversion is what the log says of a session that reached a goal: the event that reached it, and the goal as it was.
type Conversion struct {
	Goal             string
	At               int64
	Visitor, User    string
	Type, Name, Page string
	Value            sinks.Value // none: it has none
	Position, Offset int64
	Hour, Day        int64
}

// GoalSums are the conversions of an hour or a day, by the number of the goal.
type GoalSums map[uint64]GoalSum

// GoalSum is how many conversions a goal has, and what they are worth together.
type GoalSum struct {
	Count       int64
	ValueMicros int128.Int
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
