//go:build unix

package e2e

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Batches that no ordinary producer sends. They are compressed as they are made, so that the test itself needs little memory.

// crafted is a record: a value of text, spaces and text, and a header of spaces.
type crafted struct {
	before string
	spaces int64
	after  string
	header int64
}

// spaces is an endless reader of spaces.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// writeTo writes the record as it lies in a batch:
//
//	length, attributes 0, time delta 0, offset delta, key -1, value length, value, headers, [header key, value length, value]
func (c crafted) writeTo(w io.Writer, delta int64) error {
	head := binary.AppendVarint([]byte{0, 0}, delta)
	head = binary.AppendVarint(head, -1)
	head = binary.AppendVarint(head, int64(len(c.before))+c.spaces+int64(len(c.after)))
	head = append(head, c.before...)
	tail := []byte(c.after)
	if c.header == 0 {
		tail = binary.AppendVarint(tail, 0)
	} else {
		tail = binary.AppendVarint(tail, 1)
		tail = append(binary.AppendVarint(tail, 1), 'h')
		tail = binary.AppendVarint(tail, c.header)
	}
	all := int64(len(head)) + c.spaces + int64(len(tail)) + c.header
	_, err := w.Write(append(binary.AppendVarint(nil, all), head...))
	if err == nil {
		_, err = io.CopyN(w, spaces{}, c.spaces)
	}
	if err == nil {
		_, err = w.Write(tail)
	}
	if err == nil {
		_, err = io.CopyN(w, spaces{}, c.header)
	}
	return err
}

// zstdBatch compresses records into a batch, with references that reach back up to window bytes.
func zstdBatch(t *testing.T, window int, records ...crafted) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		if err := r.writeTo(w, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return batchOf(kgo.CodecZstd, len(records), packed.Bytes())
}

// batchOf makes a batch of compressed records.
func batchOf(codec kgo.CompressionCodecType, records int, packed []byte) []byte {
	now := time.Now().UnixMilli()
	b := kmsg.RecordBatch{Magic: 2, Attributes: int16(codec), LastOffsetDelta: int32(records - 1), FirstTimestamp: now, MaxTimestamp: now,
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, NumRecords: int32(records), Records: packed}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// sendBatch puts a batch onto a partition as it is.
func sendBatch(t *testing.T, client *kgo.Client, topic string, partition int32, batch []byte) {
	t.Helper()
	ask := kmsg.NewPtrMetadataRequest()
	named := kmsg.NewMetadataRequestTopic()
	named.Topic = &topic
	ask.Topics = append(ask.Topics, named)
	told, err := ask.RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis = -1, 60_000
	to, part := kmsg.NewProduceRequestTopic(), kmsg.NewProduceRequestTopicPartition()
	part.Partition, part.Records = partition, batch
	to.Topic, to.TopicID, to.Partitions = topic, told.Topics[0].TopicID, append(to.Partitions, part)
	req.Topics = append(req.Topics, to)
	resp, err := req.RequestWith(t.Context(), client)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
	}
	if err != nil {
		t.Fatalf("send a batch of %d bytes: %v", len(batch), err)
	}
}
