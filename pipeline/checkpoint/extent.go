package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Extent is what a partition's log holds.
type Extent struct {
	Start, End int64 // offsets; end is the last stable one
	High       int64 // the high watermark: an open transaction holds up what lies between
	Cut        bool  // the log was truncated at end, and may have grown again since
}

// Past has records that the topic has lost, such as those that were made of raw events. Safe for concurrent use.
type Past interface {
	// Span returns the offsets of a partition, [from, to), for which the past serves in place of the log. They are equal if there are none.
	Span(partition int32) (from, to int64)
	// Records yields the records of a partition from an offset on, in order. Offsets may be missing.
	Records(ctx context.Context, partition int32, from int64) iter.Seq2[*kgo.Record, error]
}

// After returns the log of a partition with what the past has of it before its start.
func (e Extent) After(past Past, partition int32) Extent {
	if past != nil {
		if from, to := past.Span(partition); from < to && e.Start <= to {
			e.Start = min(e.Start, from)
		}
	}
	return e
}

// InspectTopic asks Kafka for a topic's id and for the extent of each partition.
func InspectTopic(ctx context.Context, admin *kadm.Client, topic string, parts []int32) (id [16]byte, logs map[int32]Extent, err error) {
	topics, err := admin.ListTopics(ctx, topic)
	if err == nil {
		err = topics[topic].Err
	}
	if err != nil {
		return id, nil, fmt.Errorf("topic %q: %w", topic, err)
	}
	id = topics[topic].ID
	starts, err := admin.ListStartOffsets(ctx, topic)
	if err != nil {
		return id, nil, fmt.Errorf("start offsets of topic %q: %w", topic, err)
	}
	highs, err := admin.ListEndOffsets(ctx, topic)
	if err != nil {
		return id, nil, fmt.Errorf("end offsets of topic %q: %w", topic, err)
	}
	ends, err := admin.ListCommittedOffsets(ctx, topic) // Last, so that what comes between the two is no open transaction.
	if err != nil {
		return id, nil, fmt.Errorf("end offsets of topic %q: %w", topic, err)
	}
	logs = make(map[int32]Extent, len(parts))
	for _, n := range parts {
		start, ok1 := starts.Lookup(topic, n)
		end, ok2 := ends.Lookup(topic, n)
		high, ok3 := highs.Lookup(topic, n)
		if err := errors.Join(start.Err, end.Err, high.Err); err != nil || !ok1 || !ok2 || !ok3 {
			return id, nil, fmt.Errorf("offsets of partition %d of topic %q: %w", n, topic, errors.Join(err, errNoOffsets))
		}
		logs[n] = Extent{Start: start.Offset, End: end.Offset, High: max(end.Offset, high.Offset)}
	}
	return id, logs, nil
}

var errNoOffsets = errors.New("the brokers do not report them")
