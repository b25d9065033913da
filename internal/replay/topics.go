package replay

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	rawbatch "github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/pipeline/event"
)

// topics are the two topics of a replay.
type topics struct {
	source, failed *topicLog
	retention      time.Duration // of the source topic; negative: for ever, or not known
}

// noFailedTopic says what to do where the failed-events topic is missing.
const noFailedTopic = "no record was rejected yet, or rejected records go to another topic: name it (kafka.failedTopic)"

// openTopics asks the brokers about both topics. Its errors say what to do.
func openTopics(ctx context.Context, o Options) (t *topics, err error) {
	t = &topics{retention: -1}
	if t.source, err = openLog(ctx, o.Kafka, o.Topic, "name the topic of the events (kafka.topic, --topic)"); err != nil {
		return nil, err
	}
	if t.failed, err = openLog(ctx, o.Kafka, o.Failed, noFailedTopic); err == nil {
		err = t.readConfig(ctx)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// readConfig finds out what the source topic does with records' times. A broker that does not answer is assumed to keep
// them.
func (t *topics) readConfig(ctx context.Context) error {
	all, err := t.source.Admin.DescribeTopicConfigs(ctx, t.source.Topic)
	if err != nil {
		return nil
	}
	one, err := all.On(t.source.Topic, nil)
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
					"set it to CreateTime for as long as this takes", t.source.Topic)
			}
		}
	}
	return nil
}

func (t *topics) close() {
	for _, l := range []*topicLog{t.source, t.failed} {
		if l != nil {
			l.Close()
		}
	}
}

// accepts says whether the source topic can take an entry as it was. A record that is older than the topic's retention
// may be deleted before it is counted, which the pipeline would find to be a gap.
func (t *topics) accepts(e *entry) error {
	if _, ok := t.source.spans[e.source.Partition]; !ok {
		return fmt.Errorf("its record came from partition %d of topic %q, which has %d: add partitions to the topic "+
			"(kafka-topics.sh --alter --partitions %d)", e.source.Partition, t.source.Topic, len(t.source.spans), e.source.Partition+1)
	}
	at := time.UnixMilli(e.time)
	if t.retention >= 0 && time.Since(at) > t.retention {
		return fmt.Errorf("its record is of %s, and topic %q keeps records for %v: Kafka might delete it before it is counted: set "+
			"retention.ms=-1 until the pipeline has passed it (kafka-configs.sh --alter), or pass such records over for good with "+
			"--from", at.UTC().Format(time.RFC3339), t.source.Topic, t.retention)
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
			return nil, fmt.Errorf("topic %q: the brokers do not report the end of partition %d", t.source.Topic, e.source.Partition)
		}
		ends[e.source.Partition] = s.to
	}
	return ends, nil
}

// topicLog is a topic and what each partition held when the run began.
type topicLog struct {
	*topiclog.Log
	spans map[int32]span
}

// span is a half-open range of offsets.
type span struct{ from, to int64 }

// openLog asks the brokers about a topic. missing says what to do if it does not exist.
func openLog(ctx context.Context, opts []kgo.Opt, topic, missing string) (*topicLog, error) {
	log, err := topiclog.Open(ctx, opts, topic, missing)
	if err != nil {
		return nil, err
	}
	log.BatchBytes = rawbatch.Window
	l := &topicLog{Log: log}
	if l.spans, err = l.list(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// list returns what each partition holds, including what a transaction holds open.
func (l *topicLog) list(ctx context.Context) (map[int32]span, error) {
	starts, err := l.Starts(ctx)
	if err != nil {
		return nil, err
	}
	ends, err := l.HighWatermarks(ctx)
	spans := make(map[int32]span)
	for p, end := range ends {
		spans[p] = span{starts[p], end}
	}
	return spans, err
}

// read calls each with the data records of a span of a partition. What cannot be read at all was no entry and no event.
func (l *topicLog) read(ctx context.Context, partition int32, s span, each func(*kgo.Record) error) error {
	return l.Read(ctx, partition, s.from, s.to, func(k *kgo.Record) error {
		if rawbatch.RangeOf(k) != nil {
			return nil
		}
		return each(k)
	})
}

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
