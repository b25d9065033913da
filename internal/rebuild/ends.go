package rebuild

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// topicEnds reads where the log of the topic ends, for both lanes of the partitions that have records.
func (p *phases) topicEnds(ctx context.Context) (Offsets, error) {
	client, err := kgo.NewClient(p.Pipeline.Kafka...)
	if err != nil {
		return nil, fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	_, _, logs, err := topicLogs(ctx, kadm.NewClient(client), p.Pipeline.Topic)
	if err != nil {
		return nil, err
	}
	with, err := p.withRecords(ctx, logs)
	if err != nil {
		return nil, err
	}
	want := make(Offsets)
	for n := range with {
		for _, lane := range checkpoint.Lanes {
			want[checkpoint.ChainID{Partition: n, Lane: lane}] = logs[n].End
		}
	}
	return want, nil
}

// withRecords finds the partitions that have a record. A log may have markers of transactions alone: no flush begins then.
func (p *phases) withRecords(ctx context.Context, logs map[int32]checkpoint.Extent) (map[int32]bool, error) {
	with, open := make(map[int32]bool), make(map[int32]kgo.Offset)
	for n, log := range logs {
		if log.Start < log.End {
			open[n] = kgo.NewOffset().At(log.Start)
		}
	}
	if len(open) == 0 {
		return with, nil
	}
	client, err := kgo.NewClient(append(p.Pipeline.Kafka[:len(p.Pipeline.Kafka):len(p.Pipeline.Kafka)],
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{p.Pipeline.Topic: open}), kgo.FetchMaxPartitionBytes(firstBytes),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())...)
	if err != nil {
		return nil, fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	for len(open) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("look for the first records of topic %q: %w", p.Pipeline.Topic, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				with[r.Partition] = true
			}
			if with[r.Partition] || r.Offset >= logs[r.Partition].End-1 {
				delete(open, r.Partition)
				client.PauseFetchPartitions(map[string][]int32{p.Pipeline.Topic: {r.Partition}})
			}
		})
	}
	return with, nil
}

// firstBytes is how much is read of a partition at a time to find its first record.
const firstBytes = 64 << 10
