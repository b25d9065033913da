package direct

import (
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// Outcome is what became of the records.
type Outcome struct {
	checkpoint.Totals
	FirstRejected []Rejection // in the order in which they were added, at most MaxListed
	First, Last   time.Time   // least and greatest time of the records that were not rejected
}

// MaxListed is how many rejected records an outcome lists.
const MaxListed = 20

// Rejection is a record that was rejected.
type Rejection struct {
	Line
	Added  int64 // how many records were added before it
	Reason event.Reason
	Detail string // what was found, for people
}

// add adds what became of other records.
func (o *Outcome) add(of *Outcome) {
	o.Counted += of.Counted
	o.Duplicate += of.Duplicate
	o.Sessionless += of.Sessionless
	for reason, n := range of.Rejected {
		if o.Rejected == nil {
			o.Rejected = make(map[event.Reason]int64)
		}
		o.Rejected[reason] += n
	}
	o.FirstRejected = append(o.FirstRejected, of.FirstRejected...)
	if !of.First.IsZero() {
		o.span(of.First, of.Last)
	}
}

// span has the outcome span these times, too.
func (o *Outcome) span(first, last time.Time) {
	if o.First.IsZero() || first.Before(o.First) {
		o.First = first
	}
	if last.After(o.Last) {
		o.Last = last
	}
}
