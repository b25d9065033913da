package testpipeline

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Header returns the value of a header of a record; "": it has none.
func Header(r *kgo.Record, key string) string {
	for _, h := range r.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// Huge is a client whose batches may be of any size, compressed with zstd.
func (w *World) Huge(opts ...kgo.Opt) *kgo.Client {
	w.T.Helper()
	c, err := kgo.NewClient(append(append(w.Kafka(), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.ZstdCompression()),
		kgo.ProducerBatchMaxBytes(90<<20), kgo.ProducerLinger(time.Second)), opts...)...)
	if err != nil {
		w.T.Fatal(err)
	}
	return c
}

// UnreadableBatch is a batch of n records whose compressed bytes are none of that codec.
func UnreadableBatch(n int, codec byte) []byte {
	b := make([]byte, 61)
	b[16], b[22] = 2, codec
	binary.BigEndian.PutUint32(b[23:], uint32(n-1))
	binary.BigEndian.PutUint64(b[27:], uint64(BubbleStart.UnixMilli()))
	binary.BigEndian.PutUint64(b[35:], uint64(BubbleStart.UnixMilli()))
	for i := 43; i < 57; i++ {
		b[i] = 0xff // No producer id, epoch or sequence.
	}
	binary.BigEndian.PutUint32(b[57:], uint32(n))
	b = append(b, "this is not compressed"...)
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// PutBatch puts a batch onto a partition as it is.
func (w *World) PutBatch(partition int32, b []byte) error {
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis = -1, 5000
	topic, part := kmsg.NewProduceRequestTopic(), kmsg.NewProduceRequestTopicPartition()
	part.Partition, part.Records = partition, b
	topic.Topic, topic.Partitions = w.Topic, append(topic.Partitions, part)
	m, err := kmsg.NewPtrMetadataRequest().RequestWith(w.T.Context(), w.Client)
	if err != nil {
		return err
	}
	leader := int32(0)
	for _, t := range m.Topics {
		if *t.Topic != w.Topic {
			continue
		}
		topic.TopicID = t.TopicID
		for _, p := range t.Partitions {
			if p.Partition == partition {
				leader = p.Leader
			}
		}
	}
	req.Topics = append(req.Topics, topic)
	resp, err := w.Client.Broker(int(leader)).RetriableRequest(w.T.Context(), req)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.(*kmsg.ProduceResponse).Topics[0].Partitions[0].ErrorCode)
}

// WrongOffsets is an uncompressed batch whose records have these offsets within it. Kafka 4.3.1 takes such a batch: of what is not
// compressed it compares only the count with the header.
func WrongOffsets(producer int64, epoch int16, deltas ...int64) []byte {
	b := kmsg.RecordBatch{Magic: 2, LastOffsetDelta: int32(len(deltas) - 1), FirstTimestamp: BubbleStart.UnixMilli(),
		MaxTimestamp: BubbleStart.UnixMilli(), ProducerID: producer, ProducerEpoch: epoch, FirstSequence: -1, NumRecords: int32(len(deltas))}
	if producer >= 0 {
		b.Attributes, b.FirstSequence = 0x10, 0
	}
	for i, delta := range deltas {
		value := fmt.Sprintf(`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v%d"}`, BubbleStart.UnixMilli(), i)
		r := binary.AppendVarint([]byte{0, 0}, delta)
		r = binary.AppendVarint(r, -1)
		r = append(binary.AppendVarint(r, int64(len(value))), value...)
		r = append(r, 0)
		b.Records = append(binary.AppendVarint(b.Records, int64(len(r))), r...)
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}
