package finding

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/plural"
)

// Cost is what a run will read, about. Sites that are not sampled are not read from the table; their records are.
type Cost struct {
	Records   int64   `json:"records"`   // of the log, in one pass
	Items     int64   `json:"items"`     // of the table; -1: the store does not say how many it has
	ReadUnits float64 `json:"readUnits"` // strong reads of these items; -1: not known
	Passes    int64   `json:"passes"`    // over the log, at the typical 400 bytes that are kept of a record
}

// String says it for people.
func (c Cost) String() string {
	s := fmt.Sprintf("about to read up to %d records", c.Records)
	if c.Passes > 1 {
		s += fmt.Sprintf(" in some %d passes", c.Passes)
	}
	if c.Items >= 0 {
		s += fmt.Sprintf(" and some %d items (%.0f read units)", c.Items, c.ReadUnits)
	}
	return s
}

// Progress is how far a pass is. Records come first, then sites.
type Progress struct {
	Pass        int   // from 1
	Sites       bool  // Done and Total are sites whose items have been compared; otherwise records of the log
	Done, Total int64 // Done may exceed Total: records that several flushes share are read again
}

// Waiting is what the checkpoints are waited for.
type Waiting struct {
	Behind []Behind      // that have not passed the end of the log; empty: they have, and a flush is being written
	Left   time.Duration // until the wait is over
}

// String says it for people.
func (w Waiting) String() string {
	left := w.Left.Round(time.Second)
	if len(w.Behind) == 0 {
		return fmt.Sprintf("waiting up to %v until the flushes that are being written are done", left)
	}
	lags, records := make(map[int32]int64), int64(0)
	for _, b := range w.Behind { // Of a partition's two lanes, the one that has more before it.
		more := max(0, b.End-b.Offset-lags[b.Partition])
		lags[b.Partition] += more
		records += more
	}
	first := w.Behind[0]
	return fmt.Sprintf("waiting up to %v until the pipeline has counted %s, as of partition %d (%s): it is at offset %d of %d", left,
		plural.Count(records, "more record", "more records"), first.Partition, first.Lane, first.Offset, first.End)
}
