package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Two consumer groups may consume one topic into one table: while a release that renames the group is rolled out, or by
// mistake. Each is assigned all partitions, and each takeover fences the other group, which loses what it has accumulated.
// The numbers are right whatever they do, as only the epoch decides who may write. So that one of them makes progress,
// they are ordered: the checkpoint of a partition's stats lane lists the groups as they have first taken it over. A later
// group takes over at once. An earlier one yields for as long as a later one is at work, and takes over once the chains
// have stood still for quietAfter, which is what makes a rollback work.
//
// "For quietAfter" is by the clock that runs in the process that yields, between two looks of its own at the
// checkpoints. No two processes' clocks are compared, and none is compared with the table's: a clock that is wrong
// delays nothing and lets no other in.

// quietAfter is how long the chains of a later group stand still before an earlier group takes them over.
const quietAfter = time.Minute

// yieldLook is how often a process that yields looks at the checkpoints; yieldWarn is how often it says that it does.
const (
	yieldLook = 10 * time.Second
	yieldWarn = 10 * time.Minute
)

// acquireInTurn takes over the chain that decides which group a partition is of, as [acquireInTurn] does.
func (p *Pipeline) acquireInTurn(partition int32) func(context.Context, checkpoint.Table, sinks.Key, checkpoint.Owner) (*checkpoint.Chain,
	error) {
	p.mu.Lock()
	quiet := p.quiet[partition]
	delete(p.quiet, partition)
	p.mu.Unlock()
	return func(ctx context.Context, table checkpoint.Table, key sinks.Key, by checkpoint.Owner) (*checkpoint.Chain, error) {
		return checkpoint.AcquireInTurn(ctx, table, key, by, quiet)
	}
}

// yieldTo leaves a partition to a later group, and returns what to wait for before it is acquired again: that the group's
// chains have stood still for long enough, or are no longer that group's.
func (p *Pipeline) yieldTo(io context.Context, partition int32, y *checkpoint.YieldError) (ready func() bool) {
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	p.metrics.Yielded.WithLabelValues(strconv.Itoa(int(partition))).Set(1)
	return func() bool {
		tick := time.NewTicker(yieldLook)
		defer tick.Stop()
		var last []checkpoint.Head
		var since, warn time.Time // when they were first seen to stand as they do; when to warn again
		wait := func() bool {
			select {
			case <-tick.C:
				return true
			case <-io.Done():
				return false
			}
		}
		for {
			p.mu.Lock()
			ours := p.assigned[partition] && !p.closing
			p.mu.Unlock()
			if !ours {
				return false
			}
			heads, err := p.headsOf(io, partition)
			if _, damaged := errors.AsType[*sinks.DamagedError](err); damaged { // Its owner parks; there is nothing to take over.
				heads, err = nil, nil
			}
			if err != nil {
				if io.Err() == nil {
					p.fail(err)
				}
				return false
			}
			now := time.Now()
			if !slices.EqualFunc(last, heads, func(a, b checkpoint.Head) bool { return a.Stand() == b.Stand() }) {
				last, since = heads, now
			}
			if heads == nil {
				if !wait() {
					return false
				}
				continue
			}
			stats := heads[0]
			if !stats.LaterThan(p.o.Group) {
				return true
			}
			if now.Sub(since) >= p.quietSpan() {
				p.mu.Lock()
				p.quiet[partition] = stats.Stand()
				p.mu.Unlock()
				p.log.Info("a later consumer group has stopped: its partition is taken over", "partition", partition,
					"group", stats.Group, "owner", stats.Owner, "for", now.Sub(since).Round(time.Second))
				return true
			}
			if !now.Before(warn) {
				warn = now.Add(yieldWarn)
				p.log.Warn("another consumer group has taken over a partition of this table: stop the processes of one of the groups",
					"partition", partition, "group", p.o.Group, "other", stats.Group, "owner", stats.Owner)
			}
			if !wait() {
				return false
			}
		}
	}
}

// quietSpan is how long a later group's chains stand still before they are taken over: quietAfter, and long enough for
// the lane that flushes most often to show that its owner is there.
func (p *Pipeline) quietSpan() time.Duration {
	return max(quietAfter, 2*min(p.intervals[checkpoint.LaneStats], p.intervals[checkpoint.LaneRealtime]))
}

// unyield forgets that a partition was left to another group. p.mu is held.
func (p *Pipeline) unyield(partition int32) {
	delete(p.quiet, partition)
	p.metrics.Yielded.DeleteLabelValues(strconv.Itoa(int(partition)))
}

// headsOf reads the checkpoints of a partition, in the order of Lanes.
func (p *Pipeline) headsOf(ctx context.Context, partition int32) ([]checkpoint.Head, error) {
	tp := sinks.TP{Topic: p.number, Partition: partition}
	var keys []sinks.Key
	for _, lane := range checkpoint.Lanes {
		keys = append(keys, p.keys.Checkpoint(tp, lane))
	}
	found, err := p.send.batchGet(ctx, nil, keys)
	if err != nil {
		return nil, fmt.Errorf("partition %d: look at its checkpoints: %w", partition, err)
	}
	heads := make([]checkpoint.Head, len(keys))
	for i, key := range keys {
		if heads[i], err = checkpoint.ReadHead(found[key]); err != nil {
			return nil, err
		}
	}
	return heads, nil
}
