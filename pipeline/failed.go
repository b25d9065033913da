package pipeline

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/event"
)

// failedEvents publishes rejected records to the failed-events topic. An entry has the raw bytes as its value, the original key, and
// headers with the reason and the source. If the value is JSON, it lacks the query parameters that are not kept. A step settles only
// when its entries are acknowledged by all replicas. A redo may publish an entry again, with the same topic id, partition and offset.
// Safe for concurrent use.
type failedEvents struct {
	client   *kgo.Client
	topic    string
	source   string // the topic that records come from
	maxBytes int    // of key and value together, as far as the topic's limit is known
	log      *slog.Logger
	pulse    brokerPulse
}

// failedHeadroom is left below the topic's limit for headers and the batch around an entry.
const failedHeadroom = 8 << 10

// failedRetention is how long a topic of failed events that we create keeps them. Their bytes may hold personal data.
const failedRetention = 30 * 24 * time.Hour

// newFailedEvents opens the topic. An absent one is created with as many partitions as the source, and with
// failedRetention. The retention of one that is there stays.
func newFailedEvents(ctx context.Context, opts []kgo.Opt, topic, source string, log *slog.Logger) (*failedEvents, error) {
	f := &failedEvents{topic: topic, source: source, log: log}
	client, err := kgo.NewClient(append(append([]kgo.Opt{kgo.WithHooks(&f.pulse)}, opts...),
		kgo.ProducerBatchMaxBytes(1<<20), // The client's own default is less than what Kafka takes by default.
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

func (f *failedEvents) prepare(ctx context.Context) error {
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

func (f *failedEvents) close() { f.client.Close() }

// entry makes the record for the failed-events topic. value is the record's, with the query parameters that are kept.
func (f *failedEvents) entry(r *record, value []byte, topicID [16]byte, window string) *kgo.Record {
	key := r.raw.Key
	headers := []kgo.RecordHeader{
		{Key: event.HeaderReason, Value: []byte(r.reason)},
		{Key: event.HeaderDetail, Value: []byte(r.detail)},
		{Key: event.HeaderTopic, Value: []byte(f.source)},
		{Key: event.HeaderTopicID, Value: []byte(hex.EncodeToString(topicID[:]))},
		{Key: event.HeaderPartition, Value: strconv.AppendInt(nil, int64(r.raw.Partition), 10)},
		{Key: event.HeaderOffset, Value: strconv.AppendInt(nil, r.raw.Offset, 10)},
		{Key: event.HeaderTime, Value: strconv.AppendInt(nil, r.recordTime(), 10)},
		{Key: event.HeaderWindow, Value: []byte(window)},
	}
	if source := replayedFrom(r.raw); source != nil { // So that a replay does not go round for ever.
		headers = append(headers, kgo.RecordHeader{Key: event.HeaderSource, Value: source})
	}
	cut, length := "", batch.Length(r.raw)
	if r.span != nil {
		key, value, cut, length = nil, r.span.Header, "value", 0
		headers = append(headers, kgo.RecordHeader{Key: event.HeaderEnd, Value: strconv.AppendInt(nil, r.span.Next, 10)},
			kgo.RecordHeader{Key: event.HeaderRecords, Value: strconv.AppendInt(nil, r.span.Records, 10)},
			kgo.RecordHeader{Key: event.HeaderSum, Value: []byte(hex.EncodeToString(r.span.Sum[:]))})
	} else if length > int64(len(r.raw.Value)) { // Removed query parameters do not count as truncation.
		cut = "value"
	}
	if len(key) > f.maxBytes/2 {
		key = key[:f.maxBytes/2]
		if cut == "" {
			cut = "key"
		} else {
			cut = "key," + cut
		}
	}
	if room := f.maxBytes - len(key); len(value) > room {
		value = value[:room]
		if cut == "" {
			cut = "value"
		} else if cut == "key" {
			cut = "key,value"
		}
	}
	if cut != "" {
		headers = append(headers, kgo.RecordHeader{Key: event.HeaderTruncated, Value: []byte(cut)},
			kgo.RecordHeader{Key: event.HeaderLength, Value: strconv.AppendInt(nil, length, 10)})
	}
	return &kgo.Record{Topic: f.topic, Key: key, Value: value, Headers: headers}
}

// failedWriter publishes one worker's rejected records.
type failedWriter struct {
	events      *failedEvents
	topicID     [16]byte
	ctx         context.Context // the worker's input and output; kept here since entries outlive the calls
	signal      func()
	fail        func(error)
	pulse       *pulse
	retries     prometheus.Counter
	outstanding atomic.Int64 // bytes on their way
}

// failedOutstanding is how many bytes of a partition may be on their way to the failed-events topic before the
// worker stops folding: nothing moves past a record whose entry is not durable.
const failedOutstanding = 4 << 20

func (w *failedWriter) full() bool { return w.outstanding.Load() >= failedOutstanding }

// add publishes the entry of a record that is rejected under this window of duplicates, with that value, and counts it
// down in t once it is durable, trying until it is.
func (w *failedWriter) add(r *record, value []byte, window string, t *tally) {
	entry := w.events.entry(r, value, w.topicID, window)
	size := int64(len(entry.Value) + len(entry.Key) + 512)
	t.pending.Add(1)
	w.outstanding.Add(size)
	backoff := backoffFirst
	var try func() // TryProduce: a full buffer is one more reason to try later, and never stops the worker
	try = func() {
		w.pulse.beat()
		w.events.client.TryProduce(w.ctx, entry, func(sent *kgo.Record, err error) {
			w.pulse.beat()
			if err == nil {
				t.pending.Add(-1)
				w.outstanding.Add(-size)
				w.signal()
				return
			}
			if w.ctx.Err() != nil {
				return
			}
			w.events.log.Warn("failed event is not published yet", "topic", w.events.topic, "error", err)
			w.retries.Inc()
			switch {
			case errors.Is(err, kerr.MessageTooLarge):
				entry = shrunk(sent)
			case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.UnknownTopicOrPartition),
				errors.Is(err, kerr.UnknownTopicID):
				w.fail(fmt.Errorf("failed-events topic %q: %w: nothing may move past a rejected record before it is there: create the topic or "+
					"permit writing to it; a process that starts creates it if it may", w.events.topic, err))
				return
			default:
				entry = &kgo.Record{Topic: sent.Topic, Key: sent.Key, Value: sent.Value, Headers: sent.Headers}
			}
			backoff = min(2*backoff, backoffLast)
			time.AfterFunc(rand.N(backoff), try)
		})
	}
	try()
}

// shrunk is the entry with half of its value, or of its key when nothing is left of the value: the topic takes less
// than it said, or than we were allowed to ask.
func shrunk(r *kgo.Record) *kgo.Record {
	e := &kgo.Record{Topic: r.Topic, Key: r.Key, Value: r.Value[:len(r.Value)/2]}
	cut, length := "value", strconv.Itoa(len(r.Value))
	if len(r.Value) == 0 {
		e.Key, cut = r.Key[:len(r.Key)/2], "key"
	}
	for _, h := range r.Headers {
		switch h.Key {
		case event.HeaderTruncated:
			if !strings.Contains(string(h.Value), cut) {
				cut += "," + string(h.Value)
			} else {
				cut = string(h.Value)
			}
		case event.HeaderLength:
			length = string(h.Value)
		default:
			e.Headers = append(e.Headers, h)
		}
	}
	e.Headers = append(e.Headers, kgo.RecordHeader{Key: event.HeaderTruncated, Value: []byte(cut)},
		kgo.RecordHeader{Key: event.HeaderLength, Value: []byte(length)})
	return e
}
