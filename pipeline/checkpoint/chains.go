package checkpoint

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// ChainID names a chain of a topic.
type ChainID struct {
	Partition int32
	Lane      string
}

// ChainState is what the table holds of a chain: its checkpoint and its histories, in the order of their steps.
type ChainState struct {
	Head    Head
	History []History
}

// Lost reports whether the chain has a history and no checkpoint: it was deleted.
func (s ChainState) Lost() bool { return s.Head.Step == 0 && len(s.History) > 0 }

// ChainStates are the chains of a topic.
type ChainStates map[ChainID]ChainState

// Add takes in an item that a query for [sinks.Keys.Checkpoints] has found. The query finds a checkpoint before its
// histories: the history of the checkpoint's last step alone may be missing, and histories of later steps be there.
func (all ChainStates) Add(it sinks.Item) error {
	key := it.Key()
	part := strings.Split(key.SK, "#")
	if len(part) < 3 {
		return fmt.Errorf("item %s / %s: not the key of a checkpoint or a history", key.PK, key.SK)
	}
	n, err := strconv.ParseInt(part[1], 10, 32)
	if err != nil {
		return fmt.Errorf("item %s / %s: the partition is not a number", key.PK, key.SK)
	}
	id := ChainID{int32(n), part[2]}
	state := all[id]
	if len(part) > 3 {
		h, err := ReadHistory(it)
		if err != nil {
			return err
		}
		state.History = append(state.History, h)
	} else if state.Head, err = ReadHead(it); err != nil {
		return err
	}
	all[id] = state
	return nil
}

// LoadChains reads what the table has of the chains of a topic, by its number, as of now. Requests are repeated until they are answered.
func LoadChains(ctx context.Context, table sinks.Table, keys sinks.Keys, number int64) (ChainStates, error) {
	return loadChains(ctx, retry.Policy{}.Reads(table), keys, number)
}

func loadChains(ctx context.Context, table sinks.Table, keys sinks.Keys, number int64) (ChainStates, error) {
	all := make(ChainStates)
	pk, prefix := keys.Checkpoints(number)
	for it, err := range sinks.Items(ctx, table, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}) {
		if err != nil {
			return nil, fmt.Errorf("read the chains: %w", err)
		}
		if err := all.Add(it); err != nil {
			return nil, err
		}
	}
	return all, nil
}
