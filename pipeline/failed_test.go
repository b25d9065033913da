package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// failedEntries reads the failed-events topic from its start: by source offset, the last entry's headers and value.
func (w *world) failedEntries(n int) map[int64]*kgo.Record {
	w.T.Helper()
	c, err := kgo.NewClient(append(w.Kafka(), kgo.ConsumeTopics(testTopic+".failed"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	if err != nil {
		w.T.Fatal(err)
	}
	defer c.Close()
	entries := make(map[int64]*kgo.Record)
	ctx, cancel := context.WithTimeout(w.T.Context(), time.Minute)
	defer cancel()
	for len(entries) < n && ctx.Err() == nil {
		c.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			offset, err := strconv.ParseInt(header(r, event.HeaderOffset), 10, 64)
			if err != nil {
				w.T.Errorf("entry without a source offset: %v", err)
			}
			entries[offset] = r
		})
	}
	return entries
}

// TestRejectedRecordsReachTheFailedTopic keeps the promise "nothing vanishes": a rejected record is published with its
// bytes, its key, its reason and where it came from, before the chain moves past it.
func TestRejectedRecordsReachTheFailedTopic(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		good := `{"siteId":"s","type":"click","timestamp":946684800000,"visitorId":"v"}`
		bad := map[int64]struct {
			value  string
			reason event.Reason
		}{
			1: {`{"siteId":`, event.BadJSON},
			2: {``, event.Empty},
			3: {`{"type":"click","timestamp":946684800000,"visitorId":"v"}`, event.MissingSite},
			4: {`{"siteId":"s","type":"click","timestamp":1,"visitorId":"v"}`, event.TooLate},
			5: {"\xff\xfe", event.BadJSON},
			6: {string(bytes.Repeat([]byte{'x'}, event.MaxRecordBytes+1)), event.TooLarge},
		}
		records := []record{{Key: "s", At: bubbleStart, Value: []byte(good)}}
		for i := int64(1); i <= int64(len(bad)); i++ {
			records = append(records, record{Key: fmt.Sprint("key", i), At: bubbleStart, Value: []byte(bad[i].value)})
		}
		w.Folded(w.Options(), records)
		entries := w.failedEntries(len(bad))
		rejected := make(map[event.Reason]int64)
		for offset, want := range bad {
			rejected[want.reason]++
			e := entries[offset]
			if e == nil {
				t.Errorf("offset %d is not on the failed-events topic", offset)
				continue
			}
			if string(e.Value) != want.value || string(e.Key) != fmt.Sprint("key", offset) {
				t.Errorf("offset %d: key %q, %d bytes; want key%d and the %d bytes that came", offset, e.Key, len(e.Value), offset, len(want.value))
			}
			have := []string{header(e, event.HeaderReason), header(e, event.HeaderTopic), header(e, event.HeaderPartition),
				header(e, event.HeaderTime),
				header(e, event.HeaderWindow)}
			if fmt.Sprint(have) != fmt.Sprint([]string{string(want.reason), testTopic, "0", fmt.Sprint(bubbleStart.UnixMilli()),
				w.Options().Settings.Duplicates.Text()}) {
				t.Errorf("offset %d: headers %v", offset, have)
			}
			if len(header(e, event.HeaderTopicID)) != 32 || header(e, event.HeaderDetail) == "" {
				t.Errorf("offset %d: no topic id or no detail", offset)
			}
		}
		c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		if c.Totals.Counted != 1 || !maps.Equal(c.Totals.Rejected, rejected) {
			t.Errorf("totals %+v, want 1 counted and %v", c.Totals, rejected)
		}
	})
}

// TestTotalsAddUp keeps the promise "nothing vanishes" in numbers: per partition, counted and rejected records are
// those of the log.
func TestTotalsAddUp(t *testing.T) {
	t.Parallel()
	inWorld(t, 3, func(t *testing.T, w *world) {
		records := traffic(20, 3, 500, bubbleStart)
		w.Folded(w.With(w.Table, 3), records)
		var sum int64
		for p := range int32(3) {
			c := w.Checkpoint(sinks.TP{Topic: 1, Partition: p}, checkpoint.LaneStats)
			if c.Totals.Records() != c.To {
				t.Errorf("partition %d: totals of %d records at position %d", p, c.Totals.Records(), c.To)
			}
			sum += c.Totals.Records()
		}
		if sum != int64(len(records)) {
			t.Errorf("totals of %d records, want %d", sum, len(records))
		}
	})
}

// TestRecordsOfAnySizeReachTheFailedTopic: whatever Kafka took by default it takes as an entry again; bad data never
// blocks a partition.
func TestRecordsOfAnySizeReachTheFailedTopic(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		big, err := kgo.NewClient(append(w.Kafka(), kgo.ProducerBatchMaxBytes(1<<20+10_000), kgo.DefaultProduceTopic(testTopic))...)
		if err != nil {
			t.Fatal(err)
		}
		defer big.Close()
		for _, size := range []int{999_000, 1_020_000, 1_039_000, 1_048_000} {
			r := &kgo.Record{Key: []byte("k"), Value: bytes.Repeat([]byte{'x'}, size), Timestamp: bubbleStart}
			if err := big.ProduceSync(t.Context(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		w.Folded(w.Options(), nil)
		if entries := w.failedEntries(4); len(entries) != 4 {
			t.Errorf("%d entries on the failed-events topic, want 4", len(entries))
		}
	})
}

// TestTopicThatTakesLessGetsLess: where the topic's limit was lowered behind our back, entries are cut further.
func TestTopicThatTakesLessGetsLess(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		run := w.Start(o)
		w.Produce(record{Key: "k", At: bubbleStart, Value: []byte("no event")})
		w.Settled()
		limit := "50000"
		if _, err := kadm.NewClient(w.Client).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "max.message.bytes",
			Value: &limit}},
			testTopic+".failed"); err != nil {
			t.Fatal(err)
		}
		value := bytes.Repeat([]byte{'x'}, 300_000)
		w.Produce(record{Key: "k", At: bubbleStart, Value: value})
		w.Settled()
		run.Drain()
		e := w.failedEntries(2)[1]
		if e == nil || !bytes.HasPrefix(value, e.Value) {
			t.Errorf("entry %+v, want the beginning of what came", e)
		}
	})
}

// TestLongRecordsAreCutToTheFailedTopic: an entry never fails for its size; what was cut is said.
func TestLongRecordsAreCutToTheFailedTopic(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		limit := "100000"
		if _, err := kadm.NewClient(w.Client).CreateTopic(t.Context(), 1, 1, map[string]*string{"max.message.bytes": &limit},
			testTopic+".failed"); err != nil {
			t.Fatal(err)
		}
		value := bytes.Repeat([]byte{'x'}, 500_000)
		w.Folded(w.Options(), []record{{Key: "k", At: bubbleStart, Value: value}})
		e := w.failedEntries(1)[0]
		if e == nil {
			t.Fatal("the entry is missing")
		}
		if header(e, event.HeaderTruncated) != "value" || header(e, event.HeaderLength) != strconv.Itoa(len(value)) {
			t.Errorf("truncated %q, original length %q", header(e, event.HeaderTruncated), header(e, event.HeaderLength))
		}
		if codec := e.Attrs.CompressionType(); codec != uint8(kgo.CodecGzip) {
			t.Errorf("the entry is compressed with codec %d, want gzip", codec)
		}
		if !bytes.HasPrefix(value, e.Value) || len(e.Value) < 90_000 {
			t.Errorf("the entry has %d bytes", len(e.Value))
		}
	})
}
