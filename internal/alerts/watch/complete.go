package watch

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Completeness returns what Options.Complete asks of a topic and a table: whether each partition is counted up to its first record with a
// Kafka timestamp of the instant or later, or to its end. So a topic without records is complete, and one that nothing counts is not.
func Completeness(kafka []kgo.Opt, topic string, table sinks.Table) func(context.Context, time.Time) (bool, error) {
	return func(ctx context.Context, before time.Time) (bool, error) {
		cl, err := kgo.NewClient(kafka...)
		if err != nil {
			return false, err
		}
		defer cl.Close()
		admin := kadm.NewClient(cl)
		ends, err := admin.ListOffsetsAfterMilli(ctx, before.UnixMilli(), topic)
		if err == nil {
			err = ends.Error()
		}
		if err != nil {
			return false, err
		}
		starts, err := admin.ListStartOffsets(ctx, topic)
		if err == nil {
			err = starts.Error()
		}
		if err != nil {
			return false, err
		}
		_, settings, err := sinks.CheckFormat(ctx, table)
		if err != nil {
			return false, err
		}
		number, ok, err := sinks.LoadTopic(ctx, table, settings.Keys(), topic)
		if err != nil || !ok {
			return false, err
		}
		var heads []sinks.Key // by partition
		for p := range int32(len(ends[topic])) {
			heads = append(heads, settings.Keys().Checkpoint(sinks.TP{Topic: number, Partition: p}, checkpoint.LaneStats))
		}
		found, err := sinks.Get(ctx, table, heads...)
		if err != nil {
			return false, err
		}
		for p, key := range heads {
			end, _ := ends.Lookup(topic, int32(p))
			next, _ := starts.Lookup(topic, int32(p))
			if it, ok := found[key]; ok {
				head, err := checkpoint.ReadHead(it)
				if err != nil {
					return false, err
				}
				next.Offset = max(next.Offset, head.Position()-head.Base)
			}
			if next.Offset < end.Offset {
				return false, nil
			}
		}
		return true, nil
	}
}
