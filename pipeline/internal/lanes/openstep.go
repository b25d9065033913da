package lanes

import (
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/pipeline/telemetry"
)

// Open is a step that was cut and whose items have not all answered, or the marking of the last one as done.
type Open struct {
	Number int64
	Redo   bool
	Finish bool      // no step: the head is being marked as done
	Since  time.Time // when it was cut
	First  time.Time // when its first record was first seen in the log
	Tally  *outgoing.Tally
	Bytes  int                        // that its writes take in memory
	Flush  *telemetry.Flush           // for traces; nil: not reported
	Result atomic.Pointer[StepResult] // set once by the goroutine that applies the step
}

// StepResult is what came of applying a step.
type StepResult struct {
	Err     error
	Applied time.Time // when its work was over
}

// Noted adds a phase to the flush if flushes are reported. Phases follow each other, so one goroutine at a time calls it.
func (o *Open) Noted(name string, begun, ended time.Time) {
	if o.Flush != nil {
		o.Flush.Phases = append(o.Flush.Phases, telemetry.FlushPhase{Name: name, Begun: begun, Ended: ended})
	}
}
