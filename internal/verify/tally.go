package verify

import (
	"sync"

	"github.com/footfall/footfall/sinks"
)

// tally counts what a pass has found.
type tally struct {
	first bool // the pass answers for what belongs to no site
	most  int  // differences that are listed

	mu     sync.Mutex // covers report: sites are scanned side by side
	report Report
}

// newTally returns a tally that adds to a report, and lists so many differences at most.
func newTally(r Report, most int, first bool) *tally { return &tally{report: r, most: most, first: first} }

func (v *tally) count(kind string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Compared[kind]++
	v.report.ComparedCount++
}

func (v *tally) leaveOut(reason, kind string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.LeftOut[reason]++
	kinds := v.report.LeftOutKinds[reason]
	if kinds == nil {
		kinds = make(map[string]int64)
		v.report.LeftOutKinds[reason] = kinds
	}
	kinds[kind]++
}

func (v *tally) differ(list ...Difference) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, d := range list {
		v.report.DifferenceCount++
		if len(v.report.Differences) < v.most {
			v.report.Differences = append(v.report.Differences, d)
		}
	}
}

// differOnce reports what every pass finds.
func (v *tally) differOnce(d Difference) {
	if v.first {
		v.differ(d)
	}
}

func (v *tally) unsettled(key sinks.Key) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.UnsettledCount++
	if len(v.report.Unsettled) < v.most {
		v.report.Unsettled = append(v.report.Unsettled, key.PK+" / "+key.SK)
	}
}

// add counts an item that was compared, and its differences.
func (v *tally) add(c *comparison) {
	v.count(c.kind)
	v.differ(c.differences...)
}

// verdicts is how many items, or records, have been compared, found to differ or to move, or left out.
func (v *tally) verdicts() int64 {
	n := v.report.ComparedCount + v.report.DifferenceCount + v.report.UnsettledCount
	for _, left := range v.report.LeftOut {
		n += left
	}
	return n
}
