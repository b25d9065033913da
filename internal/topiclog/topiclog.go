// Package topiclog reads a topic by partition, committed records only, without a group: no consumer of the topic is affected.
package topiclog

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
)

// Log is a topic as it was when it was opened. Several goroutines may read it.
type Log struct {
	Topic      string
	ID         [16]byte
	Partitions []int32
	Admin      *kadm.Client
	Limits     batch.Limits // what is kept of a record of a batch that the client cannot read
	BatchBytes int64        // up to which a batch is decompressed as a whole

	opts []kgo.Opt
}

// Open asks the brokers about a topic. missing says what to do if it does not exist.
func Open(ctx context.Context, opts []kgo.Opt, topic, missing string) (*Log, error) {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	l := &Log{Topic: topic, Admin: kadm.NewClient(client), BatchBytes: batch.DefaultBound, opts: opts}
	details, err := l.Admin.ListTopics(ctx, topic)
	if err == nil {
		err = details[topic].Err
	}
	if err != nil {
		l.Close()
		if errors.Is(err, kerr.UnknownTopicOrPartition) {
			return nil, fmt.Errorf("topic %q does not exist: %s", topic, missing)
		}
		return nil, fmt.Errorf("topic %q: ask the brokers about it: %w", topic, err)
	}
	l.ID, l.Partitions = details[topic].ID, details[topic].Partitions.Numbers()
	return l, nil
}

// Close closes the connection that offsets are asked through.
func (l *Log) Close() { l.Admin.Close() }

// HexID returns the id of the topic as checkpoints spell it.
func (l *Log) HexID() string { return hex.EncodeToString(l.ID[:]) }

// Starts returns where the log of each partition begins.
func (l *Log) Starts(ctx context.Context) (map[int32]int64, error) {
	listed, err := l.Admin.ListStartOffsets(ctx, l.Topic)
	return l.offsets("start", listed, err)
}

// Ends returns the end offsets. Everything below can be read: no open transaction holds it up.
func (l *Log) Ends(ctx context.Context) (map[int32]int64, error) {
	listed, err := l.Admin.ListCommittedOffsets(ctx, l.Topic)
	return l.offsets("end", listed, err)
}

// HighWatermarks returns the end offsets, including what open transactions hold up.
func (l *Log) HighWatermarks(ctx context.Context) (map[int32]int64, error) {
	listed, err := l.Admin.ListEndOffsets(ctx, l.Topic)
	return l.offsets("high watermark", listed, err)
}

func (l *Log) offsets(which string, listed kadm.ListedOffsets, err error) (map[int32]int64, error) {
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("topic %q: list its %s offsets: %w", l.Topic, which, err)
	}
	offsets := make(map[int32]int64)
	for p, o := range listed[l.Topic] {
		offsets[p] = o.Offset
	}
	return offsets, nil
}

// stall is how long a read waits for the next record. The broker has said that the records are there.
const stall = 2 * time.Minute

// GoneError reports that the log of a partition begins after what was asked for: retention was at work.
type GoneError struct{ Partition int32 }

func (e *GoneError) Error() string {
	return fmt.Sprintf("partition %d: the log no longer holds the offsets asked for", e.Partition)
}

// stalledError reports that a client got no records for as long as it may wait.
type stalledError struct{ text string }

func (e *stalledError) Error() string { return e.text }

// Read calls each with the data records at offsets [from, to) of a partition, in order. The offset to-1 must be that of a record that
// is there, of data or control. A record is each's to use until it returns. Offsets that cannot be read come as a record that stands
// for a [batch.Range].
func (l *Log) Read(ctx context.Context, partition int32, from, to int64, each func(*kgo.Record) error) error {
	for from < to {
		next, err := l.read(ctx, partition, from, to, each)
		if _, stalled := errors.AsType[*stalledError](err); err != nil && (!stalled || next == from) {
			return err
		}
		from = next // A client that has read something and then stalls is replaced, whatever the cause.
	}
	return nil
}

