package replay_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// mapped returns the default settings with a mapping of what has the visitor.
func mapped(visitor string) checkpoint.Settings {
	s := checkpoint.DefaultSettings()
	s.RawPacked = true
	s.Maps = checkpoint.Maps{{Map: mapping.Config{Map: []string{"siteId=site", "timestamp=at", "visitorId=" + visitor},
		Set: []string{"type=page_view"}}.Canonical()}}
	return s
}

// TestRecordsCountUnderAMendedMap: what a mapping refused is published again and counted once the mapping is mended, as predicted. An
// entry of a process that ended before it began a step, whose record the next one counted by another mapping, is left out.
func TestRecordsCountUnderAMendedMap(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t)
		send := func(from, to int) {
			for i := from; i < to; i++ {
				r := &kgo.Record{Topic: topic, Partition: int32(i % 3), Key: []byte("s"), Timestamp: start,
					Headers: []kgo.RecordHeader{{Key: "who", Value: fmt.Append(nil, "v", i)}},
					Value:   fmt.Appendf(nil, `{"site":"s","at":%d}`, start.UnixMilli())}
				if err := w.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
		}
		send(0, 30)
		w.fold(mapped("kafka:header:visitor"))
		if have := w.totals(); have.Rejected[event.NotMapped] != 30 {
			t.Errorf("totals %+v, want 30 not mapped", have)
		}
		send(30, 60)
		w.leave(mapped("kafka:header:visitor"))
		w.fold(mapped("kafka:header:who"))
		good := mapped("kafka:header:who")
		sum := w.replay(func(o *replay.Options) { o.Settings = &good })
		if sum.Published != 30 || sum.Predicted.Counted != 30 || sum.Skipped[replay.Counted][event.NotMapped] != 30 {
			t.Errorf("summary %+v, predicted %+v: want 30 published, to be counted, and 30 counted after all", sum, sum.Predicted)
		}
		w.fold(good)
		if have := w.totals(); have.Counted != 60 || have.Rejected[event.NotMapped] != 30 {
			t.Errorf("totals %+v, want 60 counted", have)
		}
		w.verified()
	})
}

// TestEntriesThatLackHeadersAreSkippedUnderAMap: the failed-events topic does not take all headers of a record, and a process ends before
// its flush. The next one counts the record by a header that its entry lacks. A replay cannot see that, and leaves the entry out.
func TestEntriesThatLackHeadersAreSkippedUnderAMap(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.smallFailedTopic()
		w.send(30, func(r *kgo.Record, i int) {
			r.Headers = append(fillers(), kgo.RecordHeader{Key: "who", Value: fmt.Appendf(nil, "v%0200d", i)})
			r.Value = fmt.Appendf(nil, `{"site":"s","at":%d}`, start.UnixMilli())
		})
		w.leave(mapped("kafka:header:visitor"))
		w.fold(mapped("kafka:header:who"))
		later := mapped("kafka:key") // It counts whatever is published.
		sum := w.replay(func(o *replay.Options) { o.Settings = &later })
		var text strings.Builder
		if err := sum.WriteText(&text); err != nil || sum.Published != 0 || sum.Skipped[replay.LacksHeaders][event.NotMapped] != 30 ||
			!strings.Contains(text.String(), "Headers missing: 30. ") {
			t.Errorf("summary %+v, %v, want 30 skipped, since they lack headers:\n%s", sum, err, text.String())
		}
		w.fold(later)
		if have := w.totals(); have.Counted != 30 {
			t.Errorf("totals %+v, want 30 counted", have)
		}
		w.verified()
	})
}

// TestEntriesThatLackHeadersAreReplayedWithoutAMap: where no mapping reads them, headers that an entry lacks change nothing.
func TestEntriesThatLackHeadersAreReplayedWithoutAMap(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.smallFailedTopic()
		w.send(30, func(r *kgo.Record, i int) {
			r.Headers = fillers()
			r.Value = fmt.Appendf(nil, `{"siteId":"s","type":"page_view","timestamp":%d,"visitorId":"v%d"}`, start.Add(-2*time.Hour).UnixMilli(), i)
		})
		w.fold(lateness(time.Hour))
		if sum := w.replay(nil); sum.Published != 30 {
			t.Errorf("summary %+v, want 30 published", sum)
		}
		w.fold(lateness(48 * time.Hour))
		if have := w.totals(); have.Counted != 30 {
			t.Errorf("totals %+v, want 30 counted", have)
		}
		w.verified()
	})
}

// smallFailedTopic makes a failed-events topic that takes entries of 12,000 bytes.
func (w *world) smallFailedTopic() {
	w.t.Helper()
	must(w.admin.DeleteTopics(w.t.Context(), failed))(w.t)
	limit := "12000"
	must(w.admin.CreateTopic(w.t.Context(), 2, 1, map[string]*string{"max.message.bytes": &limit}, failed))(w.t)
}

