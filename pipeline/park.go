package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A partition that cannot continue without a decision is parked: this process keeps it assigned and reads nothing of it,
// and its other partitions continue. A gap (gap.go) parks its partition; so does a [checkpoint.Park].
//
// Any error below worker.run, or below acquire, that wraps a *parkError parks the partition: return one with parks. Code
// outside the worker, such as the poll loop, calls Pipeline.stop instead: the worker first folds and settles everything
// that it has been given.

// standstill is why a partition gets no worker.
type standstill struct {
	gaps    []*checkpoint.GapError
	park    *checkpoint.Park
	durable bool  // the checkpoint says so; otherwise the takeover is tried again after a while
	release bool  // or once another release has done its open step
	next    int64 // the first offset that is not folded; 0: not known
	topicID [16]byte
}

// standsStill makes a park durable that this takeover is to begin with, or returns the one that the checkpoint has.
func (t *taker) standsStill(ctx context.Context, partition int32, chains []laneChain) (*standstill, error) {
	c := chains[0]
	t.mu.Lock()
	k := t.parking[partition]
	t.mu.Unlock()
	if k != nil && c.Head.Park == nil {
		if err := c.Amend(ctx, "record why the partition is parked", []sinks.Attr{k.Attr()}, nil); err != nil {
			return nil, err
		}
		c.Head.Park = k
	}
	t.mu.Lock()
	if t.parking[partition] == k {
		delete(t.parking, partition)
	}
	t.mu.Unlock()
	if c.Head.Park == nil {
		return nil, nil
	}
	still := &standstill{park: c.Head.Park, durable: true, next: math.MaxInt64}
	for _, c := range chains {
		still.next = min(still.next, max(0, c.Head.Position()-c.Head.Base))
	}
	return still, nil
}

// stop parks a partition once its worker has folded and settled what it was given. Without a worker nothing happens: the
// next owner meets the same cause.
func (p *Pipeline) stop(partition int32, why *checkpoint.ParkError) {
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	p.mu.Lock()
	w := p.workers[partition]
	p.mu.Unlock()
	if w != nil && w.parking.CompareAndSwap(nil, why) {
		p.log.Warn("the partition will be parked after the records read so far are flushed", "partition", partition, "cause", why.Park.String())
		w.signal()
	}
}

// leavePark parks a partition whose worker has ended for a reason that an operator decides about: its chains are taken
// over once more, to record the reason under an epoch of our own.
func (p *Pipeline) leavePark(io context.Context, partition int32, why *checkpoint.ParkError) {
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	p.taker.toPark(partition, &why.Park)
	p.bringBack(io, partition, func() bool { return true })
}

// parkEnd returns why the worker is to end, once it has settled everything that it was given: its lanes then end right
// before what parks the partition. The redo of a step that reaches beyond it cannot be completed and is left open.
func (w *worker) parkEnd() error {
	why := w.parking.Load()
	if why == nil {
		return nil
	}
	w.mu.Lock()
	rest := w.queuedBytes
	w.mu.Unlock()
	if rest > 0 {
		return nil
	}
	for _, l := range w.lanes {
		if l.open != nil || !l.redo && (l.records > 0 || l.chain.Unfinished(w.next(l))) {
			return nil
		}
	}
	return why
}

// parkOf returns the error that parks a partition: a parkError, or one made of a DamagedError.
func parkOf(err error) (*checkpoint.ParkError, bool) {
	if why, ok := errors.AsType[*checkpoint.ParkError](err); ok {
		return why, true
	}
	if d, ok := errors.AsType[*sinks.DamagedError](err); ok {
		detail := "it cannot be read"
		if d.Attr != "" {
			detail = "attribute " + d.Attr
		}
		return checkpoint.NewParkError(checkpoint.Park{Reason: checkpoint.ParkedItem, PK: d.Key.PK, SK: d.Key.SK,
			Detail: fmt.Sprintf("%s: %v", detail, d.Err)}, err), true
	}
	return nil, false
}

// standstillOf returns why a partition cannot continue, if err says that its log has a gap or that the partition is parked; nil otherwise.
func standstillOf(err error) *standstill {
	if gap, ok := errors.AsType[*checkpoint.GapError](err); ok {
		return &standstill{gaps: []*checkpoint.GapError{gap}, durable: true, next: gap.Gap.UnreadTo - gap.Gap.Base}
	}
	if why, ok := parkOf(err); ok {
		return &standstill{park: &why.Park}
	}
	return nil
}

