package watch

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A Topic is a topic that is counted into a table.
type Topic struct {
	Kafka []kgo.Opt
	Name  string
	Table sinks.Table
}

// Uncounted implements Options.Topic. It returns the partitions that are not counted up to their first record with a Kafka timestamp of the
// instant or later, or to their end. A partition without records is counted, even if it has markers of transactions. One that is parked,
// has no leader or has no owner is not.
func (t Topic) Uncounted(ctx context.Context, before time.Time) ([]sinks.TP, error) {
	cl, err := kgo.NewClient(append(slices.Clip(t.Kafka), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxPartitionBytes(maxLook))...)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	admin := kadm.NewClient(cl)
	ends, err := admin.ListOffsetsAfterMilli(ctx, before.UnixMilli(), t.Name)
	if err != nil {
		return nil, err
	}
	if none, ok := ends.Lookup(t.Name, -1); ok {
		return nil, none.Err // The topic is not there.
	}
	starts, err := admin.ListStartOffsets(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	heads, err := t.heads(ctx, slices.Sorted(maps.Keys(ends[t.Name])))
	if err != nil {
		return nil, err
	}
	lookCtx, stop := context.WithTimeout(ctx, lookTimeout)
	defer stop()
	var late []sinks.TP
	for _, h := range heads {
		end, start := ends[t.Name][h.Partition], starts[t.Name][h.Partition]
		next, stopped := h.counted()
		switch {
		case end.Err != nil || start.Err != nil || stopped:
		case max(start.Offset, next) >= end.Offset || next == 0 && t.empty(lookCtx, cl, h.Partition, start.Offset, end.Offset):
			continue
		}
		late = append(late, h.TP)
	}
	return late, nil
}

// Limits of the look at partitions that have counted nothing yet.
const (
	maxLook     = 64 << 10 // bytes that are read at once, to see whether there is a record
	lookTimeout = 10 * time.Second
)

// empty reports whether a partition has nothing to count between two offsets: only markers of transactions and records of aborted ones. It
// is for partitions that have counted nothing. The checkpoints of others are past such records.
func (t Topic) empty(ctx context.Context, cl *kgo.Client, partition int32, from, to int64) bool {
	cl.AddConsumePartitions(map[string]map[int32]kgo.Offset{t.Name: {partition: kgo.NewOffset().At(from)}})
	defer cl.RemoveConsumePartitions(map[string][]int32{t.Name: {partition}})
	for {
		found := cl.PollRecords(ctx, 1)
		if found.Err() != nil {
			return false
		}
		for r := range found.RecordsAll() {
			switch {
			case r.Offset >= to:
				return true
			case !batch.IsMarker(r):
				return false
			case r.Offset == to-1:
				return true
			}
		}
	}
}

// A head is the checkpoint of a partition; nil: it has none.
type head struct {
	sinks.TP
	item sinks.Item
}

func (t Topic) heads(ctx context.Context, partitions []int32) (heads []head, err error) {
	_, settings, err := sinks.CheckFormat(ctx, t.Table)
	if err != nil {
		return nil, err
	}
	number, _, err := sinks.LoadTopic(ctx, t.Table, settings.Keys(), t.Name)
	if err != nil {
		return nil, err
	}
	var keys []sinks.Key
	for _, p := range partitions {
		heads = append(heads, head{TP: sinks.TP{Topic: number, Partition: p}})
		keys = append(keys, settings.Keys().Checkpoint(heads[len(heads)-1].TP, checkpoint.LaneStats))
	}
	found, err := sinks.Get(ctx, t.Table, keys...)
	for i, key := range keys {
		heads[i].item = found[key]
	}
	return heads, err
}

// counted is the offset up to which a partition is counted, and whether it is stopped there: parked, or at records that are gone.
func (h head) counted() (next int64, stopped bool) {
	at, err := checkpoint.ReadHead(h.item)
	if err != nil {
		return 0, true
	}
	return at.Position() - at.Base, at.Park != nil || at.Gap != nil && at.Gap.Accepted == ""
}

// Marked are the partitions that counted events of a site into the hours that one is judged by.
func (t Topic) Marked(ctx context.Context, site string, spans [][2]int64) (map[sinks.TP]bool, error) {
	_, settings, err := sinks.CheckFormat(ctx, t.Table)
	if err != nil {
		return nil, err
	}
	var keys []sinks.Key
	for _, span := range spans {
		for hour := span[0]; hour < span[1]; hour++ {
			keys = append(keys, settings.Keys().HourStats(site, alerts.HourStart(hour).UnixMilli()))
		}
	}
	found, err := sinks.Get(ctx, t.Table, keys...)
	marked := make(map[sinks.TP]bool)
	for _, it := range found {
		for _, tp := range sinks.MarkedBy(it) {
			marked[tp] = true
		}
	}
	return marked, err
}
