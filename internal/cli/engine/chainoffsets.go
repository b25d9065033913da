package engine

import (
	"context"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// ChainOffsets returns the offset behind the last step of the stats lane, for those of the partitions 0 to
// partitions-1 that have a chain.
func ChainOffsets(ctx context.Context, t sinks.Table, topic string, partitions int) (map[int32]int64, error) {
	_, has, err := sinks.CheckFormat(ctx, t)
	if err != nil {
		return nil, err
	}
	keys := has.Keys()
	number, ok, err := sinks.LoadTopic(ctx, t, keys, topic)
	if err != nil || !ok {
		return nil, err
	}
	next := make(map[int32]int64)
	var checkpoints []sinks.Key // by partition
	for n := range int32(partitions) {
		checkpoints = append(checkpoints, keys.Checkpoint(sinks.TP{Topic: number, Partition: n}, checkpoint.LaneStats))
	}
	found, err := sinks.Get(ctx, t, checkpoints...)
	if err != nil {
		return nil, err
	}
	for n, key := range checkpoints {
		if it, ok := found[key]; ok {
			c, err := checkpoint.ReadHead(it)
			if err != nil {
				return nil, err
			}
			next[int32(n)] = c.To - c.Base
		}
	}
	return next, nil
}
