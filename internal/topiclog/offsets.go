package topiclog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Starts returns where the log of each partition begins.
func (l *Log) Starts(ctx context.Context) (map[int32]int64, error) {
	return l.offsets(ctx, "start offsets", l.Admin.ListStartOffsets)
}

// Ends returns the end offsets. Everything below can be read: no open transaction holds it up.
func (l *Log) Ends(ctx context.Context) (map[int32]int64, error) {
	return l.offsets(ctx, "end offsets", l.Admin.ListCommittedOffsets)
}

// HighWatermarks returns the end offsets, including what open transactions hold up.
func (l *Log) HighWatermarks(ctx context.Context) (map[int32]int64, error) {
	return l.offsets(ctx, "high watermarks", l.Admin.ListEndOffsets)
}

// Since returns, for each partition, the offset of the first record at or after an instant, or the high watermark if there is none.
func (l *Log) Since(ctx context.Context, instant time.Time) (map[int32]int64, error) {
	list := func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error) {
		return l.Admin.ListOffsetsAfterMilli(ctx, instant.UnixMilli(), topics...)
	}
	return l.offsets(ctx, "offsets since "+instant.UTC().Format(time.RFC3339), list)
}

// A partition has no leader for a moment when a broker restarts or stops answering, and Kafka's client reports that at once. So offsets
// are asked for again every leaderPause, for up to leaderPatience. The client asks brokers who leads every 5 s.
const (
	leaderPatience = time.Minute
	leaderPause    = time.Second
)

// A lister asks the brokers for offsets of all partitions of topics.
type lister func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error)

// offsets asks for offsets, again after any error of the brokers that passes. That the topic is unknown does not: it has been deleted.
func (l *Log) offsets(ctx context.Context, what string, list lister) (map[int32]int64, error) {
	var last error // that the brokers have answered with
	for begun := time.Now(); ; {
		listed, err := list(ctx, l.Topic)
		if err == nil {
			err = listed.Error()
		}
		if err == nil {
			offsets := make(map[int32]int64)
			for p, o := range listed[l.Topic] {
				offsets[p] = o.Offset
			}
			return offsets, nil
		}
		err = fmt.Errorf("topic %q: list its %s: %w", l.Topic, what, err)
		switch {
		case ctx.Err() != nil && last != nil:
			return nil, errors.Join(context.Cause(ctx), last)
		case ctx.Err() != nil:
			return nil, errors.Join(context.Cause(ctx), err)
		case !kerr.IsRetriable(err), errors.Is(err, kerr.UnknownTopicOrPartition), time.Since(begun) >= leaderPatience:
			return nil, err
		}
		last = err
		select {
		case <-time.After(leaderPause):
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		}
	}
}
