package finding

import (
	"sync"

	"github.com/footfall/footfall/sinks"
)

// Tally counts what a pass has found.
type Tally struct {
	First bool // the pass answers for what belongs to no site
	most  int  // differences that are listed

	mu     sync.Mutex // covers report: sites are scanned side by side
	Report Report
}

// NewTally returns a tally that adds to a report, and lists at most this many differences.
func NewTally(r Report, most int, first bool) *Tally {
	return &Tally{Report: r, most: most, First: first}
}

// Count counts an item of a kind that was compared.
func (v *Tally) Count(kind string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Report.Compared[kind]++
	v.Report.ComparedCount++
}

// LeaveOut counts an item of a kind that was not compared, for a reason.
func (v *Tally) LeaveOut(reason, kind string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Report.LeftOut[reason]++
	kinds := v.Report.LeftOutKinds[reason]
	if kinds == nil {
		kinds = make(map[string]int64)
		v.Report.LeftOutKinds[reason] = kinds
	}
	kinds[kind]++
}

// Divide notes what of a site was seen by two partitions.
func (v *Tally) Divide(d Divided) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Report.Divided = append(v.Report.Divided, d)
}

// Differ counts differences, and lists them while there is room.
func (v *Tally) Differ(list ...Difference) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, d := range list {
		v.Report.DifferenceCount++
		if len(v.Report.Differences) < v.most {
			v.Report.Differences = append(v.Report.Differences, d)
		}
	}
}

// DifferOnce reports what every pass finds.
func (v *Tally) DifferOnce(d Difference) {
	if v.First {
		v.Differ(d)
	}
}

// Unsettled counts an item that an open step may still change.
func (v *Tally) Unsettled(key sinks.Key) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Report.UnsettledCount++
	if len(v.Report.Unsettled) < v.most {
		v.Report.Unsettled = append(v.Report.Unsettled, key.PK+" / "+key.SK)
	}
}

// Add counts an item that was compared, and its differences.
func (v *Tally) Add(c *Comparison) {
	v.Count(c.Kind)
	v.Differ(c.Differences...)
}

// Verdicts is how many items, or records, have been compared, found to differ or to move, or left out.
func (v *Tally) Verdicts() int64 {
	n := v.Report.ComparedCount + v.Report.DifferenceCount + v.Report.UnsettledCount
	for _, left := range v.Report.LeftOut {
		n += left
	}
	return n
}
