package outgoing

import "sync/atomic"

// Tally counts what a step has under way beside its items: raw events and failed events, which go out as records
// arrive. The step is not settled before it is zero.
type Tally struct{ pending atomic.Int64 }

// Done reports whether nothing is under way.
func (t *Tally) Done() bool { return t.pending.Load() == 0 }
