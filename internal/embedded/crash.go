package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// recoverPatience is how long a broker in this process has to answer one request while the directory is recovered.
const recoverPatience = 30 * time.Second

// recoverFromCrash ends the transactions that were open when the last process that had the directory open was killed.
//
// kfake takes such a transaction for aborted when it starts, but writes no ABORT marker. Readers then drop what the
// same producer publishes next, up to a marker; and when kfake starts once more it takes the marker of a later
// transaction for that of both, so that records which a reader has passed over are there. So the markers are written
// now, on a port that nobody knows, before a client can begin the next transaction.
//
// A kill meanwhile is nothing new: the next start finds the transactions that have no marker yet.
func recoverFromCrash(dir string) error {
	cluster, err := listen(dir, 0)
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := endTransactions(context.Background(), cluster.ListenAddrs()[0]); err != nil {
		return fmt.Errorf("%s was not closed in order, and its open transactions cannot be ended: %w", filepath.Join(dir, "kafka"), err)
	}
	return nil
}

// endTransactions writes an ABORT marker for each transaction that has records and no marker. It reads all of the log,
// unless no producer ever had a transactional id.
func endTransactions(ctx context.Context, addr string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	asking, cancel := context.WithTimeout(ctx, recoverPatience)
	defer cancel()
	if ids, err := admin.ListTransactions(asking, nil, nil); err != nil || len(ids) == 0 {
		return err
	}
	starts, err := admin.ListStartOffsets(asking)
	if err != nil {
		return err
	}
	ends, err := admin.ListEndOffsets(asking)
	if err != nil {
		return err
	}
	open, err := openTransactions(ctx, addr, starts, ends)
	if err != nil {
		return err
	}
	var markers []kadm.TxnMarkers
	for t, epoch := range open {
		topics := make(kadm.TopicsSet)
		topics.Add(t.topic, t.partition)
		markers = append(markers, kadm.TxnMarkers{ProducerID: t.producer, ProducerEpoch: epoch, Topics: topics})
	}
	if len(markers) == 0 {
		return nil
	}
	written, err := admin.WriteTxnMarkers(ctx, markers...)
	written.EachPartition(func(p kadm.TxnMarkersPartitionResponse) { err = errors.Join(err, p.Err) })
	return err
}

// transaction is what a producer has in a partition; a producer has one at a time.
type transaction struct {
	topic     string
	partition int32
	producer  int64
}

// openTransactions reads the log from starts to ends and returns what has records and no marker after them, with the
// producer's epoch.
func openTransactions(ctx context.Context, addr string, starts, ends kadm.ListedOffsets) (map[transaction]int16, error) {
	left := make(kadm.Offsets) // partitions that are not read to the end: where they end
	ends.Each(func(end kadm.ListedOffset) {
		if start, ok := starts.Lookup(end.Topic, end.Partition); ok && start.Offset < end.Offset {
			left.AddOffset(end.Topic, end.Partition, end.Offset, -1)
		}
	})
	if len(left) == 0 {
		return nil, nil
	}
	from := starts.Offsets()
	from.DeleteFunc(func(o kadm.Offset) bool { _, ok := left.Lookup(o.Topic, o.Partition); return !ok })
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumePartitions(from.KOffsets()), kgo.KeepControlRecords())
	if err != nil {
		return nil, err
	}
	defer client.Close()
	open := make(map[transaction]int16)
	for len(left) > 0 {
		fetches, err := poll(ctx, client)
		if err != nil {
			return nil, err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			t := transaction{r.Topic, r.Partition, r.ProducerID}
			switch {
			case r.Attrs.IsControl():
				delete(open, t)
			case r.Attrs.IsTransactional():
				open[t] = r.ProducerEpoch
			}
			if end, ok := left.Lookup(r.Topic, r.Partition); ok && r.Offset+1 >= end.At {
				left.Delete(r.Topic, r.Partition)
			}
		})
	}
	return open, nil
}

func poll(ctx context.Context, client *kgo.Client) (kgo.Fetches, error) {
	ctx, cancel := context.WithTimeout(ctx, recoverPatience)
	defer cancel()
	fetches := client.PollFetches(ctx)
	return fetches, fetches.Err()
}
