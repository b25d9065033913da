package rebuild

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Offsets are how far the chains of a topic are, by partition and lane: everything below is counted.
type Offsets map[checkpoint.ChainID]int64

// chains are those of a topic in one generation. They are safe for concurrent use.
type chains struct {
	table  sinks.Table // repeats reads
	keys   sinks.Keys
	number atomic.Int64 // of the topic in the generation; 0: it has none yet
	topic  string
}

func newChains(table sinks.Table, keys sinks.Keys, topic string) *chains {
	return &chains{table: retry.Policy{}.Table(table), keys: keys, topic: topic}
}

// states reads the chains; none if the generation does not have the topic.
func (c *chains) states(ctx context.Context) (checkpoint.ChainStates, error) {
	number := c.number.Load()
	if number == 0 {
		n, ok, err := sinks.LoadTopic(ctx, c.table, c.keys, c.topic)
		if err != nil || !ok {
			return nil, err
		}
		number = n
		c.number.Store(n)
	}
	return checkpoint.LoadChains(ctx, c.table, c.keys, number)
}

// offsets reads how far the chains are. A parked chain, or one that waits at a gap, is an error.
func (c *chains) offsets(ctx context.Context) (Offsets, error) {
	states, err := c.states(ctx)
	if err != nil {
		return nil, err
	}
	at := make(Offsets, len(states))
	for id, s := range states {
		at[id] = s.Head.Position() - s.Head.Base
		switch {
		case s.Head.Park != nil:
			return nil, fmt.Errorf("partition %d is parked: %v", id.Partition, s.Head.Park)
		case s.Head.Gap != nil && s.Head.Gap.Accepted == "":
			return nil, fmt.Errorf("partition %d waits at a gap: %v", id.Partition, s.Head.Gap)
		}
	}
	return at, nil
}

// scripts reads under which settings the chains have counted.
func (c *chains) scripts(ctx context.Context) (checkpoint.Scripts, error) {
	states, err := c.states(ctx)
	if err != nil {
		return nil, err
	}
	return checkpoint.ScriptsOf(states)
}

// purgeScripts returns the scripts of a rebuild under the settings of today. They say under which revision records were counted before, so
// that those of sites which were purged since, and perhaps created again, do not count, and by which mappings records are made events. nil:
// no site was purged, no record was mapped, and always is not set.
func (c *chains) purgeScripts(ctx context.Context, always bool) (checkpoint.Scripts, error) {
	purges, err := c.purges(ctx)
	if err != nil {
		return nil, err
	}
	all, err := c.scripts(ctx)
	needed := purges != nil || always
	for id := range all {
		all[id] = all[id].Today(purges)
		needed = needed || len(all[id].Mapped().Maps) > 0
	}
	if !needed {
		return nil, err
	}
	return all, err
}

// ends reads where the flushes of the chains end, also those that are under way and would be repeated.
func (c *chains) ends(ctx context.Context) (Offsets, error) {
	states, err := c.states(ctx)
	if err != nil {
		return nil, err
	}
	at := make(Offsets, len(states))
	for id, s := range states {
		at[id] = max(s.Head.To, s.Head.Next) - s.Head.Base
	}
	return at, nil
}

// reach waits until the chains have reached offsets. note is called with each look, and its error ends the wait; nil: it is not called.
func (c *chains) reach(ctx context.Context, want Offsets, every time.Duration, note func(at Offsets) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		at, err := c.offsets(ctx)
		if err != nil {
			return fmt.Errorf("how far generation %d is: %w", max(1, c.keys.Generation), err)
		}
		if note != nil {
			if err := note(at); err != nil {
				return err
			}
		}
		if at.reached(want) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// reached reports whether all that is wanted is there.
func (at Offsets) reached(want Offsets) bool {
	for id, offset := range want {
		if have, ok := at[id]; offset > 0 && (!ok || have < offset) {
			return false
		}
	}
	return true
}

// behind counts the records that the stats lanes have still to count to reach other offsets.
func (at Offsets) behind(other Offsets) (records int64) {
	for id, offset := range other {
		if id.Lane == checkpoint.LaneStats {
			records += max(0, offset-at[id])
		}
	}
	return records
}
