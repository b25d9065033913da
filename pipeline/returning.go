package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// A partition can come back to this process while Kafka assigns it to it all along: after it was fenced, after the log
// did not hold what was to be fetched next, or after it stopped at a gap that has been accepted since. One goroutine at
// a time brings a partition back, for two would fence each other.

// bringBack acquires a partition's chains again as soon as ready returns, as long as the partition is assigned and
// nothing else has brought it back. ready returns false when the process is ending.
func (p *Pipeline) bringBack(io context.Context, partition int32, ready func() bool) {
	token := new(int)
	p.mu.Lock()
	if p.returning[partition] != nil || !p.assigned[partition] || p.closing {
		p.mu.Unlock()
		return
	}
	p.returning[partition] = token
	p.mu.Unlock()
	p.tasks.Go(func() {
		for ready != nil && ready() {
			p.mu.Lock()
			ours := p.returning[partition] == token // It is not once the partition was revoked, whether or not it came back.
			if ours && (p.closing || p.workers[partition] != nil) {
				delete(p.returning, partition)
				ours = false
			}
			p.mu.Unlock()
			if !ours {
				return
			}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unpark(partition)
	p.taker.unyield(partition)
	if p.returning[partition] == token {
		delete(p.returning, partition)
		p.regained = append(p.regained, regained{t.workers[0], io})
		p.breakOff()
	}
	return nil
}

// regained is a worker that waits for the poll loop to seek to its start.
type regained struct {
	worker *worker
	io     context.Context
}

// takeUp starts the workers that were acquired again; called by the poll loop, between two polls.
func (p *Pipeline) takeUp() {
	p.mu.Lock()
	list := p.regained
	p.regained = nil
	p.mu.Unlock()
	for _, r := range list {
		r.worker.seek(r.worker.start)
		p.register(r.io, r.worker)
	}
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
	other := ok && (fence.Have.Group != "" && fence.Have.Group != p.o.Group || checkpoint.OfCommand(fence.Have.Owner))
	p.mu.Lock()
	recent := slices.DeleteFunc(p.fences[partition], func(t time.Time) bool { return now.Sub(t) > fencesSpan })
	if !other {
		recent = append(recent, now)
	}
	p.fences[partition] = recent
	assigned, times := p.assigned[partition] && !p.closing, len(p.fences[partition])
	p.mu.Unlock()
	if !assigned {
		p.log.Info("partition taken over by another owner", "partition", partition, "cause", cause)
		return nil
	}
	if !other && times >= fencesMost {
		p.fail(fmt.Errorf("partition %d: fenced %d times within %v while Kafka assigns it to this process: does another "+
			"cluster with a consumer group %q use this table for topic %q? %w", partition, times, fencesSpan, p.o.Group, p.topic, cause))
		return nil
	}
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	wait := regainMin + rand.N(regainMax-regainMin)
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

// fetchError separates what ends the process from what passes.
func (p *Pipeline) fetchError(io context.Context, partition int32, err error) {
	var loss *kgo.ErrDataLoss
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, kgo.ErrClientClosed):
	case errors.As(err, &loss):
		p.lookAgain(io, partition, loss.ResetTo, err)
	case errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.InconsistentTopicID):
		p.fail(fmt.Errorf("partition %d: topic %q was deleted and created again: restart the process: %w", partition, p.topic, err))
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.ClusterAuthorizationFailed), errors.Is(err, kerr.SaslAuthenticationFailed):
		p.fail(fmt.Errorf("topic %q: Kafka refuses these credentials: %w", p.topic, err))
	case errors.Is(err, kerr.InvalidSessionTimeout):
		p.fail(fmt.Errorf("group %q: the brokers refuse a session timeout of %v: set kafka.sessionTimeout between their "+
			"group.min.session.timeout.ms and group.max.session.timeout.ms, by default 6s to 30m: %w", p.o.Group, p.o.SessionTimeout, err))
	case errors.As(err, new(*kgo.ErrGroupSession)), passes(err):
		p.log.Warn("fetch", "partition", partition, "error", err)
	case errors.Is(err, batch.ErrBusy): // It comes again with the next fetch.
	default: // A batch that does not decode, or the client has left the log: see readRaw.
		p.readRaw(io, partition, err)
	}
}

// lookAgain takes a partition over once more because the log does not hold what was to be fetched next: what is folded is
// settled first, and then it shows whether that is a gap, or only a window of duplicates that retention has cut. end is
// where the log was found to end, math.MaxInt64 when it was not looked at.
func (p *Pipeline) lookAgain(io context.Context, partition int32, end int64, cause error) {
	p.mu.Lock()
	w := p.workers[partition]
	if w != nil && end < math.MaxInt64 {
		p.taker.truncated(partition, end)
	}
	p.mu.Unlock()
	if w == nil {
		return // It is lost, or looked at already.
	}
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	p.log.Warn("the log does not hold the next offset: inspecting the log", "partition", partition, "error", cause)
	p.bringBack(io, partition, func() bool {
		p.retire([]int32{partition})
		return true
	})
}
