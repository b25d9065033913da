package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/plant"
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
// delays nothing and lets nobody in.

// quietAfter is how long the chains of a later group stand still before an earlier group takes them over.
const quietAfter = time.Minute

// yieldLook is how often a process that yields looks at the checkpoints; yieldWarn is how often it says that it does.
const (
	yieldLook = 10 * time.Second
	yieldWarn = 10 * time.Minute
)

// groupsListed is how many groups a checkpoint lists. One that has dropped out of the list is new again.
const groupsListed = 4

// yieldError reports that a chain is left to a later group.
type yieldError struct {
	group string // ours
	have  checkpoint.Head
}

func (e *yieldError) Error() string {
	return fmt.Sprintf("consumer group %q, owner %q, has come to this table after group %q and is at work", e.have.Group, e.have.Owner, e.group)
}

// acquireInTurn is acquire for the chain that decides which group a partition is of. It takes the chain over where it is
// our group's, where it is an earlier one's, and where it still stands as it has stood for quietAfter. Else it returns
// a *yieldError.
func (p *Pipeline) acquireInTurn(partition int32) func(ctx context.Context, table Table, key sinks.Key, owner, group string) (*chain, error) {
	p.mu.Lock()
	quiet := p.quiet[partition]
	delete(p.quiet, partition)
	p.mu.Unlock()
	return func(ctx context.Context, table Table, key sinks.Key, owner, group string) (*chain, error) {
		c := newChain(table, key, owner, group)
		var more []sinks.Attr
		ours := []sinks.Cond{{Attr: checkpoint.AttrGroup, Op: sinks.Equal, Value: sinks.Str(group)}}
		for conds := ours; ; {
			have, err := c.take(ctx, more, conds)
			if have == nil || err != nil {
				return c, err
			}
			more, conds = nil, ours
			if have.Group == group {
				continue
			}
			if have.LaterThan(group) && have.Stand() != quiet && !plant.GroupsFight {
				return nil, &yieldError{group, *have}
			}
			// On condition that it still stands so: a copy of this request that comes late finds the later group at work.
			conds = []sinks.Cond{equalOrAbsent(checkpoint.AttrEpoch, have.Epoch), equalOrAbsent(checkpoint.AttrStep, have.Step)}
			if order := have.Order(); !slices.Contains(order, group) {
				order = append(slices.Clone(order), group)
				more = groupsAttr(order[max(0, len(order)-groupsListed):])
			}
		}
	}
}

func equalOrAbsent(attr string, n int64) sinks.Cond {
	if n == 0 {
		return sinks.Cond{Attr: attr, Op: sinks.Absent}
	}
	return sinks.Cond{Attr: attr, Op: sinks.Equal, Value: sinks.Int(n)}
}

// groupsAttr is the list as an attribute; a single group is not listed.
func groupsAttr(order []string) []sinks.Attr {
	if len(order) < 2 {
		return nil
	}
	b, err := json.Marshal(order)
	if err != nil {
		panic(err) // Strings marshal.
	}
	return []sinks.Attr{{Name: checkpoint.AttrGroups, Value: sinks.Str(string(b))}}
}

// yieldTo leaves a partition to a later group, and returns what to wait for before it is acquired again: that the group's
// chains have stood still for long enough, or are no longer that group's.
func (p *Pipeline) yieldTo(io context.Context, partition int32, y *yieldError) (ready func() bool) {
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
