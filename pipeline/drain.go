package pipeline

import (
	"context"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/internal/lanes"
)

// Bounds of a drain, from its beginning. The last is below the rebalance timeout of 60 s; `run --help`, the chart and docs name it.
const (
	drainSteps   = 27 * time.Second // an open step may take this long
	drainWorkers = 30 * time.Second // whatever happens the workers end
	drainAll     = 35 * time.Second // what they have settled is committed, and the group is left
)

// drain ends the worker in order: what is open is finished, a last step is begun only where none is open, and a
// lane is marked as done only when its step has settled as always; what a deadline cuts off is done again by the
// next owner. retire ends ctx after drainWorkers.
func (w *worker) drain(ctx context.Context) error {
	last := make(map[*lanes.Lane]bool) // lanes that may not begin a step any more
	steps := time.NewTimer(drainSteps)
	defer steps.Stop()
	late := false
	for _, l := range w.lanes {
		last[l] = l.Open != nil || l.Redo || l.Taken.Records == 0
	}
	for {
		if p, ok := w.broken.Load().(*error); ok {
			return *p
		}
		busy := false
		for _, l := range w.lanes {
			if err := w.settle(l); err != nil {
				return err
			}
			if l.Open == nil && !l.Redo {
				if !last[l] && !late {
					last[l] = true
					w.cut(ctx, l, 0)
				} else if next := w.next(l); l.Chain.Unfinished(next) {
					w.finish(ctx, l)
				}
			}
			busy = busy || l.Open != nil
		}
		if !busy {
			return nil
		}
		if late && !w.finishing() {
			return errDeadline
		}
		select {
		case <-w.wake:
		case <-steps.C:
			late = true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// finishing reports whether all that is open is the marking of heads as done.
func (o *owned) finishing() bool {
	return !slices.ContainsFunc(o.lanes, func(l *lanes.Lane) bool { return l.Open != nil && !l.Open.Finish })
}

// parkEnd returns why the worker is to end, once it has settled everything that it was given: its lanes then end right
// before what parks the partition. The redo of a step that reaches beyond it cannot be completed and is left open.
func (w *worker) parkEnd() error {
	why := w.Parking.Load()
	if why == nil {
		return nil
	}
	if !w.Empty() {
		return nil
	}
	for _, l := range w.lanes {
		if l.Open != nil || !l.Redo && (l.Taken.Records > 0 || l.Chain.Unfinished(w.next(l))) {
			return nil
		}
	}
	return why
}
