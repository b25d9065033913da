package telemetry

import "time"

// The phases of a flush, in their order.
const (
	PhaseCut    = "cut"    // what has accumulated becomes writes; the partition's folding waits
	PhaseIntend = "intend" // the flush is recorded in the checkpoint
	PhaseApply  = "apply"  // its items are written
	PhaseSettle = "settle" // its last raw and failed events are answered
)

// Phases are all of them.
var Phases = []string{PhaseCut, PhaseIntend, PhaseApply, PhaseSettle}

// Flush is a flush that has ended, as traces show it.
type Flush struct {
	Topic     string
	Partition int32
	Lane      string
	Number    int64
	From, To  int64     // positions of its records, To exclusive
	Repeated  bool      // after a takeover: another owner had begun it
	Records   int       // rejected ones and duplicates included
	Items     int       // written, packs of raw events included
	Bytes     int       // that these take in memory, about
	Begun     time.Time // when it was cut
	Ended     time.Time
	Phases    []FlushPhase // in their order; the last one of a flush that failed is the one that failed
	Err       error        // why it was not completed; nil: all of it is in the table
}

// FlushPhase is a phase of a flush, named as by the label phase of footfall_flush_seconds.
type FlushPhase struct {
	Name         string
	Begun, Ended time.Time
}
