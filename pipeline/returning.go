package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// A partition can come back to this process while Kafka assigns it to it all along: after it was fenced, after the log
// did not hold what was to be fetched next, or after it stopped at a gap that has been accepted since. One goroutine at
// a time brings a partition back, for two would fence each other.

// bringBack acquires a partition's chains again as soon as ready returns, as long as the partition is assigned and
// nothing else has brought it back. ready returns false when the process is ending.
func (p *Pipeline) bringBack(io context.Context, partition int32, ready func() bool) {
	token := new(int)
	if !p.roster.beginReturn(partition, token) {
		return
	}
	p.tasks.Go(func() {
		for ready != nil && ready() && p.roster.returns(partition, token) {
			ready = p.regain(io, partition, token)
		}
	})
}

// regain acquires a partition's chains and leaves the worker to the poll loop: only between two polls can the client
// be moved without records of the old position coming after it. It returns what to wait for before the next try, nil
// when there is none.
func (p *Pipeline) regain(io context.Context, partition int32, token *int) (ready func() bool) {
	t, err := p.taker.acquireAll(io, []int32{partition})
	if err != nil {
		if io.Err() == nil {
			p.fail(err)
		}
		return nil
	}
	if found := t.still[partition]; found != nil {
		return p.stopAt(io, partition, found)
	}
	if cause := t.fenced[partition]; cause != nil {
		return p.afterFence(io, partition, cause)
	}
	if t.yields[partition] != nil {
		return p.yield(io, partition)
	}
	p.roster.mu.Lock()
	defer p.roster.mu.Unlock()
	p.roster.unpark(partition)
	p.taker.unyield(partition)
	if p.roster.returning[partition] == token {
		delete(p.roster.returning, partition)
		p.roster.regained = append(p.roster.regained, regained{t.workers[0], io})
		p.roster.breakOff()
	}
	return nil
}

// A worker that is fenced while Kafka still assigns it the partition acquires its chains again after a while: its
// own late request may have fenced it, or a zombie that has ended since. Two clusters with one group on one table would
// fence each other for ever; the process that is fenced fencesMost times within fencesSpan gives up and names the other.
// Fencing by another group is no reason to give up: see groups.go. Neither is fencing by operators' commands.
const (
	fencesMost = 5
	fencesSpan = 5 * time.Minute
	regainMin  = time.Second
	regainMax  = 10 * time.Second
)

func (p *Pipeline) fenced(io context.Context, partition int32, cause error) {
	if ready := p.afterFence(io, partition, cause); ready != nil {
		p.bringBack(io, partition, ready)
	}
}

// afterFence counts a fence, and returns what to wait for before the partition is acquired again; nil when it is not.
func (p *Pipeline) afterFence(io context.Context, partition int32, cause error) (ready func() bool) {
	p.metrics.Fenced.Inc()
	now := time.Now()
	fence, ok := errors.AsType[*checkpoint.FencedError](cause)
	other := ok && (fence.Have.Group != "" && fence.Have.Group != p.options.Group || checkpoint.OfCommand(fence.Have.Owner))
	p.roster.mu.Lock()
	recent := slices.DeleteFunc(p.roster.fences[partition], func(t time.Time) bool { return now.Sub(t) > fencesSpan })
	if !other {
		recent = append(recent, now)
	}
	p.roster.fences[partition] = recent
	assigned, times := p.roster.assigned[partition] && !p.roster.closing, len(p.roster.fences[partition])
	p.roster.mu.Unlock()
	if !assigned {
		p.log.Info("partition taken over by another owner", "partition", partition, "cause", cause)
		return nil
	}
	if !other && times >= fencesMost {
		p.fail(fmt.Errorf("partition %d: fenced %d times within %v while Kafka assigns it to this process: does another "+
			"cluster with a consumer group %q use this table for topic %q? %w", partition, times, fencesSpan, p.options.Group, p.topic, cause))
		return nil
	}
	p.pause(partition)
	wait := regainMin + rand.N(regainMax-regainMin)
	// Cause: Another process wrote the checkpoint of the partition: in a rebalance, after this process was frozen, or from a clone with the
	// same group on another cluster. Remedy: None is needed if it passes. If it happens again and again, end one of the two processes.
	p.log.Warn("fenced: acquiring the partition again", "partition", partition, "in", wait, "cause", cause)
	return func() bool {
		select {
		case <-time.After(wait):
			return true
		case <-io.Done():
			return false
		}
	}
}
