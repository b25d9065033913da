package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// runBroker is the child in the role of the broker.
func runBroker() error {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		return err
	}
	defer cluster.Close()
	return serve(cluster.ListenAddrs()[0])
}

// fill makes a topic of lz4 batches with the records of a load, from start on, and returns the mean size of a record's value.
func fill(ctx context.Context, broker, topic string, l load, start time.Time, records int) (bytes float64, err error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.ProducerBatchMaxBytes(1<<20), kgo.ProducerLinger(100*time.Millisecond),
		kgo.MaxBufferedRecords(100_000))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	made, err := kadm.NewClient(client).CreateTopic(ctx, l.partitions, 1, nil, topic)
	if err == nil {
		err = made.Err
	}
	if err != nil {
		return 0, fmt.Errorf("create topic %s: %w", topic, err)
	}
	sum := 0
	t := newTraffic(l, start)
	failed := make(chan error, 1)
	for range records {
		r := t.next(topic)
		sum += len(r.Value)
		client.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil {
				select {
				case failed <- err:
				default: // The first tells enough.
				}
			}
		})
	}
	if err := client.Flush(ctx); err != nil {
		return 0, err
	}
	select {
	case err = <-failed:
		err = fmt.Errorf("fill topic %s: %w", topic, err)
	default:
	}
	return float64(sum) / float64(records), err
}
