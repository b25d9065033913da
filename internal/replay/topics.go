package replay

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	rawbatch "github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/event"
)

// topics are the two topics of a replay.
type topics struct {
	admin          *kadm.Client
	source, failed *topicLog
	retention      time.Duration // of the source topic; negative: for ever, or not known
}

// noFailedTopic says what to do where the failed-events topic is missing.
const noFailedTopic = "no record was rejected yet, or rejected records go to another topic: name it (kafka.failedTopic)"

// openTopics asks the brokers about both topics. Its errors say what to do.
func openTopics(ctx context.Context, o Options) (t *topics, err error) {
	client, err := kgo.NewClient(o.Kafka...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	defer func() {
		if err != nil {
			client.Close()
		}
	}()
	admin := kadm.NewClient(client)
	details, err := admin.ListTopics(ctx, o.Topic, o.Failed)
	if err != nil {
		return nil, fmt.Errorf("topics %q and %q: ask the brokers about them: %w", o.Topic, o.Failed, err)
	}
	open := func(topic, advice string) (*topicLog, error) {
		d := details[topic]
		if errors.Is(d.Err, kerr.UnknownTopicOrPartition) {
			return nil, fmt.Errorf("topic %q does not exist: %s", topic, advice)
		} else if d.Err != nil {
			return nil, fmt.Errorf("topic %q: ask the brokers about it: %w", topic, d.Err)
		}
		l := &topicLog{opts: o.Kafka, admin: admin, topic: topic, id: d.ID}
		l.spans, err = l.list(ctx)
		return l, err
	}
	t = &topics{admin: admin, retention: -1}
	if t.source, err = open(o.Topic, "name the topic of the events (kafka.topic, --topic)"); err != nil {
		return nil, err
	}
	if t.failed, err = open(o.Failed, noFailedTopic); err != nil {
		return nil, err
	}
	return t, t.readConfig(ctx)
}

// readConfig finds out what the source topic does with records' times. A broker that does not tell is believed to keep
// them.
func (t *topics) readConfig(ctx context.Context) error {
	all, err := t.admin.DescribeTopicConfigs(ctx, t.source.topic)
	if err != nil {
		return nil
	}
	one, err := all.On(t.source.topic, nil)
	if err != nil || one.Err != nil {
		return nil
	}
	for _, c := range one.Configs {
		switch c.Key {
		case "retention.ms":
			if ms, err := strconv.ParseInt(c.MaybeValue(), 10, 64); err == nil && ms <= math.MaxInt64/int64(time.Millisecond) {
				t.retention = time.Duration(ms) * time.Millisecond
			}
		case "message.timestamp.type":
			if c.MaybeValue() == "LogAppendTime" {
				return fmt.Errorf("topic %q has message.timestamp.type=LogAppendTime, which would give replayed records another time: "+
					"set it to CreateTime for as long as this takes", t.source.topic)
			}
		}
	}
	return nil
}

func (t *topics) close() { t.admin.Close() }

// accepts says whether the source topic can take an entry as it was. A record that is older than the topic's retention
// may be deleted before it is counted, which the pipeline would find to be a gap.
func (t *topics) accepts(e *entry) error {
	if _, ok := t.source.spans[e.source.Partition]; !ok {
		return fmt.Errorf("its record came from partition %d of topic %q, which has %d: add partitions to the topic "+
			"(kafka-topics.sh --alter --partitions %d)", e.source.Partition, t.source.topic, len(t.source.spans), e.source.Partition+1)
	}
	at := time.UnixMilli(e.time)
	if t.retention >= 0 && time.Since(at) > t.retention {
		return fmt.Errorf("its record is of %s, and topic %q keeps records for %v: Kafka might delete it before it is counted: set "+
			"retention.ms=-1 until the pipeline has passed it (kafka-configs.sh --alter), or pass such records over for good with "+
			"--from", at.UTC().Format(time.RFC3339), t.source.topic, t.retention)
	}
	return nil
}

// endsOf returns the end offsets of the partitions that entries go to.
func (t *topics) endsOf(ctx context.Context, entries []*entry) (map[int32]int64, error) {
	now, err := t.source.list(ctx)
	if err != nil {
		return nil, err
	}
	ends := make(map[int32]int64)
	for _, e := range entries {
		s, ok := now[e.source.Partition]
		if !ok {
			return nil, fmt.Errorf("topic %q: the brokers do not report the end of partition %d", t.source.topic, e.source.Partition)
		}
		ends[e.source.Partition] = s.to
	}
	return ends, nil
}

// topicLog reads a topic by partition, committed records only, without a group: nobody notices.
type topicLog struct {
	opts  []kgo.Opt
	admin *kadm.Client
	topic string
	id    [16]byte
	spans map[int32]span // what each partition held when the run began
}

// span is a half-open range of offsets.
type span struct{ from, to int64 }

func (l *topicLog) hexID() string { return hex.EncodeToString(l.id[:]) }

// list returns what each partition holds, including what a transaction holds open.
func (l *topicLog) list(ctx context.Context) (map[int32]span, error) {
	starts, err := l.admin.ListStartOffsets(ctx, l.topic)
	if err == nil {
		err = starts.Error()
	}
	var ends kadm.ListedOffsets
	if err == nil {
		if ends, err = l.admin.ListEndOffsets(ctx, l.topic); err == nil {
			err = ends.Error()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("topic %q: list its offsets: %w", l.topic, err)
	}
	spans := make(map[int32]span)
	for p, o := range ends[l.topic] {
		spans[p] = span{starts[l.topic][p].Offset, o.Offset}
	}
	return spans, nil
}

// stall is how long a read may go without a record: those asked for are there, unless a transaction is open.
const stall = 2 * time.Minute

// read hands over the data records of a span of a partition in the order of their offsets.
func (l *topicLog) read(ctx context.Context, partition int32, s span, each func(*kgo.Record) error) error {
	if s.from >= s.to {
		return nil
	}
	unpack := rawbatch.NewDecompressor(rawbatch.Window)
	client, err := kgo.NewClient(append(append([]kgo.Opt(nil), l.opts...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{l.topic: {partition: kgo.NewOffset().At(s.from)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // The span may end with one.
		kgo.FetchMaxBytes(8<<20), kgo.FetchMaxPartitionBytes(1<<20),
		kgo.WithDecompressor(unpack),
	)...)
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	defer client.Close()
	for next := s.from; next < s.to; {
		poll, cancel := context.WithTimeout(ctx, stall)
		fetches := client.PollFetches(poll)
		cancel()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		unpack.Drained()
		var failed error
		for _, e := range fetches.Errors() {
			if errors.Is(e.Err, rawbatch.ErrBusy) {
				continue
			}
			if errors.Is(e.Err, context.DeadlineExceeded) {
				return fmt.Errorf("topic %q, partition %d: no record at offsets [%d,%d) came within %v: are all brokers up, or is "+
					"another producer's transaction open?", l.topic, partition, next, s.to, stall)
			}
			failed = e.Err
		}
		for _, k := range fetches.Records() {
			if k.Offset >= s.to {
				return nil
			}
			next = k.Offset + 1
			if k.Attrs.IsControl() {
				continue
			}
			if err := each(k); err != nil {
				return err
			}
		}
		if failed == nil || next >= s.to {
			continue
		}
		// A batch that the client cannot read; what of it cannot be read at all was no entry and no event.
		if next, err = rawbatch.ReadAt(ctx, client, l.topic, partition, next, rawLimits, func(k *kgo.Record) error {
			if k.Offset >= s.to || rawbatch.RangeOf(k) != nil {
				return nil
			}
			return each(k)
		}); err != nil {
			return fmt.Errorf("topic %q, partition %d, offsets [%d,%d): read: %w: %w", l.topic, partition, s.from, s.to, failed, err)
		}
		for _, offset := range []int64{next + 1, next} { // The client takes the offset at which it believes to be for no change.
			client.SetOffsets(map[string]map[int32]kgo.EpochOffset{l.topic: {partition: {Epoch: -1, Offset: offset}}})
		}
	}
	return nil
}

// rawLimits are what is read of a record of a batch that the client cannot read: as much as an event may have.
var rawLimits = rawbatch.Limits{Value: event.MaxRecordBytes, Key: 8 << 10, Header: event.HeaderSource, Bytes: 256}

// seen is a set of records: 64 neighbours share a word.
type seen map[neighbours]uint64

type neighbours struct {
	topicID   [16]byte
	partition int32
	offset    int64 // divided by 64
}

// add takes a record in and reports whether it was not there yet.
func (s seen) add(x event.Source) bool {
	at, bit := neighbours{x.TopicID, x.Partition, x.Offset / 64}, uint64(1)<<(x.Offset%64)
	was := s[at]
	s[at] = was | bit
	return was&bit == 0
}
