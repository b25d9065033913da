package pipeline

import (
	"context"
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

// acquireInTurn takes over the chain that decides which group a partition is of, as [checkpoint.AcquireInTurn] does.
func (t *taker) acquireInTurn(partition int32) func(context.Context, checkpoint.Table, sinks.Key, checkpoint.Owner) (*checkpoint.Chain,
	error) {
	t.mu.Lock()
	quiet := t.quiet[partition]
	delete(t.quiet, partition)
	t.mu.Unlock()
	return func(ctx context.Context, table checkpoint.Table, key sinks.Key, by checkpoint.Owner) (*checkpoint.Chain, error) {
		return checkpoint.AcquireInTurn(ctx, table, key, by, quiet)
	}
}

// yielding is what a process remembers of the chains of a partition that it has left to a later group.
type yielding struct {
	*taker
	partition   int32
	last        []checkpoint.Head
	since, warn time.Time // when they were first seen to stand as they do; when to warn again
}

// over reports whether the partition may be taken over, by the heads of its chains; nil: they cannot be read.
func (y *yielding) over(heads []checkpoint.Head, now time.Time) bool {
	if !slices.EqualFunc(y.last, heads, func(a, b checkpoint.Head) bool { return a.Stand() == b.Stand() }) {
		y.last, y.since = heads, now
	}
	if heads == nil {
		return false
	}
	stats := heads[0]
	switch {
	case !stats.LaterThan(y.options.Group):
		return true
	case now.Sub(y.since) >= y.quietSpan():
		y.mu.Lock()
		y.quiet[y.partition] = stats.Stand()
		y.mu.Unlock()
		y.log.Info("a later consumer group has stopped: its partition is taken over", "partition", y.partition,
			"group", stats.Group, "owner", stats.Owner, "for", now.Sub(y.since).Round(time.Second))
		return true
	case !now.Before(y.warn):
		y.warn = now.Add(yieldWarn)
		// Cause: Processes of two consumer groups count the same topic into the same table. The later group has the partition. Remedy: Stop the
		// processes of one group. This group takes over once the other has written nothing for a minute or more.
		y.log.Warn("another consumer group has taken over a partition of this table: stop the processes of one of the groups",
			"partition", y.partition, "group", y.options.Group, "other", stats.Group, "owner", stats.Owner)
	}
	return false
}

// quietSpan is how long a later group's chains stand still before they are taken over: quietAfter, and long enough for
// the lane that flushes most often to show that its owner is there.
func (t *taker) quietSpan() time.Duration {
	return max(quietAfter, 2*min(t.options.StatsInterval, t.options.RealtimeInterval))
}

// headsOf reads the checkpoints of a partition, in the order of Lanes.
func (t *taker) headsOf(ctx context.Context, partition int32) ([]checkpoint.Head, error) {
	items, err := t.checkpointsOf(ctx, partition)
	heads := make([]checkpoint.Head, len(items))
	for i, it := range items {
		if heads[i], err = checkpoint.ReadHead(it); err != nil {
			return nil, err
		}
	}
	return heads, err
}

func (t *taker) checkpointsOf(ctx context.Context, partition int32) ([]sinks.Item, error) {
	tp := sinks.TP{Topic: t.number, Partition: partition}
	var keys []sinks.Key
	for _, lane := range checkpoint.Lanes {
		keys = append(keys, t.keys.Checkpoint(tp, lane))
	}
	found, err := t.send.BatchGet(ctx, nil, keys)
	if err != nil {
		return nil, fmt.Errorf("partition %d: look at its checkpoints: %w", partition, err)
	}
	var items []sinks.Item
	for _, key := range keys {
		items = append(items, found[key])
	}
	return items, nil
}

// unyield forgets that a partition was left to another group.
func (t *taker) unyield(partition int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.quiet, partition)
	delete(t.yielded, partition)
	t.metrics.Yielded.DeleteLabelValues(strconv.Itoa(int(partition)))
}

// yields reports whether a partition is left to another group.
func (t *taker) yields(partition int32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.yielded[partition]
}
