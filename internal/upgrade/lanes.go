package upgrade

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// lane is a lane of a partition, with its checkpoint.
type lane struct {
	topic string
	id    checkpoint.ChainID
	key   sinks.Key
	head  checkpoint.Head
}

// list reads the lanes of all topics in all generations, in order.
func list(ctx context.Context, table sinks.Table, has sinks.Generations) (lanes []lane, err error) {
	for _, keys := range has.All() {
		topics, err := sinks.Topics(ctx, table, keys)
		if err != nil {
			return nil, err
		}
		for _, number := range slices.Sorted(maps.Keys(topics)) {
			chains, err := checkpoint.LoadChains(ctx, table, keys, number)
			if err != nil {
				return nil, fmt.Errorf("topic %q: %w", topics[number], err)
			}
			for id, state := range chains {
				key := keys.Checkpoint(sinks.TP{Topic: number, Partition: id.Partition}, id.Lane)
				lanes = append(lanes, lane{topics[number], id, key, state.Head})
			}
		}
	}
	slices.SortFunc(lanes, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.id.Partition, b.id.Partition), cmp.Compare(a.id.Lane, b.id.Lane))
	})
	return lanes, nil
}

func (l lane) owner() string { return l.head.Owner }

func (l lane) describe() Owner {
	o := Owner{Topic: l.topic, Partition: l.id.Partition, Lane: l.id.Lane, Owner: l.owner()}
	if at := l.head.FlushedAt; at > 0 {
		o.FlushedAt = time.UnixMilli(at).UTC()
	}
	return o
}

// unchanged reports whether the lane's last flush is in an earlier format.
func (l lane) unchanged() bool {
	settings, err := checkpoint.ParseValues(l.head.Ver)
	return l.head.Step > 0 && (err != nil || settings.Fold < checkpoint.FoldVersion)
}
