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
	return l.offsets(ctx, "start", l.Admin.ListStartOffsets)
}

// Ends returns the end offsets. Everything below can be read: no open transaction holds it up.
func (l *Log) Ends(ctx context.Context) (map[int32]int64, error) {
	return l.offsets(ctx, "end", l.Admin.ListCommittedOffsets)
}

// HighWatermarks returns the end offsets, including what open transactions hold up.
func (l *Log) HighWatermarks(ctx context.Context) (map[int32]int64, error) {
	return l.offsets(ctx, "high watermark", l.Admin.ListEndOffsets)
}

// Since returns the offset of the first record of each partition whose time is not before an instant; without one, the end offset.
func (l *Log) Since(ctx context.Context, instant time.Time) (map[int32]int64, error) {
	return l.offsets(ctx, instant.UTC().Format(time.RFC3339), func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error) {
		return l.Admin.ListOffsetsAfterMilli(ctx, instant.UnixMilli(), topics...)
	})
}

// Partitions have no leader for a moment when brokers restart or do not answer in time; the client reports that at once. Offsets are
// asked for again until all partitions have answered, or for as long as leaderPatience.
const (
	leaderPatience = time.Minute
	leaderPause    = 250 * time.Millisecond
)

// A lister asks the brokers for offsets of all partitions of topics.
type lister func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error)

func (l *Log) offsets(ctx context.Context, which string, list lister) (map[int32]int64, error) {
	patience := time.NewTimer(leaderPatience)
	defer patience.Stop()
	again := time.NewTicker(leaderPause)
	defer again.Stop()
	for {
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
		err = fmt.Errorf("topic %q: list its %s offsets: %w", l.Topic, which, err)
		if !kerr.IsRetriable(err) || errors.Is(err, kerr.UnknownTopicOrPartition) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-patience.C:
			return nil, err
		case <-again.C:
		}
	}
}
