package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// publisher publishes batches, each in a transaction: all of a batch is in the topic, or nothing.
type publisher struct {
	client *kgo.Client
	topic  string
	id     string
}

// batchPatience is how long brokers have to take a batch. The pipeline waits for the end of the transaction.
const batchPatience = time.Minute

// newPublisher starts the transactional producer, which ends or undoes all that an earlier run of the same topics has in
// flight, and lets nothing more of it in.
func newPublisher(ctx context.Context, o Options) (*publisher, error) {
	p := &publisher{topic: o.Topic, id: "footfall-failed-replay-" + o.Failed + "-" + o.Topic}
	var err error
	p.client, err = kgo.NewClient(append(append([]kgo.Opt(nil), o.Kafka...),
		kgo.TransactionalID(p.id), kgo.TransactionTimeout(batchPatience),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(1<<20),
		kgo.ProducerBatchCompression(kgo.GzipCompression().WithLevel(1)), // Azure Event Hubs takes no other codec.
	)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	start, cancel := context.WithTimeoutCause(ctx, batchPatience, fmt.Errorf("no answer in %v", batchPatience))
	defer cancel()
	if _, _, err = p.client.ProducerID(start); err != nil {
		p.client.Close()
		return nil, p.explain(start, "start the producer", err)
	}
	return p, nil
}

// publish publishes the entries in one transaction. With an error it is not known whether they are in the topic. A signal
// to end lets it finish: the pipeline would wait for a transaction that is left open.
func (p *publisher) publish(ctx context.Context, entries []*entry) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), batchPatience, fmt.Errorf("no answer in %v", batchPatience))
	defer cancel()
	if err := p.client.BeginTransaction(); err != nil {
		return p.explain(ctx, "begin a transaction", err)
	}
	err := p.send(ctx, entries)
	if err == nil {
		err = p.client.EndTransaction(ctx, kgo.TryCommit)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() == nil {
		_ = p.client.EndTransaction(ctx, kgo.TryAbort) // If this fails too, Kafka ends the transaction after its time.
	}
	return p.explain(ctx, fmt.Sprintf("publish %d records", len(entries)), err)
}

// send sends the records and returns when all are acknowledged. ProduceSync would not do: the client does not give up
// records of a transaction that may be on their way, whatever becomes of the context.
func (p *publisher) send(ctx context.Context, entries []*entry) (err error) {
	answers := make(chan error, len(entries))
	for _, e := range entries {
		p.client.Produce(ctx, e.record(p.topic), func(_ *kgo.Record, err error) { answers <- err })
	}
	for range entries {
		select {
		case e := <-answers:
			if err == nil {
				err = e
			}
		case <-ctx.Done():
			p.client.UnsafeAbortBufferedRecords()
			return context.Cause(ctx)
		}
	}
	return err
}

// explain says what to do about an error of the producer.
func (p *publisher) explain(ctx context.Context, doing string, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = errors.Join(cause, err)
	}
	advice := ""
	switch {
	case errors.Is(err, kerr.ProducerFenced), errors.Is(err, kerr.InvalidProducerEpoch):
		err = fmt.Errorf("%w: %w", ErrFenced, err)
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		advice = fmt.Sprintf(": let this user describe and write transactional id %q", p.id)
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		advice = ": let this user write the topic"
	case errors.Is(err, kerr.MessageTooLarge):
		advice = ": raise the topic's max.message.bytes by 1,024: a replayed record has a header more"
	case errors.Is(err, kerr.InvalidTimestamp):
		advice = ": the topic does not take records of that time: see its message.timestamp.before.max.ms and message.timestamp.after.max.ms"
	}
	return fmt.Errorf("topic %q: %s: %w%s", p.topic, doing, err, advice)
}
