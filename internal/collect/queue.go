package collect

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ErrFull reports that too much waits for the brokers, of all sites or of this one.
var ErrFull = errors.New("too many events wait for the brokers")

// recordOverhead is about what a record in flight takes beside its key and value.
const recordOverhead = 512

// Queue publishes records and says when the brokers have them. Its memory is bounded, and half of it is the most that one site takes. Safe
// for concurrent use. Make one with [NewQueue].
type Queue struct {
	client   *kgo.Client
	topic    string
	max      int64 // bytes in flight
	patience time.Duration

	under sync.WaitGroup // calls of Publish whose records are not all answered

	mu   sync.Mutex // covers all below
	used int64
	of   map[string]int64 // by site
}

// QueueOptions say what NewQueue makes.
type QueueOptions struct {
	Kafka    []kgo.Opt // how to reach the brokers
	Topic    string
	MaxBytes int64 // of events that wait for the brokers
	// Patience is how long the brokers have to acknowledge a record. Below the pipeline's window of duplicates less the time for which
	// senders try again, a record that arrives after its sender was answered with an error is still recognised as the same event.
	Patience time.Duration
}

// NewQueue connects to the brokers. The topic must exist, and take the largest event.
func NewQueue(o QueueOptions) (*Queue, error) {
	q := &Queue{topic: o.Topic, max: o.MaxBytes, patience: o.Patience, of: make(map[string]int64)}
	batch, err := maxBatchBytes(o.Kafka, o.Topic)
	if err != nil {
		return nil, err
	}
	opts := append([]kgo.Opt{}, o.Kafka...)
	opts = append(opts, kgo.RequiredAcks(kgo.AllISRAcks()), kgo.ProducerBatchCompression(kgo.Lz4Compression(), kgo.NoCompression()),
		kgo.RecordDeliveryTimeout(max(time.Second, o.Patience)), kgo.AllowIdempotentProduceCancellation(), kgo.AlwaysRetryEOF(),
		kgo.ProducerBatchMaxBytes(batch), kgo.ProducerLinger(5*time.Millisecond),
		kgo.MaxBufferedRecords(int(o.MaxBytes/recordOverhead)+1)) // More than reserve lets through.
	if q.client, err = kgo.NewClient(opts...); err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	return q, nil
}

// maxBatchBytes is how large a batch may be: the brokers refuse all events of one that the topic does not take.
func maxBatchBytes(kafka []kgo.Opt, topic string) (int32, error) {
	const most, least = 1_000_000, maxBodyBytes + 8<<10 // least: of an event with its frame
	admin, err := kadm.NewOptClient(kafka...)
	if err != nil {
		return 0, fmt.Errorf("kafka client: %w", err)
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	configs, err := admin.DescribeTopicConfigs(ctx, topic)
	if err != nil || len(configs) == 0 {
		return most, nil // As where we are not allowed to ask: Kafka's default holds.
	}
	for _, c := range configs[0].Configs {
		n, err := strconv.Atoi(c.MaybeValue())
		switch {
		case c.Key != "max.message.bytes" || err != nil:
		case n < least:
			return 0, fmt.Errorf("topic %s: max.message.bytes is %d, too few for an event of 64 KiB: set it to 1048588", topic, n)
		default:
			return int32(min(n, most)), nil
		}
	}
	return most, nil
}

// Close ends the connections, once the events under way are acknowledged or the patience is over.
func (q *Queue) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), q.patience)
	defer cancel()
	q.client.Flush(ctx) //nolint:errcheck // What is left fails, and its senders were answered so.
	q.client.Close()
	q.under.Wait()
}

// Publish returns nil when the brokers have all records of a site, with all replicas that are in sync. After another error than ErrFull
// some may be in the topic, or come to it soon after.
func (q *Queue) Publish(ctx context.Context, site string, records []*kgo.Record) error {
	var size int64
	for _, r := range records {
		size += int64(len(r.Key) + len(r.Value) + recordOverhead)
	}
	if !q.reserve(site, size) {
		return ErrFull
	}
	done := make(chan error, 1)
	w := waiting{left: len(records), done: func(err error) {
		q.release(site, size)
		done <- err
		q.under.Done()
	}}
	q.under.Add(1)
	for _, r := range records {
		r.Topic = q.topic
		q.client.Produce(context.WithoutCancel(ctx), r, w.answered)
	}
	late := time.NewTimer(q.patience) // The client may take longer to give up.
	defer late.Stop()
	select {
	case err := <-done:
		if errors.Is(err, kerr.UnknownTopicID) {
			q.client.PurgeTopicsFromProducing(q.topic) // Another topic of this name has been created: find it.
		}
		return err
	case <-late.C:
		return fmt.Errorf("the brokers did not acknowledge within %v", q.patience)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waiting is for the answers about the records of a request.
type waiting struct {
	done func(error) // is called with the last

	mu   sync.Mutex // covers all below
	left int
	errs error
}

func (w *waiting) answered(_ *kgo.Record, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errs = errors.Join(w.errs, err)
	if w.left--; w.left == 0 {
		w.done(w.errs)
	}
}

func (q *Queue) reserve(site string, size int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.used+size > q.max || q.of[site]+size > q.max/2 {
		return false
	}
	q.used += size
	q.of[site] += size
	return true
}

func (q *Queue) release(site string, size int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= size
	if q.of[site] -= size; q.of[site] == 0 {
		delete(q.of, site)
	}
}

// Bytes is how much waits for the brokers.
func (q *Queue) Bytes() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used
}

// Ready returns an error if the brokers have not answered for a while.
func (q *Queue) Ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	return q.client.Ping(ctx)
}
