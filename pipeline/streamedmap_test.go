package pipeline_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/pipeline/event"
)

// keysAndHeaders is the mapping of keyed records.
var keysAndHeaders = mapping.Config{Map: []string{"siteId=kafka:key", "timestamp=at", "visitorId=kafka:header:who"},
	Set: []string{"type=page_view"}}.Canonical()

// keyed are records of 30 visitors, whom a header names, of sites that the keys name; and some whose key or headers are missing, or too
// long for a mapping.
func (w *world) keyed() (list []*kgo.Record) {
	who := func(i int) kgo.RecordHeader { return kgo.RecordHeader{Key: "who", Value: fmt.Append(nil, "v", i)} }
	large := kgo.RecordHeader{Key: "large", Value: make([]byte, batch.MaxHeaderBytes)}
	for i := range 30 {
		list = append(list, &kgo.Record{Key: fmt.Append(nil, "site-", i%3), Headers: []kgo.RecordHeader{
			{Key: "large", Value: large.Value[:1000*i]}, {Key: "who", Value: []byte("hidden")}, who(i)}})
	}
	list = append(list,
		&kgo.Record{Key: []byte("site-0"), Headers: []kgo.RecordHeader{who(30), large}},
		&kgo.Record{Key: []byte("site-0"), Headers: []kgo.RecordHeader{large, who(31)}},
		&kgo.Record{Key: bytes.Repeat([]byte("k"), batch.MaxKeyBytes+2), Headers: []kgo.RecordHeader{who(32)}},
		&kgo.Record{Headers: []kgo.RecordHeader{who(33)}},
		&kgo.Record{Key: []byte("site-0"), Headers: []kgo.RecordHeader{{Key: "who"}}},
		&kgo.Record{Key: []byte("site-0")})
	for _, r := range list {
		r.Topic, r.Timestamp = w.Topic, bubbleStart
		r.Value = fmt.Appendf(nil, `{"at":%d}`, bubbleStart.UnixMilli())
	}
	return list
}

// Records of a batch that is streamed are the same events by a mapping of their keys and headers as those of any other batch, and verify
// finds the same. What is too long for a mapping is rejected in both.
func TestStreamedRecordsAreMappedAsAllOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spare int // bytes of a record that comes first
		bound int64
		cut   string // how many entries of the failed-events topic lack what
	}{{"not streamed", 2 << 20, 16 << 20, "map[:6 value:1]"},
		{"beyond a bound of 1 MiB", 2 << 20, 1 << 20, "map[:3 headers:2 key:1 value:1]"},
		{"beyond any bound", 20 << 20, 16 << 20, "map[:3 headers:2 key:1 value:1]"}} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := mapped(w.World, w.Table, keysAndHeaders)
				o.Settings.BatchBytes = c.bound
				run := w.Start(o)
				producer := w.Huge()
				defer producer.Close()
				spare := &kgo.Record{Topic: w.Topic, Timestamp: bubbleStart, Value: make([]byte, c.spare)}
				if err := producer.ProduceSync(t.Context(), append([]*kgo.Record{spare}, w.keyed()...)...).FirstErr(); err != nil {
					t.Fatal(err)
				}
				w.Settled()
				run.Drain()
				totals := w.totals(0)
				if totals.Counted != 30 || totals.Rejected[event.NotMapped] != 6 || totals.Rejected[event.TooLarge] != 1 {
					t.Errorf("totals %+v, want 30 counted, 6 not mapped and 1 too large", totals)
				}
				cut := make(map[string]int)
				for _, e := range w.entries(7) {
					cut[header(e, event.HeaderTruncated)]++
				}
				if fmt.Sprint(cut) != c.cut {
					t.Errorf("%v entries lack something, want %s", cut, c.cut)
				}
				w.Recounted()
			})
		})
	}
}

// Records that follow those of an aborted transaction are streamed, whatever the size of their batch. Their headers are mapped all the
// same.
func TestRecordsAfterAnAbortedTransactionAreMapped(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := mapped(w.World, w.Table, keysAndHeaders)
		producer := w.Huge(kgo.TransactionalID("keyed"))
		defer producer.Close()
		for _, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
			if err := producer.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			if err := producer.ProduceSync(t.Context(), w.keyed()...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if err := producer.EndTransaction(t.Context(), end); err != nil {
				t.Fatal(err)
			}
		}
		after := w.Huge() // No flush ends with a transaction's marker.
		defer after.Close()
		if err := after.ProduceSync(t.Context(), w.keyed()...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		run := w.Start(o)
		w.Settled()
		run.Drain()
		if totals := w.totals(0); totals.Counted != 2*30 || totals.Rejected[event.NotMapped] != 2*6 {
			t.Errorf("totals %+v, want 60 counted and 12 not mapped", totals)
		}
		w.Recounted()
	})
}
