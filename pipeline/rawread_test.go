package pipeline_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/event"
)

// bomb is a batch of events around a value of 20 MiB and a header of 8 MiB.
func (w *world) bomb(first int) []*kgo.Record {
	value := func(i int) []byte {
		return fmt.Appendf(nil, `{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v%d","id":"bomb-%d"}`, bubbleStart.UnixMilli(), i, i)
	}
	list := []*kgo.Record{
		{Value: value(first)},
		{Value: bytes.Repeat([]byte(" "), 20<<20)},
		{Value: value(first + 1), Headers: []kgo.RecordHeader{{Key: "x", Value: make([]byte, 8<<20)}}},
		{Value: value(first)},
	}
	for _, r := range list {
		r.Topic, r.Timestamp, r.Key = w.Topic, bubbleStart, []byte("k")
	}
	return list
}

// unreadable puts a batch of n records onto partition 0 that no program can decompress: it claims to be compressed with zstd.
func (w *world) unreadable(n int) {
	w.T.Helper()
	if err := w.PutBatch(0, testpipeline.UnreadableBatch(n, 4)); err != nil {
		w.T.Fatal(err)
	}
}

// entries reads the first n entries of the failed-events topic.
func (w *world) entries(n int) (list []*kgo.Record) {
	w.T.Helper()
	c, err := kgo.NewClient(append(w.Kafka(), kgo.ConsumeTopics(w.Topic+".failed"))...)
	if err != nil {
		w.T.Fatal(err)
	}
	defer c.Close()
	for len(list) < n {
		list = append(list, c.PollFetches(w.T.Context()).Records()...)
	}
	return list
}

// A batch that decompresses to more than its bound is streamed: a record beyond the limit of records is rejected, the others
// count, whatever their headers; and each number is as verify recounts it. Under another bound the numbers are the same.
func TestBatchBeyondItsBoundIsStreamed(t *testing.T) {
	t.Parallel()
	var all []string
	for _, bound := range []int64{1 << 20, 16 << 20} {
		t.Run(fmt.Sprint(bound), func(t *testing.T) {
			inWorld(t, 2, func(t *testing.T, w *world) {
				o := w.Options()
				o.Settings.BatchBytes = bound
				run := w.Start(o)
				w.Produce(traffic(41, 2, 100, bubbleStart)...)
				c := w.Huge()
				defer c.Close()
				if err := c.ProduceSync(t.Context(), w.bomb(1)...).FirstErr(); err != nil {
					t.Fatal(err)
				}
				w.Produce(traffic(42, 2, 100, bubbleStart.Add(time.Minute))...)
				if err := c.ProduceSync(t.Context(), w.bomb(2)...).FirstErr(); err != nil { // Duplicates of both kinds of batch.
					t.Fatal(err)
				}
				w.Settled()
				run.Drain()
				totals := w.totals(0)
				if totals.Rejected[event.TooLarge] != 2 {
					t.Errorf("totals %+v, want 2 records that are too large", totals)
				}
				if all = append(all, fmt.Sprint(totals)); all[0] != fmt.Sprint(totals) {
					t.Errorf("totals %v, and under another bound %s", totals, all[0])
				}
				rejected := 0
				for p := range int32(2) {
					for _, n := range w.totals(p).Rejected {
						rejected += int(n)
					}
				}
				for _, e := range w.entries(rejected) {
					if header(e, event.HeaderReason) == string(event.TooLarge) && (header(e, event.HeaderLength) != fmt.Sprint(20<<20) ||
						header(e, event.HeaderTruncated) != "value") {
						t.Errorf("length %q, truncated %q", header(e, event.HeaderLength), header(e, event.HeaderTruncated))
					}
				}
				w.Recounted()
			})
		})
	}
}

