package batch

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrNone reports that there is no batch to be read at an offset, or none yet.
var ErrNone = errors.New("no batch is there to be read")

// Fetched is what a broker has at an offset: the batch there, as it keeps it, and perhaps some that follow.
type Fetched struct {
	Topic [16]byte // id

	first   bool // the first batch is still to come
	rest    []byte
	aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction // that have not ended, by their first offset
}

// fetchBytes is how many bytes of batches are asked for.
const fetchBytes = 1 << 20

// TimeAt returns the Kafka timestamp of the first record of the batch that has an offset. The error wraps [ErrNone] if the brokers do not
// hand it out, as within an open transaction.
func TimeAt(ctx context.Context, client *kgo.Client, at Place) (time.Time, error) {
	f, err := Fetch(ctx, client, at)
	if err != nil {
		return time.Time{}, err
	}
	b, _, err := f.Next()
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMilli(b.FirstTime), nil
}

// Fetch asks the leader of a partition for the batches from the one on that has an offset.
func Fetch(ctx context.Context, client *kgo.Client, at Place) (f Fetched, err error) {
	ask := kmsg.NewPtrMetadataRequest()
	named := kmsg.NewMetadataRequestTopic()
	named.Topic = kmsg.StringPtr(at.Topic)
	ask.Topics = append(ask.Topics, named)
	told, err := ask.RequestWith(ctx, client)
	if err != nil {
		return f, err
	}
	leader := int32(-1)
	var id [16]byte
	for _, t := range told.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return f, err
		}
		id = t.TopicID
		for _, p := range t.Partitions {
			if p.Partition == at.Partition {
				leader = p.Leader
			}
		}
	}
	if leader < 0 {
		return f, fmt.Errorf("partition %d of topic %q: %w", at.Partition, at.Topic, kerr.LeaderNotAvailable)
	}
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.IsolationLevel, req.SessionEpoch = 100, 1, 1<<30, 1, -1
	t, p := kmsg.NewFetchRequestTopic(), kmsg.NewFetchRequestTopicPartition()
	// A broker sends the first batch whole, however small the partition's bound is.
	p.Partition, p.FetchOffset, p.PartitionMaxBytes, p.CurrentLeaderEpoch = at.Partition, at.Offset, fetchBytes, -1
	t.Topic, t.TopicID, t.Partitions = at.Topic, id, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	raw, err := client.Broker(int(leader)).RetriableRequest(ctx, req)
	if err != nil {
		return f, err
	}
	got := raw.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(got.ErrorCode); err != nil {
		return f, err
	}
	if len(got.Topics) != 1 || len(got.Topics[0].Partitions) != 1 {
		return f, ErrNone
	}
	part := got.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
		return f, err
	}
	if len(part.RecordBatches) == 0 {
		return f, ErrNone
	}
	f = Fetched{Topic: id, first: true, rest: part.RecordBatches, aborted: part.AbortedTransactions}
	slices.SortStableFunc(f.aborted, func(a, b kmsg.FetchResponseTopicPartitionAbortedTransaction) int {
		return cmp.Compare(a.FirstOffset, b.FirstOffset)
	})
	return f, nil
}

// Next returns the next batch. aborted reports that its records were never committed. The error wraps ErrNone after the last batch, and
// ErrCorrupt if the first one is damaged. What cannot be read of the others is left to another Fetch: the last one may be cut off.
func (f *Fetched) Next() (b Batch, aborted bool, err error) {
	b, err = Parse(f.rest)
	if err != nil {
		if !f.first {
			err = ErrNone
		}
		return b, false, err
	}
	f.first, f.rest = false, f.rest[len(b.Bytes):]
	producer := int64(binary.BigEndian.Uint64(b.Bytes[43:]))
	own := slices.IndexFunc(f.aborted, func(a kmsg.FetchResponseTopicPartitionAbortedTransaction) bool {
		return a.ProducerID == producer && a.FirstOffset <= b.First
	})
	switch transactional := b.Bytes[22]&0x10 != 0; {
	case own < 0 || !transactional:
		return b, false, nil
	case !b.Control():
		return b, true, nil
	}
	if b.abortMarker() {
		f.aborted = slices.Delete(f.aborted, own, own+1)
	}
	return b, false, nil
}

// abortMarker reports whether a control batch ends a transaction that was aborted.
func (b *Batch) abortMarker() (aborted bool) {
	b.Read(Place{Offset: b.First}, func(r *kgo.Record) error {
		// The key is the version and the type, both of two bytes.
		aborted = RangeOf(r) == nil && len(r.Key) >= 4 && r.Key[2] == 0 && r.Key[3] == 0
		return nil
	})
	return aborted
}

// Plain reports whether the client reads the batch as well as we do: it is of a format, or so small, that a Decompressor of
// this bound takes it. It is decompressed then.
func (b *Batch) Plain(d *Decompressor) bool {
	if b.Control() || b.codec == kgo.CodecNone { // A control batch is never compressed.
		return true
	}
	out, _, err := d.bounded(b.Bytes[headerBytes:], b.codec)
	if err == nil {
		b.codec, b.data = kgo.CodecNone, out
	}
	return err == nil
}

// ReadAt fetches the batch at an offset, and perhaps some that follow, and streams their records, from that offset on, to each. It returns
// the offset after them. Damage is reported as ErrCorrupt.
func ReadAt(ctx context.Context, client *kgo.Client, at Place, each func(*kgo.Record) error) (next int64, err error) {
	f, err := Fetch(ctx, client, at)
	if err != nil {
		return 0, err
	}
	for next = at.Offset; ; {
		b, aborted, err := f.Next()
		if errors.Is(err, ErrNone) {
			return next, nil
		}
		if err != nil {
			return 0, err
		}
		if !aborted && !b.Control() {
			if err := b.Read(at, each); err != nil {
				return b.Next, err
			}
		}
		next = max(next, b.Next)
	}
}
