package pipeline

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// yield leaves a partition to a later group, and returns what to wait for before it is acquired again: that the group's
// chains have stood still for long enough, or are no longer that group's.
func (p *Pipeline) yield(io context.Context, partition int32) (ready func() bool) {
	p.pause(partition)
	p.metrics.Yielded.WithLabelValues(strconv.Itoa(int(partition))).Set(1)
	p.taker.mu.Lock()
	p.taker.yielded[partition] = true
	p.taker.mu.Unlock()
	return func() bool {
		tick := time.NewTicker(yieldLook)
		defer tick.Stop()
		y := yielding{taker: p.taker, partition: partition}
		for p.roster.serves(partition) {
			heads, err := p.taker.headsOf(io, partition)
			if _, damaged := errors.AsType[*sinks.DamagedError](err); damaged { // Its owner parks; there is nothing to take over.
				heads, err = nil, nil
			}
			if err != nil {
				if io.Err() == nil {
					p.fail(err)
				}
				return false
			}
			if y.over(heads, time.Now()) {
				return true
			}
			select {
			case <-tick.C:
			case <-io.Done():
				return false
			}
		}
		return false
	}
}

// stopAt reports why the partition is parked, and returns what to wait for before it is acquired again.
func (p *Pipeline) stopAt(io context.Context, partition int32, still *standstill) (ready func() bool) {
	label, reason := strconv.Itoa(int(partition)), checkpoint.ParkedGap
	for _, g := range still.gaps {
		// Cause: The topic lost records before they were counted: by its retention, a deletion, an election of a replica that lacked them, or
		// because it was created again. Remedy: Look at `footfall status`, then accept the gap. Keep records for longer than the longest outage.
		// See FootfallPartitionParked in the runbook.
		p.log.Error("the partition is stopped by a data gap, others continue: inspect it with `footfall status`, and continue after it with "+
			"`footfall partition accept-gap`", "partition", partition, "lane", g.Lane, "flush", g.Gap.Step, "gap", g.Gap.String())
	}
	if k := still.park; k != nil && still.release {
		reason = k.Reason
		// Cause: A release that counts by other rules began a flush and did not finish it. This release cannot repeat it. Remedy: Start that
		// release and let it drain, then start this one. See upgrading.md.
		p.log.Error("the partition is parked until another release has drained it, others continue", "partition", partition, "cause", k.Detail)
	} else if k != nil {
		reason = k.Reason
		// Cause: An item of the table is damaged or deleted, or records cannot be read; `cause` names it. Remedy: Restore the item or the
		// replica, then run one of the commands. See FootfallPartitionParked in the runbook.
		p.log.Error("the partition is parked, others continue: remove the cause, then run one of the commands", "partition", partition,
			"cause", k.String(), "commands", strings.Join(k.Commands(partition), " or "))
	}
	p.pause(partition)
	p.metrics.ShowParked(label, reason)
	p.roster.mu.Lock()
	p.roster.parked[partition] = still
	p.roster.mu.Unlock()
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
			// Cause: The table did not answer when the process looked whether the damaged item had been set aside. Remedy: If the item was set aside
			// and the partition stays parked, run `footfall partition resume`.
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
		if !p.roster.serves(partition) {
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

// unpark forgets that a partition was parked. mu is held.
func (r *roster) unpark(partition int32) {
	if _, ok := r.parked[partition]; !ok {
		return
	}
	delete(r.parked, partition)
	label := strconv.Itoa(int(partition))
	r.metrics.Forget(label)
	r.metrics.Lag.DeleteLabelValues(label)
}

const (
	// parkedLook is how often a parked partition's checkpoints are looked at.
	parkedLook = 5 * time.Second
	// parkedRetry is how often a takeover is tried again whose failure could not be recorded.
	parkedRetry = time.Minute
)
