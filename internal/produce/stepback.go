package produce

import (
	"fmt"
	"time"
)

// minStepBack is by how much an event's time must be before those that were sent earlier to be worth a warning. Servers write lines
// when requests end, some seconds or minutes out of order; by hours step files that were put together in another order than that of
// time.
const minStepBack = time.Hour

// stepBack warns, once for a file, that its lines are not in the order of time, and remembers the largest step.
func (r *run) stepBack(rec Record) {
	s := &r.summary
	back := s.LastEvent.Sub(rec.Time)
	if r.File == nil || back < minStepBack {
		return
	}
	if s.StepBack == nil {
		r.warn(r.File.disorder(rec.Time, back))
	}
	if s.StepBack == nil || back.Seconds() > s.StepBack.Seconds {
		s.StepBack = &StepBack{Place: r.File.made, Seconds: back.Seconds()}
	}
}

// disorder says that the line of the last record is that much earlier than one before it, what follows, and what helps.
func (f *File) disorder(t time.Time, back time.Duration) string {
	text := fmt.Sprintf("%v, of %s, is %v earlier than a line sent before it. Visits, and the rate that detects bots, depend "+
		"on the order of the log", f.made, t.UTC().Format(time.RFC3339), back.Round(time.Second))
	switch s := f.sorted; {
	case s == nil:
		return text + ": sort the file by time first, or use --sort"
	case s.bound:
		return text + fmt.Sprintf(": sorting is limited to %d MiB of lines, so sort the file by time first", maxSortBytes>>20)
	default:
		return text + fmt.Sprintf(", and --sort=%d holds too few lines: raise it, or sort the file by time first", s.most)
	}
}
