package count

import (
	"slices"

	"github.com/footfall/footfall/sinks"
)

// Arrival is the hour and the day in which one partition counts a visitor as new.
type Arrival struct {
	Hour, Day, Last int64 // last is the last day with an event; hour 0: not seen
	Erased          int64 // up to which event time the visitor was erased when it began; 0: not erased
	// Came are the numbers of the weeks in which the visitor came, counted from the one that began on 1969-12-29, in the order of the log.
	// nil: they are not kept.
	Came []int64
}

// Clone returns a copy; of nil, nil.
func (a *Arrival) Clone() *Arrival {
	if a == nil {
		return nil
	}
	o := *a
	o.Came = slices.Clone(a.Came)
	return &o
}

// Week is the number of the week of a day.
func Week(day int64) int64 {
	const days = 3 // from the Monday to the epoch
	return (day + days*DayMs) / (7 * DayMs)
}

// Monday is the day on which a week begins.
func Monday(week int64) int64 { return week*7*DayMs - 3*DayMs }

// Weeks spells the weeks in which the visitor came as the table does: a bit for each, from the arrival's week on.
func (a *Arrival) Weeks() (bits int64) {
	for weeks := range a.Returns() {
		bits |= 1 << weeks
	}
	if a.Came != nil {
		bits |= 1
	}
	return bits
}

// Returns are the weeks in which the visitor came after that of the arrival: their numbers, by how many weeks later they are.
func (a *Arrival) Returns() map[int64]int64 {
	all := make(map[int64]int64)
	for _, week := range a.Came {
		if n := week - Week(a.Day); 0 < n && n <= sinks.MaxReturnWeeks {
			all[n] = week
		}
	}
	return all
}
