package lanes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// applyConcurrency is how many writes of one step are in flight at once, at the most. At 5 ms an answer it makes
// some 6,000 writes a second of one partition; the limiter bounds the process as a whole.
const applyConcurrency = 32

// Applier writes the items of one step of a chain.
type Applier struct {
	Send  *requests.Sender
	Chain requests.Chain
	Mark  string
	Step  int64
	Pace  time.Duration   // over which the beginnings of the writes are spread
	Hurry <-chan struct{} // closed: stop pacing
	ByKey bool            // each list of writes in the order of their keys: see Options.WritesByKey
	Past  *Past           // of the chain's history, what the step merges; nil: nothing

	Repeated atomic.Int64 // updates that were refused since the item has the step already
}

// Run writes the plan and returns nil when every item has answered, now or to an earlier try: the promise that a
// step is in the table as a whole before the next begins. An item that has the step's mark has it already; one
// with a later mark means that the chain has another owner.
func (a *Applier) Run(ctx context.Context, p plan.Plan) error {
	all := time.Duration(max(1, len(p.Raw)+len(p.Writes)+len(p.Days)))
	if err := a.wave(ctx, p.Raw, a.Pace*time.Duration(len(p.Raw))/all); err != nil {
		return err
	}
	if err := a.wave(ctx, p.Writes, a.Pace*time.Duration(len(p.Writes))/all); err != nil {
		return err
	}
	if err := a.wave(ctx, p.Days, a.Pace*time.Duration(len(p.Days))/all); err != nil {
		return err
	}
	if err := a.delete(ctx, sinks.EntityLate, p.Deletes); err != nil {
		return err
	}
	if a.Past != nil {
		if err := a.merge(ctx, a.Past); err != nil {
			return err
		}
	}
	a.countWrites(p)
	return nil
}

// delete removes what nothing refers to any more. A former owner may do so, too: keys are not used again.
func (a *Applier) delete(ctx context.Context, kind string, keys []sinks.Key) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(applyConcurrency)
	for _, key := range keys {
		g.Go(func() error { return a.Send.Remove(ctx, a.Chain.Pulse, kind, key) })
	}
	return g.Wait()
}

// countWrites adds the step's writes to the metrics by kind, all at once, because a step has thousands.
func (a *Applier) countWrites(p plan.Plan) {
	n := make(map[string]int)
	for _, list := range [][]plan.Write{p.Raw, p.Writes, p.Days} {
		for i := range list {
			n[list[i].Kind]++
		}
	}
	for kind, count := range n {
		a.Send.Metrics.Writes.WithLabelValues(kind).Add(float64(count))
	}
}

func (a *Applier) wave(ctx context.Context, writes []plan.Write, pace time.Duration) error {
	if len(writes) == 0 {
		return nil
	}
	if a.ByKey {
		slices.SortFunc(writes, func(w, v plan.Write) int { return w.Key().Compare(v.Key()) })
	}
	g, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	var next atomic.Int64
	for range min(len(writes), applyConcurrency) {
		g.Go(func() error {
			timer := time.NewTimer(0)
			defer timer.Stop()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(writes) {
					return nil
				}
				if err := a.wait(ctx, timer, start.Add(pace*time.Duration(i)/time.Duration(len(writes)))); err != nil {
					return err
				}
				if err := a.write(ctx, &writes[i]); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// wait waits for an instant, on the caller's timer.
func (a *Applier) wait(ctx context.Context, timer *time.Timer, until time.Time) error {
	d := time.Until(until)
	if d <= 0 {
		return nil
	}
	timer.Reset(d)
	select {
	case <-timer.C:
	case <-a.Hurry:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

func (a *Applier) write(ctx context.Context, w *plan.Write) error {
	if w.Item != nil {
		_, err := a.Send.Put(ctx, a.Chain.Pulse, w.Kind, sinks.Put{Item: w.Item})
		return err
	}
	r, err := a.Send.Update(ctx, a.Chain.Pulse, w.Kind, w.Update)
	if errors.Is(err, sinks.ErrTooLarge) {
		return fmt.Errorf("%w: flush %d does not fit: such an item has a part for each partition with records of the site: use record keys "+
			"that spread the site over fewer partitions, and remove attributes that are not footfall's; the flush stays unfinished, and "+
			"the next process repeats it", err, a.Step)
	}
	if err != nil {
		return a.diagnose(ctx, w, err)
	}
	if !r.Refused {
		return nil
	}
	if v := r.Item[a.Mark]; v.Kind() != sinks.Number {
		return sinks.Damaged(w.Update.Key, a.Mark, sinks.ErrKind)
	}
	switch mark := r.Item[a.Mark].Int(); {
	case mark == a.Step:
		a.Repeated.Add(1)
		return nil
	case mark > a.Step:
		return a.Chain.Overtaken(ctx, a.Chain.Head.Epoch, w.Update.Key, mark)
	default:
		return fmt.Errorf("item %s / %s refused flush %d although its mark is %d", w.Update.Key.PK, w.Update.Key.SK, a.Step, mark)
	}
}

// diagnose finds out whether the store refused an update because an attribute that it adds to has another type. It returns a
// DamagedError in that case, and cause otherwise.
func (a *Applier) diagnose(ctx context.Context, w *plan.Write, cause error) error {
	if ctx.Err() != nil || errors.Is(cause, checkpoint.ErrFenced) || errors.Is(cause, sinks.ErrDenied) || errors.Is(cause, sinks.ErrNoTable) {
		return cause
	}
	found, err := a.Send.BatchGet(ctx, a.Chain.Pulse, []sinks.Key{w.Update.Key})
	if err != nil {
		return errors.Join(cause, err)
	}
	if wrong := sinks.WrongKinds(w.Kind, found[w.Update.Key]); len(wrong) > 0 {
		return sinks.Damaged(w.Update.Key, wrong[0], fmt.Errorf("%w: %w", sinks.ErrKind, cause))
	}
	return cause
}
