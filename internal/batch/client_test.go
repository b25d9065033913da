package batch

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A streamed record has the timestamp that the client gives it, also where its nanoseconds overflow: a producer could otherwise choose
// one that is believed or not depending on how its batch was read.
func TestTimesAgreeWithTheClient(t *testing.T) {
	const now = 1_800_000_000_000
	for _, millis := range []int64{now, 0, -5000, now - 1<<58, 8_835_984_000_000, 32_503_680_000_000, math.MaxInt64, math.MinInt64} {
		raw := pack(0, kgo.CodecNone, 1, record(0, nil, []byte("a")))
		binary.BigEndian.PutUint64(raw[27:], uint64(millis))
		binary.BigEndian.PutUint64(raw[35:], uint64(millis))
		binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], castagnoli))
		answer := kmsg.NewFetchResponseTopicPartition()
		answer.RecordBatches = raw
		byClient, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{}, &answer, nil, nil)
		b, err := Parse(raw)
		if err != nil || byClient.Err != nil || len(byClient.Records) != 1 {
			t.Fatal(err, byClient.Err)
		}
		if err := b.Read(Place{Topic: "t"}, func(r *kgo.Record) error {
			if !r.Timestamp.Equal(byClient.Records[0].Timestamp) {
				t.Errorf("%d ms: streamed as %v, and the client has %v", millis, r.Timestamp, byClient.Records[0].Timestamp)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
