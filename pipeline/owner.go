package pipeline

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/internal/budget"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/pipeline/internal/lanes"
)

// worker is the owner of one partition. It keeps the promise "one owner": the partition's windows, sketches and
// sessions are touched by the goroutine of run and by no other, without locks. Around it, one goroutine a lane
// applies the step that was cut, from bytes that no longer change; answers come back through atomics and wake.
//
// Its life: acquired, perhaps redo, then fold, cut, intend, apply over and over, until it is asked to retire
// (revoked, shutdown), or dies: lost, fenced, or a failure that ends the process.
type worker struct {
	*owned
	*inbox.Inbox // what was fetched, and where the log ends: Enqueue, Fill, Follow, Behind, End and more
	intake       // what is folded: dedupe, fold, account and more

	ahead    decoding.Pipe
	batch    []*kgo.Record     // of the present chunk, and not received yet
	part     []decoding.Record // received, and not folded yet
	holding  *budget.Holding   // of the process's budget
	start    int64             // the offset it was acquired at
	since    int64             // the poll that was under way then; the poll loop's
	retiring chan struct{}     // closed: finish what is open, then end
	retire   func()
	kill     context.CancelCauseFunc
	done     chan struct{}
	err      error        // why run ended; read after done
	broken   atomic.Value // error of a goroutine around the worker

	// For others to see; by lane.
	born    time.Time                 // when it was acquired
	settled atomic.Pointer[settledTo] // how far all lanes are
	intents []atomic.Int64            // the instant since when its intent is open; 0: none is
	redoing []atomic.Bool             // the open intent is a redo that still accumulates
	stale   []atomic.Int64            // the instant since when folded records wait; 0: none
	states  []atomic.Int64            // states in memory
}

// Reasons for which a worker's context ends.
var (
	errLost     = errors.New("partition lost")
	errReplaced = errors.New("partition acquired again")
	errDeadline = errors.New("drain cut short")
)

// fault ends the worker with an error of a goroutine around it.
func (w *worker) fault(err error) {
	w.broken.CompareAndSwap(nil, &err)
	w.signal()
}

// over reports whether the lane's accumulating step has grown to times the bound of a step.
func (o *owned) over(l *lanes.Lane, times int) bool {
	return l.Over(times*o.options.Limits.StepItems, times*o.options.Limits.StepBytes)
}

// next is the position up to which there is nothing to flush after the lane's head. If the lane holds records
// that are not flushed, that is the end of the head.
func (w *worker) next(l *lanes.Lane) int64 {
	if l.Taken.Records > 0 || len(w.part) > 0 {
		return l.Chain.Head.To
	}
	return max(l.Chain.Head.To, w.expected+l.Base)
}

// redoes reports whether any lane does its head again.
func (o *owned) redoes() bool {
	return slices.ContainsFunc(o.lanes, func(l *lanes.Lane) bool { return l.Redo })
}
