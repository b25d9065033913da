package verify

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/event"
)

// topicLog reads a topic by partition, committed records only, without a group: nobody notices.
type topicLog struct {
	opts  []kgo.Opt
	admin *kadm.Client
	topic string

	batchBytes int64 // up to which a batch is decompressed as a whole
	id         [16]byte
	partitions []int32
}

// stall is how long a read may go without a record before it gives up. The records asked for are there: the broker
// has said so.
const stall = time.Minute

func openLog(ctx context.Context, opts []kgo.Opt, topic string) (*topicLog, error) {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	l := &topicLog{opts: opts, admin: kadm.NewClient(client), topic: topic, batchBytes: batch.DefaultBound}
	details, err := l.admin.ListTopics(ctx, topic)
	if err == nil {
		err = details[topic].Err
	}
	if err != nil {
		l.close()
		if errors.Is(err, kerr.UnknownTopicOrPartition) {
			return nil, fmt.Errorf("topic %q does not exist: name one that does (kafka.topic)", topic)
		}
		return nil, fmt.Errorf("topic %q: ask the brokers about it: %w", topic, err)
	}
	l.id, l.partitions = details[topic].ID, details[topic].Partitions.Numbers()
	return l, nil
}

func (l *topicLog) close() { l.admin.Close() }

func (l *topicLog) hexID() string { return hex.EncodeToString(l.id[:]) }

// starts returns where each partition's log begins.
func (l *topicLog) starts(ctx context.Context) (map[int32]int64, error) {
	listed, err := l.admin.ListStartOffsets(ctx, l.topic)
	return l.offsets("start", listed, err)
}

// ends returns the end offsets: everything below is there to be read, and nothing that a transaction holds open.
func (l *topicLog) ends(ctx context.Context) (map[int32]int64, error) {
	listed, err := l.admin.ListCommittedOffsets(ctx, l.topic)
	return l.offsets("end", listed, err)
}

// held returns what open transactions keep from being read, given the end offsets.
func (l *topicLog) held(ctx context.Context, ends map[int32]int64) (held []HeldUp, err error) {
	listed, err := l.admin.ListEndOffsets(ctx, l.topic)
	high, err := l.offsets("high watermark", listed, err)
	if err != nil {
		return nil, err
	}
	listed, err = l.admin.ListCommittedOffsets(ctx, l.topic) // Asked once more: what is higher by now was no open transaction.
	stable, err := l.offsets("end", listed, err)
	if err != nil {
		return nil, err
	}
	for _, p := range l.partitions {
		if from := max(stable[p], ends[p]); high[p] > from {
			held = append(held, HeldUp{Partition: p, From: from, To: high[p]})
		}
	}
	return held, nil
}

func (l *topicLog) offsets(which string, listed kadm.ListedOffsets, err error) (map[int32]int64, error) {
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("topic %q: list its %s offsets: %w", l.topic, which, err)
	}
	offsets := make(map[int32]int64)
	for p, o := range listed[l.topic] {
		offsets[p] = o.Offset
	}
	return offsets, nil
}

// span is a half-open range of offsets.
type span struct{ from, to int64 }

// goneError reports that the log of a partition begins behind what was asked for: retention was at work.
type goneError struct{ partition int32 }

func (e *goneError) Error() string {
	return fmt.Sprintf("partition %d: the log no longer holds the offsets asked for", e.partition)
}

// read hands over the records of a span of each partition, in offset order within a partition, control records
// included. The offset before each span's end must be that of a record that is there. The record is each's to use
// until it returns.
func (l *topicLog) read(ctx context.Context, spans map[int32]span, each func(*kgo.Record) error) error {
	left := make(map[int32]span)
	for p, s := range spans {
		if s.from < s.to {
			left[p] = s
		}
	}
	for len(left) > 0 {
		before := maps.Clone(left)
		err := l.readLeft(ctx, left, each)
		if _, stalled := errors.AsType[*stalledError](err); err != nil && (!stalled || maps.Equal(before, left)) {
			return err
		}
		// Replace a client that has read something and then stalls, whatever the cause.
	}
	return nil
}

// stalledError reports that a client got no records for as long as it may wait.
type stalledError struct{ text string }

func (e *stalledError) Error() string { return e.text }