// fillers are headers of 12,000 bytes in all. What an entry has left after those that fit is less than 200 bytes.
func fillers() (all []kgo.RecordHeader) {
	for i := range 120 {
		all = append(all, kgo.RecordHeader{Key: fmt.Sprint("filler", i), Value: bytes.Repeat([]byte("x"), 100)})
	}
	return all
}

// send publishes n records as fill makes them, to all partitions.
func (w *world) send(n int, fill func(r *kgo.Record, i int)) {
	w.t.Helper()
	for i := range n {
		r := &kgo.Record{Topic: topic, Partition: int32(i % 3), Key: fmt.Append(nil, "k", i), Timestamp: start}
		fill(r, i)
		if err := w.client.ProduceSync(w.t.Context(), r).FirstErr(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestReplayWaitsForTheFirstMapping: a process without a mapping publishes entries and ends before its flush. A mapping is configured, and
// a replay comes before the flush that counts the records by it: none counts twice.
func TestReplayWaitsForTheFirstMapping(t *testing.T) {
	for _, folded := range []int{0, 3} {
		t.Run(fmt.Sprint(folded, " records are folded before"), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				must(w.admin.DeleteTopics(t.Context(), failed))(t)
				send := func(n int) {
					for i := range n {
						r := &kgo.Record{Topic: topic, Partition: int32(i % 3), Key: []byte("s"), Timestamp: start,
							Headers: []kgo.RecordHeader{{Key: "who", Value: fmt.Append(nil, "v", i)}},
							Value:   fmt.Appendf(nil, `{"site":"s","at":%d}`, start.UnixMilli())}
						if err := w.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
							t.Fatal(err)
						}
					}
				}
				plain, good := checkpoint.DefaultSettings(), mapped("kafka:header:who")
				plain.RawPacked = true
				if send(folded); folded > 0 {
					w.fold(plain)
				}
				send(30)
				w.leave(plain)
				sum := w.replay(func(o *replay.Options) { o.Settings = &good })
				if sum.Published != int64(folded) {
					t.Errorf("%d published before the flush, want %d: %+v", sum.Published, folded, sum.Skipped)
				}
				w.fold(good)
				w.replay(func(o *replay.Options) { o.Settings = &good })
				w.fold(good)
				if have := w.totals(); have.Counted != int64(30+folded) {
					t.Errorf("totals %+v, want %d counted", have, 30+folded)
				}
				w.verified()
			})
		})
	}
}

// TestWhatAReleaseMendsIsPublished: without a mapping, what an earlier release could not read is published, though this one reads it.
func TestWhatAReleaseMendsIsPublished(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		value := fmt.Sprintf(`{"siteId":"s","type":"page_view","timestamp":%d,"visitorId":"v"}`, start.UnixMilli())
		r := &kgo.Record{Topic: topic, Timestamp: start, Value: []byte(value)} // The site counts in this partition.
		if err := w.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
		w.fold(checkpoint.DefaultSettings())
		var list []fake
		for i, reason := range []event.Reason{event.Panicked, event.BadJSON, event.MissingSite} {
			list = append(list, fake{reason: reason, offset: int64(1000 + i), value: value})
		}
		w.entries(list...)
		if sum := w.replay(nil); sum.Published != 3 {
			t.Errorf("%d published, skipped %v; want all", sum.Published, sum.Skipped)
		}
	})
}

// TestEntriesThatAreReadInPartAreSkipped: an entry after an aborted transaction is streamed, and what is kept of one is bounded.
func TestEntriesThatAreReadInPartAreSkipped(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.entries(fake{reason: event.TooLarge, offset: 1, value: strings.Repeat("x", 2*event.MaxRecordBytes)})
		c := must(kgo.NewClient(append(w.kafka(), kgo.TransactionalID("foreign"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...))(t)
		defer c.Close()
		err := c.BeginTransaction()
		if err == nil {
			err = c.ProduceSync(t.Context(), &kgo.Record{Topic: failed}).FirstErr()
		}
		if err == nil {
			err = c.EndTransaction(t.Context(), kgo.TryAbort)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.entries(fake{reason: event.TooLarge, offset: 2, value: strings.Repeat("x", 2*event.MaxRecordBytes)},
			fake{reason: event.TooLarge, offset: 3})
		sum := w.replay(nil)
		if sum.Published != 2 || sum.Skipped[replay.Truncated][event.TooLarge] != 1 {
			t.Errorf("summary %+v, want 2 published and 1 truncated", sum)
		}
	})
}
