package produce

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// connect makes the client.
func (r *run) connect() (err error) {
	compression := map[string]kgo.CompressionCodec{
		"": kgo.Lz4Compression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "none": kgo.NoCompression(),
	}
	codec, ok := compression[r.Compression]
	if !ok {
		return fmt.Errorf("--compression %q: choose lz4, zstd, gzip, snappy or none", r.Compression)
	}
	opts := append([]kgo.Opt{}, r.Kafka...)
	opts = append(opts,
		kgo.ProducerBatchCompression(codec),
		kgo.RequiredAcks(kgo.AllISRAcks()), // With franz-go's default, idempotence.
		// No RecordDeliveryTimeout: it counts from the record's timestamp, and would drop history unsent. See patience.
		kgo.MaxBufferedRecords(maxInFlightBytes/recordOverhead), // More than the semaphore lets through.
		// A connection that ends before its first answer means that TLS is missing on one side, or that the broker behind
		// a proxy is down. Opening the topic has shown that it is not the former.
		kgo.AlwaysRetryEOF(),
	)
	if r.client, err = kgo.NewClient(opts...); err != nil {
		return fmt.Errorf("kafka client: %w", err)
	}
	return nil
}
