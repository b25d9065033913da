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
	BatchBytes int64 // up to which a batch is decompressed as a whole

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
// is there, of data or control. A record is each's to use until it returns. Offsets that cannot be read come as a record with
// a [batch.Range].
func (l *Log) Read(ctx context.Context, partition int32, from, to int64, each func(*kgo.Record) error) error {
	r := &reading{Log: l, partition: partition, next: from, to: to, each: each}
	for r.next < r.to {
		begun := r.next
		err := r.read(ctx)
		if _, stalled := errors.AsType[*stalledError](err); err != nil && (!stalled || r.next == begun) {
			return err // Else a client that has read something and then stalls is replaced, whatever the cause.
		}
	}
	return nil
}

// reading is what is left to read of a partition.
type reading struct {
	*Log
	partition int32
	next, to  int64
	each      func(*kgo.Record) error
}

// read reads with a client of its own.
func (r *reading) read(ctx context.Context) error {
	unpack := batch.NewDecompressor(r.BatchBytes, batch.MaxHeld)
	client, err := kgo.NewClient(append(append([]kgo.Opt(nil), r.opts...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{r.Topic: {r.partition: kgo.NewOffset().At(r.next)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // The last one may be at to-1.
		kgo.FetchMaxBytes(8<<20), kgo.FetchMaxPartitionBytes(1<<20),
		kgo.WithDecompressor(unpack),
	)...)
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	defer client.Close()
	for r.next < r.to {
		poll, cancel := context.WithTimeout(ctx, stall)
		fetches := client.PollFetches(poll)
		cancel()
		unpack.Drained()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		whole, err := r.take(fetches.Records())
		if err != nil || r.next >= r.to {
			return err // What cannot be read may follow in the same fetch.
		}
		cause := errLeftOut
		if whole {
			cause = r.fetchError(fetches)
		}
		if cause == nil {
			continue
		}
		if err := r.stream(ctx, client, cause); err != nil {
			return err
		}
	}
	return nil
}

// errLeftOut reports that the client has left out offsets: those of an aborted transaction, or because a record has another offset than
// its place in its batch.
var errLeftOut = errors.New("offsets are left out")

// take reads records. whole reports that they leave out no offset.
func (r *reading) take(records []*kgo.Record) (whole bool, err error) {
	for _, k := range records {
		switch {
		case k.Offset < r.next:
			continue
		case k.Offset > r.next:
			return false, nil
		case k.Offset >= r.to:
			return true, nil
		case !k.Attrs.IsControl():
			if err := r.each(k); err != nil {
				return true, err
			}
		}
		r.next = k.Offset + 1
	}
	return true, nil
}

// fetchError returns why the client does not continue; nil: it does.
func (r *reading) fetchError(fetches kgo.Fetches) error {
	for _, e := range fetches.Errors() {
		switch {
		case errors.Is(e.Err, context.DeadlineExceeded):
			return &stalledError{fmt.Sprintf("topic %q, partition %d: no record at offsets [%d,%d) came within %v: are all brokers up, or "+
				"is another producer's transaction open?", r.Topic, r.partition, r.next, r.to, stall)}
		case errors.Is(e.Err, batch.ErrBusy): // The next fetch brings it again.
		default:
			return e.Err
		}
	}
	return nil
}

// stream reads the next batches, which the client cannot, and has the client continue after them.
func (r *reading) stream(ctx context.Context, client *kgo.Client, cause error) error {
	at := batch.Place{Topic: r.Topic, Partition: r.partition, Offset: r.next}
	next, err := batch.ReadAt(ctx, client, at, func(k *kgo.Record) error {
		if k.Offset >= r.to {
			return nil
		}
		return r.each(k)
	})
	if errors.Is(err, kerr.OffsetOutOfRange) {
		return &GoneError{r.partition}
	}
	if stalled, ok := errors.AsType[*stalledError](cause); ok && err != nil {
		return stalled
	}
	if err != nil {
		return fmt.Errorf("topic %q, partition %d, offset %d: read: %w: %w", r.Topic, r.partition, r.next, cause, err)
	}
	r.next = next
	for _, offset := range []int64{next + 1, next} { // The client ignores an offset that it is at already.
		client.SetOffsets(map[string]map[int32]kgo.EpochOffset{r.Topic: {r.partition: {Epoch: -1, Offset: offset}}})
	}
	return nil
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
