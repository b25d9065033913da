package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrNone reports that there is no batch to be read at an offset, or none yet.
var ErrNone = errors.New("no batch is there to be read")

// Fetched is the batch at an offset as the broker keeps it.
type Fetched struct {
	part kmsg.FetchResponseTopicPartition
}

// Place is an offset in a partition of a topic, from which a batch is read.
type Place struct {
	Topic     string
	Partition int32
	Offset    int64 // in the batch, not necessarily its first
}

// Fetch asks the leader of a partition for the batch that has an offset, committed records only.
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
	// A broker sends the first batch whole, however small the partition's bound is, and nothing else.
	p.Partition, p.FetchOffset, p.PartitionMaxBytes, p.CurrentLeaderEpoch = at.Partition, at.Offset, 1, -1
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
	f.part = got.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(f.part.ErrorCode); err != nil {
		return f, err
	}
	if len(f.part.RecordBatches) == 0 {
		return f, ErrNone
	}
	return f, nil
}

// Batch parses the batch. aborted reports that its records were never committed.
func (f *Fetched) Batch() (b Batch, aborted bool, err error) {
	b, err = Parse(f.part.RecordBatches)
	if err != nil {
		return b, false, err
	}
	transactional := b.Bytes[22]&0x10 != 0
	producer := int64(producerOf(b.Bytes))
	for _, a := range f.part.AbortedTransactions {
		aborted = aborted || transactional && a.ProducerID == producer && a.FirstOffset <= b.First
	}
	return b, aborted, nil
}

// Plain reports whether the client reads the batch as well as we do: it is of a format, or so small, that a Decompressor of
// this bound takes it.
func (b *Batch) Plain(d *Decompressor) bool {
	if b.Bytes[22]&0x20 != 0 || b.codec == kgo.CodecNone { // A control batch is never compressed.
		return true
	}
	return d.takes(b.Bytes[headerBytes:], b.codec)
}

func producerOf(b []byte) (id uint64) {
	for _, x := range b[43:51] {
		id = id<<8 | uint64(x)
	}
	return id
}

// ReadAt fetches the batch at an offset and streams its records, from that offset on, to each. It returns the offset after
// the batch. Damage is reported as ErrCorrupt.
func ReadAt(ctx context.Context, client *kgo.Client, at Place, l Limits, each func(*kgo.Record) error) (next int64, err error) {
	f, err := Fetch(ctx, client, at)
	if err != nil {
		return 0, err
	}
	b, aborted, err := f.Batch()
	if err != nil {
		return 0, err
	}
	if !aborted && !b.Control() {
		err = b.Read(at, l, each)
	}
	return b.Next, err
}
