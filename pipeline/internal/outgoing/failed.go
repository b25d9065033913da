package outgoing

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/requests"
)

// FailedEvents publishes rejected records to the failed-events topic. An entry has the raw bytes as its value, the original key, and
// headers with the reason, the source and the record's own headers. If the value is JSON, it lacks the query parameters that are not kept.
// A step settles only when its entries are acknowledged by all replicas. A redo may publish an entry again, with the same topic id,
// partition and offset. Safe for concurrent use.
type FailedEvents struct {
	client   *kgo.Client
	topic    string
	source   string // the topic that records come from
	maxBytes int    // of key, value and most headers together, as far as the topic's limit is known
	log      *slog.Logger
	pulse    requests.BrokerPulse
}

// failedHeadroom is left below the topic's limit by key and value, for headers and the batch around an entry.
const failedHeadroom = 8 << 10

// failedRetention is how long a topic of failed events that we create keeps them. Their bytes may hold personal data.
const failedRetention = 30 * 24 * time.Hour

// NewFailedEvents opens the topic. An absent one is created with as many partitions as the source, and with
// failedRetention. The retention of one that is there stays.
func NewFailedEvents(ctx context.Context, opts []kgo.Opt, topic, source string, log *slog.Logger) (*FailedEvents, error) {
	f := &FailedEvents{topic: topic, source: source, log: log}
	client, err := kgo.NewClient(append(append([]kgo.Opt{kgo.WithHooks(&f.pulse)}, opts...),
		kgo.ProducerBatchMaxBytes(1<<20),                                 // The client's own default is less than what Kafka takes by default.
		kgo.ProducerBatchCompression(kgo.GzipCompression().WithLevel(1)), // Azure Event Hubs takes no other codec.
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)),
		kgo.MaxBufferedRecords(10_000), kgo.ProducerLinger(5*time.Millisecond))...)
	if err != nil {
		return nil, fmt.Errorf("failed-events topic %q: %w", topic, err)
	}
	f.client = client
	if err := f.prepare(ctx); err != nil {
		client.Close()
		return nil, err
	}
	return f, nil
}

func (f *FailedEvents) prepare(ctx context.Context) error {
	admin := kadm.NewClient(f.client)
	topics, err := admin.ListTopics(ctx, f.topic, f.source)
	if err != nil {
		return fmt.Errorf("failed-events topic %q: %w", f.topic, err)
	}
	if t := topics[f.topic]; errors.Is(t.Err, kerr.UnknownTopicOrPartition) {
		partitions := max(1, len(topics[f.source].Partitions))
		retention := strconv.FormatInt(failedRetention.Milliseconds(), 10)
		_, err := admin.CreateTopic(ctx, int32(partitions), -1, map[string]*string{"retention.ms": &retention}, f.topic)
		if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			return fmt.Errorf("create failed-events topic %q: %w: create it yourself, or set kafka.failedTopic", f.topic, err)
		}
		if err == nil {
			f.log.Info("failed-events topic created", "topic", f.topic, "partitions", partitions, "retention", failedRetention)
		}
	} else if t.Err != nil {
		return fmt.Errorf("failed-events topic %q: %w", f.topic, t.Err)
	}
	f.maxBytes = 1<<20 - failedHeadroom // Kafka's default of max.message.bytes is 1,048,588.
	configs, err := admin.DescribeTopicConfigs(ctx, f.topic)
	if err != nil {
		return nil // Not allowed to ask, or just created: the default holds.
	}
	for _, c := range configs {
		for _, kv := range c.Configs {
			if n, err := strconv.Atoi(kv.MaybeValue()); err == nil && kv.Key == "max.message.bytes" {
				f.maxBytes = max(0, min(f.maxBytes, n-failedHeadroom))
			}
		}
	}
	return nil
}

// ownHeaderRoom is how many bytes of a record's headers an entry takes at least, half of its headroom.
const ownHeaderRoom = failedHeadroom / 2