const (
	// parkedLook is how often a parked partition's checkpoints are looked at.
	parkedLook = 5 * time.Second
	// parkedRetry is how often a takeover is tried again whose failure could not be recorded.
	parkedRetry = time.Minute
)

// park leaves a partition alone until an operator has decided.
func (p *Pipeline) park(io context.Context, partition int32, still *standstill) {
	p.bringBack(io, partition, p.stopAt(io, partition, still))
}

// unpark forgets that a partition was parked. p.mu is held.
func (p *Pipeline) unpark(partition int32) {
	if _, ok := p.parked[partition]; !ok {
		return
	}
	delete(p.parked, partition)
	label := strconv.Itoa(int(partition))
	p.metrics.forget(label)
	p.metrics.Lag.DeleteLabelValues(label)
}

// stopAt reports why the partition is parked, and returns what to wait for before it is acquired again.
func (p *Pipeline) stopAt(io context.Context, partition int32, still *standstill) (ready func() bool) {
	label, reason := strconv.Itoa(int(partition)), checkpoint.ParkedGap
	for _, g := range still.gaps {
		p.log.Error("the partition is stopped by a data gap, others continue: inspect it with `footfall status`, and continue after it with "+
			"`footfall partition accept-gap`", "partition", partition, "lane", g.Lane, "flush", g.Gap.Step, "gap", g.Gap.String())
	}
	if k := still.park; k != nil && still.release {
		reason = k.Reason
		p.log.Error("the partition is parked until another release has drained it, others continue", "partition", partition, "cause", k.Detail)
	} else if k != nil {
		reason = k.Reason
		p.log.Error("the partition is parked, others continue: remove the cause, then run one of the commands", "partition", partition,
			"cause", k.String(), "commands", strings.Join(k.Commands(partition), " | "))
	}
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	p.metrics.parked(label, reason)
	p.mu.Lock()
	p.parked[partition] = still
	p.mu.Unlock()
	return func() bool { return p.decided(io, partition, still) }
}

// decided waits until a partition that is parked may be acquired again. It returns false if this process no longer serves it.
func (p *Pipeline) decided(io context.Context, partition int32, still *standstill) bool {
	every, look := parkedLook, p.taker.undecided
	switch {
	case still.release:
		look = p.taker.ofOtherRelease
	case !still.durable:
		every = parkedRetry
		look = func(context.Context, int32) (bool, error) { return false, nil }
	case still.park != nil:
		if err := p.taker.resumeQuarantined(io, partition, still.park); err != nil && io.Err() == nil {
			p.log.Warn("whether the item was quarantined in the meantime cannot be read", "partition", partition, "error", err)
		}
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-io.Done():
			return false
		}
		if !p.serves(partition) {
			return false
		}
		waits, err := look(io, partition)
		if err != nil {
			if io.Err() == nil {
				p.fail(err)
			}
			return false
		}
		if !waits {
			return true
		}
	}
}

// undecided reports whether the partition waits for an operator: at a gap, or parked.
func (t *taker) undecided(ctx context.Context, partition int32) (waits bool, err error) {
	return t.someLane(ctx, partition, func(c checkpoint.Head) bool { return c.Park != nil || c.Gap != nil && c.Gap.Accepted == "" })
}

// someLane reports whether holds is true of a lane's checkpoint, or one is damaged.
func (t *taker) someLane(ctx context.Context, partition int32, holds func(checkpoint.Head) bool) (bool, error) {
	tp := sinks.TP{Topic: t.number, Partition: partition}
	var keys []sinks.Key
	for _, lane := range checkpoint.Lanes {
		keys = append(keys, t.keys.Checkpoint(tp, lane))
	}
	found, err := t.send.batchGet(ctx, nil, keys)
	if err != nil {
		return false, fmt.Errorf("partition %d: look at its checkpoints: %w", partition, err)
	}
	for _, key := range keys {
		c, err := checkpoint.ReadHead(found[key])
		if _, damaged := errors.AsType[*sinks.DamagedError](err); damaged {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if holds(c) {
			return true, nil
		}
	}
	return false, nil
}

// queuedTo is the offset after the last record that was queued, or the one that the worker started at. Safe for
// concurrent use.
func (q *inbox) queuedTo() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fetched
}
