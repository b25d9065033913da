package replay_test

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// mapped returns the default settings with a mapping of the header that has the visitor.
func mapped(visitor string) checkpoint.Settings {
	s := checkpoint.DefaultSettings()
	s.RawPacked = true
	s.Maps = checkpoint.Maps{{Map: mapping.Config{Map: []string{"siteId=site", "timestamp=at", "visitorId=kafka:header:" + visitor},
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
		w.fold(mapped("visitor"))
		if have := w.totals(); have.Rejected[event.NotMapped] != 30 {
			t.Errorf("totals %+v, want 30 not mapped", have)
		}
		send(30, 60)
		w.leave(mapped("visitor"))
		w.fold(mapped("who"))
		good := mapped("who")
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
				plain, good := checkpoint.DefaultSettings(), mapped("who")
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