// A batch that cannot be streamed is rejected as a range of offsets; a new owner, which reads it again for the window of
// duplicates, does not reject it twice.
func TestBatchThatCannotBeStreamedIsRejectedAsARange(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		o := w.Options()
		run := w.Start(o)
		w.Produce(traffic(43, 2, 100, bubbleStart)...)
		w.unreadable(7)
		w.Produce(traffic(44, 2, 100, bubbleStart.Add(time.Minute))...)
		w.unreadable(3)
		w.Settled()
		run.Drain()
		run = w.Start(o)
		w.Produce(traffic(45, 2, 100, bubbleStart.Add(2*time.Minute))...)
		w.Settled()
		run.Drain()
		if n := w.totals(0).Rejected[event.Unreadable]; n != 10 {
			t.Errorf("%d records are rejected as unreadable, want 10", n)
		}
		var ranges []string
		rejected := 2 - 10 // Two entries for ten records.
		for p := range int32(2) {
			for _, n := range w.totals(p).Rejected {
				rejected += int(n)
			}
		}
		for _, e := range w.entries(rejected) {
			if header(e, event.HeaderReason) == string(event.Unreadable) {
				ranges = append(ranges, header(e, event.HeaderRecords))
				if len(e.Value) != 61 || len(header(e, event.HeaderSum)) != 64 {
					t.Errorf("entry of %d bytes, checksum %q", len(e.Value), header(e, event.HeaderSum))
				}
			}
		}
		slices.Sort(ranges)
		if fmt.Sprint(ranges) != "[3 7]" {
			t.Errorf("ranges of %v records, want 7 and 3", ranges)
		}
		w.Recounted()
	})
}

// What was never committed is not there, however large it is.
func TestAbortedBatchBeyondItsBoundIsPassed(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		c := w.Huge(kgo.TransactionalID("bomb"))
		defer c.Close()
		for _, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
			if err := c.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			if err := c.ProduceSync(t.Context(), w.bomb(1)...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if err := c.EndTransaction(t.Context(), end); err != nil {
				t.Fatal(err)
			}
		}
		w.Produce(traffic(46, 1, 50, bubbleStart)...)
		w.Settled()
		run.Drain()
		if n := w.totals(0).Records(); n != 54 {
			t.Errorf("totals of %d records, want 54", n)
		}
		w.Recounted()
	})
}

// A streamed value is kept in part. Its query parameters are removed all the same, even if the kept part ends within one.
func TestTokenOfAStreamedRecordIsKeptNowhere(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		c := w.Huge()
		defer c.Close()
		list := w.bomb(1)
		const link = `"url":"https://shop.example/p?token=` + queryToken + `&utm_source=mail"`
		for _, value := range []string{
			`{"siteId":"s",` + link + `,"title":"` + strings.Repeat("x", 70<<10) + `"}`,
			`{"siteId":"s","title":"` + strings.Repeat("x", event.MaxRecordBytes-80) + `",` + link + `,"name":"` + strings.Repeat("y", 5<<10) + `"}`,
		} {
			list = append(list, &kgo.Record{Topic: w.Topic, Partition: list[0].Partition, Timestamp: bubbleStart, Value: []byte(value)})
		}
		if err := c.ProduceSync(t.Context(), list...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		links := 0
		for _, e := range w.entries(3) {
			if bytes.Contains(e.Value, []byte(queryToken[:6])) {
				t.Errorf("the failed event has the token: %.200s", e.Value)
			}
			if bytes.Contains(e.Value, []byte("https://shop.example/p")) {
				links++
			}
		}
		if links != 2 {
			t.Errorf("%d failed events have their url, want 2", links)
		}
	})
}

// A leader that moves, for however long, parks nothing: the batch is unchanged.
func TestElectionWhileABatchIsStreamed(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		c := w.Huge()
		defer c.Close()
		refused := 0
		w.Cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
			w.Cluster.KeepControl()
			r := req.(*kmsg.FetchRequest)
			if r.MaxBytes != 1<<30 || refused >= 20 { // Ours, and not the client's.
				return nil, nil, false
			}
			refused++
			resp := r.ResponseKind().(*kmsg.FetchResponse)
			topic, partition := kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
			topic.Topic, topic.TopicID = r.Topics[0].Topic, r.Topics[0].TopicID
			partition.Partition, partition.ErrorCode = r.Topics[0].Partitions[0].Partition, kerr.NotLeaderForPartition.Code
			topic.Partitions = append(topic.Partitions, partition)
			resp.Topics = append(resp.Topics, topic)
			return resp, nil, true
		})
		if err := c.ProduceSync(t.Context(), w.bomb(1)...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		w.Produce(traffic(42, 2, 100, bubbleStart.Add(time.Minute))...)
		w.Settled()
		run.Drain()
		if refused != 20 {
			t.Errorf("%d fetches were refused, want 20", refused)
		}
		w.Recounted()
	})
}
