package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// panicPatience is how long a worker that has panicked waits for the checkpoint to say whose its partition is.
const panicPatience = 10 * time.Second

// panicked returns the error that a worker ends with after a panic.
//
// The panic may be the consequence of a takeover that this owner has not noticed yet:
//
//  1. It reads the breakdown of an hour.
//  2. A new owner merges the journal's entries into that breakdown, writes it, and deletes the entries.
//  3. This owner reads the journal, which has no entries now. Its breakdown lacks what sessions have booked there.
//
// Nothing of that can be written, since the new owner has fenced this one. So the partition is given up as after any takeover.
func (w *worker) panicked(ctx context.Context, cause any, stack []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), panicPatience)
	defer cancel()
	if err := w.taken(ctx); err != nil {
		// Cause: Another process took the partition over while this one read its items, which then no longer fitted together. Remedy: None is
		// needed: nothing of this was written, and the new owner continues.
		w.log.Warn("impossible state of a partition that has another owner by now: it is given up", "partition", w.partition,
			"offset", w.at, "cause", cause)
		return err
	}
	return fmt.Errorf("offset %d, or the flush that it belongs to, made footfall panic: %v: the process ends, and the next owner repeats "+
		"the unfinished flush; please report this\n%s", w.at, cause, stack)
}

// taken returns a FencedError if a lane has another owner by now. It returns nil if that cannot be found out.
func (o *owned) taken(ctx context.Context) error {
	for _, l := range o.lanes {
		if err := l.Chain.ConfirmNow(ctx, l.Epoch); errors.Is(err, checkpoint.ErrFenced) {
			return err
		}
	}
	return nil
}
