package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/telemetry"
)

// register makes a worker the owner of its partition and starts it. It reports false when the pipeline is ending, or
// the partition is not assigned any more, or has another worker by now.
func (p *Pipeline) register(io context.Context, w *worker) bool {
	ctx, kill := context.WithCancelCause(io)
	w.open(ctx, kill)
	p.roster.mu.Lock()
	if p.roster.closing || !p.roster.assigned[w.partition] || p.roster.workers[w.partition] != nil { // The group has moved on.
		p.roster.mu.Unlock()
		kill(errLost)
		return false
	}
	w.since = p.polls.Load()
	p.roster.workers[w.partition] = w
	p.metrics.ShowParked(strconv.Itoa(int(w.partition)), telemetry.NotParked)
	p.roster.mu.Unlock()
	w.holding.Join()
	p.offsets.takeovers.add(w)
	p.resume(w.partition)
	p.log.Info("partition acquired", "partition", w.partition, "offset", w.NextToFold(), "reading", w.start, "redo", w.redoes())
	p.tasks.Go(func() {
		w.err = w.run(ctx)
		p.roster.mu.Lock()
		if p.roster.workers[w.partition] == w {
			delete(p.roster.workers, w.partition) // Before done is closed: the waiter may bring the partition back.
		}
		p.roster.mu.Unlock()
		close(w.done)
		p.ended(io, w)
	})
	if past := p.options.Rebuild.Past; past != nil {
		if _, to := past.Span(w.partition); w.start < to { // The brokers do not have the next record.
			p.readRaw(io, w.partition, errLeftOut)
		}
	}
	return true
}

// ended decides what the end of a worker means for the process.
func (p *Pipeline) ended(io context.Context, w *worker) {
	label := strconv.Itoa(int(w.partition))
	p.metrics.Forget(label)
	p.metrics.Lag.DeleteLabelValues(label)
	p.metrics.LagSeconds.DeleteLabelValues(label)
	p.metrics.OpenTransaction.DeleteLabelValues(label)
	switch err := w.err; {
	case err == nil:
		p.log.Info("partition drained", "partition", w.partition)
	case errors.Is(err, errDeadline):
		// Cause: The process was asked to end, and a flush was not in the table within the 35 s of a drain: the table was slow or away. Remedy:
		// None is needed: the next owner repeats the flush, and nothing counts twice. See `footfall_outage_seconds` if it happens again.
		p.log.Warn("drain cut short: the next owner does the open step again", "partition", w.partition)
	case errors.Is(err, errLost), errors.Is(err, errReplaced), errors.Is(err, context.Canceled) && io.Err() != nil:
		p.log.Info("partition let go", "partition", w.partition, "cause", err)
	case errors.Is(err, checkpoint.ErrFenced):
		p.fenced(io, w.partition, err)
	default:
		if why, ok := parkOf(err); ok {
			p.leavePark(io, w.partition, why)
			return
		}
		if found := standstillOf(err); found != nil {
			found.topicID = w.topicID
			p.park(io, w.partition, found)
			return
		}
		p.fail(fmt.Errorf("partition %d: %w", w.partition, err))
	}
}

// takeUp starts the workers that were acquired again; called by the poll loop, between two polls.
func (p *Pipeline) takeUp() {
	for _, r := range p.roster.takeRegained() {
		r.worker.seek(r.worker.start)
		p.register(r.io, r.worker)
	}
}
