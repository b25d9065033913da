package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// Entry is an entry of the failed-events topic as it is there.
type Entry struct {
	Partition int32 // of the failed-events topic
	Offset    int64
	Rejected  time.Time    // when it was published there
	Reason    event.Reason // may be a reason of another release
	Headers   map[string]string
	Order     []string // the headers' names in their order
	Key       []byte
	Value     []byte
}

// ListOptions say what [List] looks at.
type ListOptions struct {
	Kafka  []kgo.Opt
	Failed string // the failed-events topic

	Reasons []event.Reason // only these; none: all
	From    time.Time      // only entries published at or after this; zero: all
	Limit   int            // entries in the answer; 0: none, they are counted all the same
}

// Listing is the answer of [List].
type Listing struct {
	Topic    string
	Entries  int64
	ByReason map[event.Reason]int64
	Newest   []Entry // without keys and values, the newest first
}

// List counts the entries of the failed-events topic and returns the newest. It reads up to the end that the topic had when List began.
func List(ctx context.Context, o ListOptions) (Listing, error) {
	l := Listing{Topic: o.Failed, ByReason: make(map[event.Reason]int64)}
	log, err := openLog(ctx, o.Kafka, o.Failed, noFailedTopic)
	if err != nil {
		return l, err
	}
	defer log.Close()
	if !o.From.IsZero() {
		if err := log.beginAt(ctx, o.From); err != nil {
			return l, err
		}
	}
	for partition, s := range log.spans {
		err := log.read(ctx, partition, s, func(k *kgo.Record) error {
			e := newEntry(k)
			if k.Timestamp.Before(o.From) || len(o.Reasons) > 0 && !slices.Contains(o.Reasons, e.Reason) {
				return nil
			}
			l.Entries++
			l.ByReason[e.Reason]++
			e.Key, e.Value = nil, nil
			l.Newest = append(l.Newest, e)
			if len(l.Newest) > 2*o.Limit+100 { // Sorted now and then, so that a long topic takes no more memory.
				l.Newest = newest(l.Newest, o.Limit)
			}
			return nil
		})
		if err != nil {
			return l, err
		}
	}
	l.Newest = newest(l.Newest, o.Limit)
	return l, nil
}

func newest(list []Entry, limit int) []Entry {
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(b.Rejected.Compare(a.Rejected), cmp.Compare(a.Partition, b.Partition), cmp.Compare(b.Offset, a.Offset))
	})
	return slices.Clone(list[:min(limit, len(list))])
}

// Show returns the entry at an offset of the failed-events topic.
func Show(ctx context.Context, kafka []kgo.Opt, failed string, partition int32, offset int64) (Entry, error) {
	log, err := openLog(ctx, kafka, failed, noFailedTopic)
	if err != nil {
		return Entry{}, err
	}
	defer log.Close()
	s, ok := log.spans[partition]
	if !ok {
		return Entry{}, fmt.Errorf("topic %q has no partition %d: it has %d", failed, partition, len(log.spans))
	}
	var found []Entry
	if offset >= s.from && offset < s.to {
		err = log.read(ctx, partition, span{offset, offset + 1}, func(k *kgo.Record) error {
			found = append(found, newEntry(k))
			return nil
		})
	}
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("topic %q, partition %d has no entry at offset %d, only at offsets in [%d,%d): list them with `footfall failed list`",
			failed, partition, offset, s.from, s.to)
	}
	if err != nil {
		return Entry{}, err
	}
	return found[0], nil
}

func newEntry(k *kgo.Record) Entry {
	e := Entry{Partition: k.Partition, Offset: k.Offset, Rejected: k.Timestamp, Headers: make(map[string]string, len(k.Headers)), Key: k.Key,
		Value: k.Value}
	for _, h := range k.Headers {
		if _, again := e.Headers[h.Key]; !again {
			e.Order = append(e.Order, h.Key)
		}
		e.Headers[h.Key] = string(h.Value)
	}
	e.Reason = event.Reason(e.Headers[event.HeaderReason])
	return e
}

// beginAt leaves out what was published before an instant.
func (l *topicLog) beginAt(ctx context.Context, from time.Time) error {
	since, err := l.Since(ctx, from)
	if err != nil {
		return err
	}
	for p, s := range l.spans {
		if first := since[p]; first > s.from { // Without a later record it is the end.
			l.spans[p] = span{first, s.to}
		}
	}
	return nil
}
