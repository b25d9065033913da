package pipeline

import (
	"context"
	"runtime/debug"
	"time"
)

// run is the worker's goroutine. It returns nil after a clean retirement.
func (w *worker) run(ctx context.Context) (err error) {
	defer func() {
		w.kill(context.Canceled) // What is still in flight has no use any more.
		w.ahead.Stop()
		w.Inbox.Leave()
		w.await()
		w.reportUnfinished(err)
		w.raw.Wait()
		w.holding.Leave()
	}()
	defer func() {
		if cause := recover(); cause != nil { // A lane's state may be anything now: nothing of it may be written.
			err = w.panicked(ctx, cause, debug.Stack())
		}
	}()
	w.ahead.Start()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if err := w.advance(ctx, time.Now()); err != nil {
			return err
		}
		if !w.blocked() {
			if len(w.batch)+len(w.part) == 0 {
				if err := w.nextChunk(ctx); err != nil {
					return err
				}
			}
			if len(w.batch)+len(w.part) > 0 {
				if err := w.ingest(ctx); err != nil {
					return err
				}
				if err := context.Cause(ctx); err != nil {
					return err
				}
				select {
				case <-w.retiring:
					return w.drain(ctx)
				default:
					continue
				}
			}
			w.raw.Flush() // Nothing more to share a batch with.
			if why := w.parkEnd(); why != nil {
				return why
			}
		}
		timer.Reset(time.Until(w.nextTick()))
		select {
		case <-w.wake:
		case <-timer.C:
		case <-w.retiring:
			return w.drain(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// await waits for the goroutines that apply steps; their context has ended.
func (o *owned) await() {
	for _, l := range o.lanes {
		for l.Open != nil && l.Open.Result.Load() == nil {
			<-o.wake
		}
	}
}

func (o *owned) nextTick() time.Time {
	t := o.lanes[0].Next
	for _, l := range o.lanes[1:] {
		if l.Next.Before(t) {
			t = l.Next
		}
	}
	return t
}

// blocked reports whether folding must wait: a lane has grown to its ceiling while its last step is not settled, or a day
// has begun since that step began to accumulate, or too many raw or failed events are in flight. The partition's fetching
// then pauses. An outage of the table does not reach these ceilings. The first record that touches a state which is not in
// memory waits for the table in its load. That is the first record of a new minute at the latest, so a lane accumulates for
// a minute at most.
func (w *worker) blocked() bool {
	for _, l := range w.lanes {
		if l.Open != nil && (w.over(l, ceilingSteps) || w.crowded(l) || l.Outdated(w.now()) || l.Ended()) {
			return true
		}
	}
	return w.raw.Full() || w.failed.Full() || w.holding.Pressed() &&
		(w.holding.Heavy(w.raw.Held()) || w.holding.Heavy(w.failed.Waiting()))
}

// ceilingSteps is how far a step may accumulate beyond the bound at which it is cut, while the step before is
// applied: one hot key then holds up its lane's writes, but not yet the other lane of its partition. The step that comes of it is
// written within drainSteps where the bound takes half of that.
const ceilingSteps = 2

// advance settles the steps whose items have all answered, then cuts those that are due. The head of an idle lane is marked as done.
func (w *worker) advance(ctx context.Context, now time.Time) error {
	if p, ok := w.broken.Load().(*error); ok {
		return *p
	}
	for _, l := range w.lanes {
		if err := w.settle(l); err != nil {
			return err
		}
	}
	w.relieve()
	for _, l := range w.lanes {
		if w.Parking.Load() != nil {
			l.Due = true
		}
		if !now.Before(l.Next) {
			l.Due = l.Due || !l.Waits(now, w.Behind(w.expected))
			l.Next = l.Next.Add(l.Interval)
			if !now.Before(l.Next) { // We were held up: skip what was missed.
				l.Next = now.Add(l.Interval)
			}
		}
		if l.Open != nil || l.Redo {
			continue
		}
		if l.Overdue && l.Taken.Records > 0 && w.caughtUp() {
			l.Due = true
		}
		switch {
		case l.Taken.Records > 0 && (l.Due || w.over(l, 1) || w.crowded(l) || l.Outdated(w.now()) || l.Ended()):
			w.cut(ctx, l, w.pace(l))
		case l.Due:
			l.Due = false
			switch latest := w.rules.Latest().Rev(); {
			case l.Taken.Records > 0:
			case l == w.stats && !l.Repeats() && l.Chain.Behind(latest): // Before what moves on with every transaction that is aborted.
				w.note(ctx, l, latest)
			case l.Chain.Unfinished(w.next(l)):
				w.finish(ctx, l)
			}
		}
	}
	w.watch()
	return nil
}