// readLeft reads what is left of each partition, and reduces left by what it has read.
func (l *topicLog) readLeft(ctx context.Context, left map[int32]span, each func(*kgo.Record) error) error {
	from := make(map[int32]kgo.Offset)
	for p, s := range left {
		from[p] = kgo.NewOffset().At(s.from)
	}
	unpack := batch.NewDecompressor(l.batchBytes)
	client, err := kgo.NewClient(append(append([]kgo.Opt(nil), l.opts...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{l.topic: from}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // An end may lie behind one.
		kgo.FetchMaxBytes(8<<20), kgo.FetchMaxPartitionBytes(1<<20),
		kgo.WithDecompressor(unpack),
	)...)
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	defer client.Close()
	for len(left) > 0 {
		poll, cancel := context.WithTimeout(ctx, stall)
		fetches := client.PollFetches(poll)
		cancel()
		unpack.Drained()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, r := range fetches.Records() {
			s, ok := left[r.Partition]
			if !ok || r.Offset < s.from {
				continue
			}
			if r.Offset < s.to {
				if err := each(r); err != nil {
					return err
				}
			}
			if s.from = r.Offset + 1; s.from < s.to {
				left[r.Partition] = s
				continue
			}
			delete(left, r.Partition)
			client.PauseFetchPartitions(map[string][]int32{l.topic: {r.Partition}})
		}
		// Last, since what cannot be read may follow what is asked for, in the same fetch.
		if err := l.fetchError(fetches, left); err == nil {
			continue
		} else if raw, ok := errors.AsType[*rawError](err); !ok {
			return err
		} else if err := l.readRaw(ctx, client, raw, left, each); err != nil {
			return err
		}
	}
	return nil
}

func (l *topicLog) fetchError(fetches kgo.Fetches, left map[int32]span) error {
	for _, e := range fetches.Errors() {
		if _, ok := left[e.Partition]; !ok && e.Topic == l.topic {
			continue
		}
		switch {
		case errors.Is(e.Err, kerr.OffsetOutOfRange):
			return &goneError{e.Partition}
		case errors.Is(e.Err, context.DeadlineExceeded):
			for p, s := range left {
				return &stalledError{fmt.Sprintf("topic %q, partition %d: no record at offsets [%d,%d) came within %v: are all brokers up?",
					l.topic, p, s.from, s.to, stall)}
			}
		case errors.Is(e.Err, batch.ErrBusy): // The next fetch brings it again.
		default:
			return &rawError{e.Partition, e.Err}
		}
	}
	return nil
}

// rawError reports a batch that the client cannot read.
type rawError struct {
	partition int32
	err       error
}

func (e *rawError) Error() string { return e.err.Error() }

// rawLimits are what a recount needs of a record.
var rawLimits = batch.Limits{Value: event.MaxRecordBytes, Key: 1, Header: event.HeaderSource, Bytes: 256}

// readRaw streams the next batch of a partition, which the client cannot read, and has it continue after that.
func (l *topicLog) readRaw(ctx context.Context, client *kgo.Client, cause *rawError, left map[int32]span, each func(*kgo.Record) error) error {
	n := cause.partition
	s := left[n]
	next, err := batch.ReadAt(ctx, client, l.topic, n, s.from, rawLimits, func(r *kgo.Record) error {
		if r.Offset >= s.to {
			return nil
		}
		return each(r)
	})
	if err != nil {
		return fmt.Errorf("topic %q, partition %d, offset %d: read: %w: %w", l.topic, n, s.from, cause.err, err)
	}
	if s.from = next; s.from >= s.to {
		delete(left, n)
		client.PauseFetchPartitions(map[string][]int32{l.topic: {n}})
		return nil
	}
	left[n] = s
	for _, offset := range []int64{next + 1, next} { // The client takes the offset at which it believes to be for no change.
		client.SetOffsets(map[string]map[int32]kgo.EpochOffset{l.topic: {n: {Epoch: -1, Offset: offset}}})
	}
	return nil
}

// dataEnd returns the offset behind the last data record of a span, or the span's beginning when it holds none: a
// transaction's markers, and what was aborted, lie at the end of a log but never at the end of a step.
func (l *topicLog) dataEnd(ctx context.Context, partition int32, s span) (int64, error) {
	for size := int64(16); ; size *= 4 {
		from := max(s.from, s.to-size)
		last := int64(-1)
		err := l.read(ctx, map[int32]span{partition: {from, s.to}}, func(r *kgo.Record) error {
			if !r.Attrs.IsControl() {
				last = r.Offset
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		if last >= 0 {
			return last + 1, nil
		}
		if from == s.from {
			return s.from, nil
		}
	}
}
