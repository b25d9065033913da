package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// topic is a topic full of records, on the broker in its own process.
type topic struct {
	broker, name string
	records      int
	bytes        float64 // of a value, on average
}

// publish fills a topic with records of the load, in the hour that begins now: no realtime minute has expired when it is written.
func (l load) publish(ctx context.Context, broker, name string, records int) (topic, error) {
	t := newTraffic(l, time.Now())
	bytes, err := fill(ctx, broker, name, l.partitions, records, func() *kgo.Record { return t.next(name) })
	return topic{broker, name, records, bytes}, err
}

// runBroker is the child in the role of the broker.
func runBroker() error {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		return err
	}
	defer cluster.Close()
	return serve(cluster.ListenAddrs()[0])
}

// publisher sends records to a topic of lz4 batches.
type publisher struct {
	*kgo.Client
	failed chan error // the first failure
}

// newPublisher makes the topic.
func newPublisher(ctx context.Context, broker, topic string, partitions int32) (*publisher, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic(topic),
		kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.ProducerBatchMaxBytes(1<<20), kgo.ProducerLinger(100*time.Millisecond),
		kgo.MaxBufferedRecords(100_000))
	if err != nil {
		return nil, err
	}
	made, err := kadm.NewClient(client).CreateTopic(ctx, partitions, 1, nil, topic)
	if err == nil {
		err = made.Err
	}
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("create topic %s: %w", topic, err)
	}
	return &publisher{client, make(chan error, 1)}, nil
}

func (p *publisher) send(ctx context.Context, r *kgo.Record) {
	p.Produce(ctx, r, func(_ *kgo.Record, err error) {
		if err != nil {
			select {
			case p.failed <- fmt.Errorf("fill topic %s: %w", r.Topic, err):
			default: // The first is enough.
			}
		}
	})
}

// finish waits until all records are in the topic.
func (p *publisher) finish(ctx context.Context) error {
	defer p.Close()
	if err := p.Flush(ctx); err != nil {
		return err
	}
	select {
	case err := <-p.failed:
		return err
	default:
		return nil
	}
}

// fill makes a topic of this number of records, and returns the mean size of a record's value.
func fill(ctx context.Context, broker, topic string, partitions int32, records int, next func() *kgo.Record) (bytes float64, err error) {
	p, err := newPublisher(ctx, broker, topic, partitions)
	if err != nil {
		return 0, err
	}
	sum := 0
	for range records {
		r := next()
		sum += len(r.Value)
		p.send(ctx, r)
	}
	return float64(sum) / float64(records), p.finish(ctx)
}
