package simulation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/event"
)

// Batches in a simulation that a client does not read as a whole. Some exceed the decompression bound of some processes and not of
// others. Some cannot be decompressed at all.

// simBounds are the bounds on decompression that processes choose from.
var simBounds = []int64{1 << 20, 4 << 20}

// swollen is a header that takes its batch beyond the first bound. Compressed, it is a few bytes.
var swollen = kgo.RecordHeader{Key: "x", Value: bytes.Repeat([]byte(" "), 1<<20)}

// swell publishes the next records of one partition as one batch that exceeds the bound of some processes.
func (s *simulation) swell() {
	n := min(len(s.records), 1+s.dice.IntN(6))
	next := slices.Clone(s.records[:n])
	if n == 0 || slices.ContainsFunc(next, func(r record) bool { return r.Crowd }) {
		return
	}
	s.records = s.records[n:]
	for i := range next {
		next[i].Partition = next[0].Partition
	}
	s.erasures.published = append(s.erasures.published, next...)
	list := s.kafkaRecords(next)
	list[s.dice.IntN(n)].Headers = []kgo.RecordHeader{swollen}
	// Not zstd: the broker's decoders would outlive the bubble that they were made in.
	client := s.Huge(kgo.ProducerLinger(10*time.Millisecond), kgo.ProducerBatchCompression(kgo.GzipCompression()))
	defer client.Close()
	if err := client.ProduceSync(context.Background(), list...).FirstErr(); err != nil {
		s.problem("publish a large batch: %v", err)
	}
	s.cover.Hit(onSwollen)
}

// spoil publishes a batch that cannot be decompressed, or whose first record has another offset than its place, unless a broker refuses it.
func (s *simulation) spoil() {
	partition := s.dice.Int32N(s.partitions)
	b := testpipeline.UnreadableBatch(1+s.dice.IntN(9), 1)
	if s.dice.IntN(2) == 0 {
		wrong := [][]int64{{1 << 30}, {s.dice.Int64N(200) + 1}, {-1, 1}, {1, 0}, {2, 1, 0, 3}}
		b = testpipeline.WrongOffsets(-1, -1, wrong[s.dice.IntN(len(wrong))]...)
		s.cover.Hit(onWrongOffset)
	}
	if err := s.PutBatch(partition, b); err != nil {
		s.T.Logf("seed %d: publish a batch that cannot be read: %v", s.seed, err)
	}
}

// endOf returns the offset after a record, or after the range that it stands for.
func endOf(r *kgo.Record) int64 {
	if lost := batch.RangeOf(r); lost != nil {
		return lost.Next
	}
	return r.Offset + 1
}

// read returns the committed records of a topic. An unreadable batch is one record for its whole range.
func (s *simulation) read(topic string) ([]*kgo.Record, error) {
	ctx := context.Background()
	admin := kadm.NewClient(s.Client)
	starts, err := offsetsOf(ctx, admin.ListStartOffsets, topic)
	if err != nil {
		return nil, err
	}
	ends, err := offsetsOf(ctx, admin.ListCommittedOffsets, topic)
	if err != nil {
		return nil, err
	}
	left, next := make(map[int32]int64), make(map[int32]int64)
	from := make(map[int32]kgo.Offset)
	ends.Each(func(o kadm.ListedOffset) {
		if start, _ := starts.Lookup(topic, o.Partition); o.Offset > start.Offset {
			left[o.Partition], next[o.Partition], from[o.Partition] = o.Offset, start.Offset, kgo.NewOffset().At(start.Offset)
		}
	})
	unpack := batch.NewDecompressor(batch.Window, batch.Window) // The client's own would outlive the bubble that it was made in.
	client, err := kgo.NewClient(append(s.Kafka(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.WithDecompressor(unpack))...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var records []*kgo.Record
	events := make(map[int32]int64) // where the last of a partition ends
	take := func(r *kgo.Record) error {
		if r.Offset < next[r.Partition] {
			return nil
		}
		next[r.Partition] = endOf(r)
		if next[r.Partition] >= left[r.Partition] {
			delete(left, r.Partition)
		}
		if !r.Attrs.IsControl() {
			records = append(records, r)
			events[r.Partition] = endOf(r)
		}
		return nil
	}
	for len(left) > 0 {
		poll, cancel := context.WithTimeout(ctx, time.Minute)
		fetches := client.PollFetches(poll)
		idle := poll.Err() != nil
		cancel()
		unpack.Drained()
		rest := make(map[int32]error) // of partitions whose next batch the client has not read
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset > next[r.Partition] {
				rest[r.Partition] = errors.New("offsets are left out")
			}
			if rest[r.Partition] == nil {
				take(r)
			}
		})
		for _, e := range fetches.Errors() {
			if _, ok := left[e.Partition]; !ok {
				continue
			}
			if topic != s.Topic || poll.Err() != nil && e.Partition < 0 {
				return nil, fmt.Errorf("topic %s: %w", topic, e.Err)
			}
			rest[e.Partition] = e.Err
		}
		if idle { // A minute long: the client fetches in vain.
			for n := range left {
				rest[n] = errors.New("nothing comes")
			}
		}
		for _, n := range slices.Sorted(maps.Keys(rest)) {
			cause := rest[n]
			if _, ok := left[n]; !ok {
				continue
			}
			end, err := batch.ReadAt(ctx, client, batch.Place{Topic: topic, Partition: n, Offset: next[n]}, take)
			if err != nil {
				return nil, fmt.Errorf("topic %s, partition %d, offset %d: %w: %w", topic, n, next[n], cause, err)
			}
			if next[n] = max(next[n], end); next[n] >= left[n] {
				delete(left, n)
			}
			for _, offset := range []int64{next[n] + 1, next[n]} { // Setting the offset that the client has already would change nothing.
				client.SetOffsets(map[string]map[int32]kgo.EpochOffset{topic: {n: {Epoch: -1, Offset: offset}}})
			}
		}
	}
	for n, end := range events {
		if topic == s.Topic && end < next[n] {
			s.cover.Hit(onTrailingMarker)
		}
	}
	return records, nil
}

// offsetsOf asks for the offsets of a topic until each partition has answered: where a leader has just moved, one has no answer yet.
func offsetsOf(ctx context.Context, ask func(context.Context, ...string) (kadm.ListedOffsets, error), topic string) (kadm.ListedOffsets,
	error) {
	for tries := 1; ; tries++ {
		found, err := ask(ctx, topic)
		if err == nil {
			err = found.Error()
		}
		if err == nil || tries == 60 {
			return found, err
		}
		<-time.After(time.Second)
	}
}

// judgeRange compares the failed event of an unreadable batch with the range of its offsets.
func (s *simulation) judgeRange(r, entry *kgo.Record) {
	lost := batch.RangeOf(r)
	s.cover.Hit(onRange)
	if n := testpipeline.Header(entry, event.HeaderRecords); n != fmt.Sprint(lost.Records) || !bytes.Equal(entry.Value, lost.Header) {
		s.problem("failed event of partition %d, offset %d: %s records, %d bytes; the batch has %d", r.Partition, r.Offset, n, len(entry.Value),
			lost.Records)
	}
}