// ownHeaders are the headers of a record that fit into room bytes, under the names that an entry gives them: a replay needs what a mapping
// reads. whole reports that none is left out.
func ownHeaders(r *kgo.Record, room int) (own []kgo.RecordHeader, whole bool) {
	whole = true
	for _, h := range r.Headers {
		if h.Key == event.HeaderSource {
			continue
		}
		size := len(event.HeaderOwn) + len(h.Key) + len(h.Value) + 10
		if size > room {
			whole = false
			continue
		}
		room -= size
		own = append(own, kgo.RecordHeader{Key: event.HeaderOwn + h.Key, Value: h.Value})
	}
	return own, whole
}

// Close ends the client.
func (f *FailedEvents) Close() { f.client.Close() }

// LastHeard is the instant of the last request to the brokers or answer; 0: there was none.
func (f *FailedEvents) LastHeard() int64 { return f.pulse.Last() }

// entry makes the record for the failed-events topic. value is the record's, with the query parameters that are kept.
func (f *FailedEvents) entry(r *decoding.Record, value []byte, topicID [16]byte, window string) *kgo.Record {
	key := r.Raw.Key
	headers := []kgo.RecordHeader{
		{Key: event.HeaderReason, Value: []byte(r.Reason)},
		{Key: event.HeaderDetail, Value: []byte(r.Detail)},
		{Key: event.HeaderTopic, Value: []byte(f.source)},
		{Key: event.HeaderTopicID, Value: []byte(hex.EncodeToString(topicID[:]))},
		{Key: event.HeaderPartition, Value: strconv.AppendInt(nil, int64(r.Raw.Partition), 10)},
		{Key: event.HeaderOffset, Value: strconv.AppendInt(nil, r.Raw.Offset, 10)},
		{Key: event.HeaderTime, Value: strconv.AppendInt(nil, r.RecordTime(), 10)},
		{Key: event.HeaderWindow, Value: []byte(window)},
	}
	if source := decoding.ReplayedFrom(r.Raw); source != nil { // Or a replay would repeat for ever.
		headers = append(headers, kgo.RecordHeader{Key: event.HeaderSource, Value: source})
	}
	var cuts []string
	length := batch.Length(r.Raw)
	if r.Span != nil {
		key, value, cuts, length = nil, r.Span.Header, []string{"value"}, 0
		headers = append(headers, kgo.RecordHeader{Key: event.HeaderEnd, Value: strconv.AppendInt(nil, r.Span.Next, 10)},
			kgo.RecordHeader{Key: event.HeaderRecords, Value: strconv.AppendInt(nil, r.Span.Records, 10)},
			kgo.RecordHeader{Key: event.HeaderSum, Value: []byte(hex.EncodeToString(r.Span.Sum[:]))})
	}
	if len(key) > f.maxBytes/2 || batch.KeyCut(r.Raw) {
		key, cuts = key[:min(len(key), f.maxBytes/2)], append(cuts, "key")
	}
	room := f.maxBytes - len(key)
	if len(value) > room || length > int64(len(r.Raw.Value)) { // Removed query parameters do not count as truncation.
		value, cuts = value[:min(len(value), room)], append(cuts, "value")
	}
	if r.Span == nil {
		own, whole := ownHeaders(r.Raw, ownHeaderRoom+room-len(value))
		if headers = append(headers, own...); !whole || batch.HeadersCut(r.Raw) {
			cuts = append(cuts, event.TruncatedHeaders)
		}
	}
	if len(cuts) > 0 {
		headers = append(headers, kgo.RecordHeader{Key: event.HeaderTruncated, Value: []byte(strings.Join(cuts, ","))},
			kgo.RecordHeader{Key: event.HeaderLength, Value: strconv.AppendInt(nil, length, 10)})
	}
	return &kgo.Record{Topic: f.topic, Key: key, Value: value, Headers: headers}
}