// read reads with a client of its own, and returns up to where it came.
func (l *Log) read(ctx context.Context, partition int32, from, to int64, each func(*kgo.Record) error) (next int64, err error) {
	unpack := batch.NewDecompressor(l.BatchBytes)
	client, err := kgo.NewClient(append(append([]kgo.Opt(nil), l.opts...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{l.Topic: {partition: kgo.NewOffset().At(from)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // The last one may be at to-1.
		kgo.FetchMaxBytes(8<<20), kgo.FetchMaxPartitionBytes(1<<20),
		kgo.WithDecompressor(unpack),
	)...)
	if err != nil {
		return from, fmt.Errorf("kafka: %w", err)
	}
	defer client.Close()
	for next = from; next < to; {
		poll, cancel := context.WithTimeout(ctx, stall)
		fetches := client.PollFetches(poll)
		cancel()
		unpack.Drained()
		if ctx.Err() != nil {
			return next, context.Cause(ctx)
		}
		for _, r := range fetches.Records() {
			switch {
			case r.Offset >= to:
				return to, nil
			case r.Offset < next:
				continue
			case !r.Attrs.IsControl():
				if err := each(r); err != nil {
					return next, err
				}
			}
			next = r.Offset + 1
		}
		if next >= to {
			break // What cannot be read may follow in the same fetch.
		}
		unreadable, err := l.fetchError(fetches, partition, next, to)
		if err == nil && unreadable != nil {
			next, err = l.stream(ctx, client, unreadable, partition, next, to, each)
		}
		if err != nil {
			return next, err
		}
	}
	return next, nil
}

// fetchError returns the error of a batch that the client cannot read, or that of a read that cannot continue.
func (l *Log) fetchError(fetches kgo.Fetches, partition int32, next, to int64) (unreadable, err error) {
	for _, e := range fetches.Errors() {
		switch {
		case errors.Is(e.Err, kerr.OffsetOutOfRange):
			return nil, &GoneError{partition}
		case errors.Is(e.Err, context.DeadlineExceeded):
			return nil, &stalledError{fmt.Sprintf("topic %q, partition %d: no record at offsets [%d,%d) came within %v: are all brokers up, or "+
				"is another producer's transaction open?", l.Topic, partition, next, to, stall)}
		case errors.Is(e.Err, batch.ErrBusy): // The next fetch brings it again.
		default:
			return e.Err, nil
		}
	}
	return nil, nil
}

// stream reads the next batch, which the client cannot, and has the client continue after it.
func (l *Log) stream(ctx context.Context, client *kgo.Client, cause error, partition int32, from, to int64, each func(*kgo.Record) error) (int64, error) {
	next, err := batch.ReadAt(ctx, client, l.Topic, partition, from, l.Limits, func(r *kgo.Record) error {
		if r.Offset >= to {
			return nil
		}
		return each(r)
	})
	if err != nil {
		return from, fmt.Errorf("topic %q, partition %d, offset %d: read: %w: %w", l.Topic, partition, from, cause, err)
	}
	for _, offset := range []int64{next + 1, next} { // The client ignores an offset that it is at already.
		client.SetOffsets(map[string]map[int32]kgo.EpochOffset{l.Topic: {partition: {Epoch: -1, Offset: offset}}})
	}
	return next, nil
}

// DataEnd returns the offset after the last data record in [from, to), or from if there is none. A transaction's markers and what was
// aborted may be the end of a log. No flush ends with them.
func (l *Log) DataEnd(ctx context.Context, partition int32, from, to int64) (int64, error) {
	for size := int64(16); ; size *= 4 {
		begin, end := max(from, to-size), from
		err := l.Read(ctx, partition, begin, to, func(r *kgo.Record) error {
			end = r.Offset + 1
			return nil
		})
		if err != nil || end > from || begin == from {
			return end, err
		}
	}
}
