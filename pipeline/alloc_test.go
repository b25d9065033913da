package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// ownedPartition returns the worker of a partition on a fresh table. Its goroutine is not started: the test folds.
func ownedPartition(t testing.TB) *worker {
	t.Helper()
	return ownedPartitionWith(t, Options{Table: testworld.Table(t)})
}

func ownedPartitionWith(t testing.TB, o Options) *worker {
	t.Helper()
	o.Topic, o.Group = "events", "g"
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if p.hash, err = sketch.NewHasher([]byte("0123456789abcdef")); err != nil {
		t.Fatal(err)
	}
	p.number, p.sessionShards = 1, sinks.DefaultShards
	w, _, err := p.taker.acquire(t.Context(), 0, [16]byte{1}, checkpoint.Extent{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, kill := context.WithCancelCause(t.Context())
	t.Cleanup(func() { kill(nil) })
	w.open(ctx, kill)
	return w
}

// foldChunk folds records as one portion.
func (w *worker) foldChunk(ctx context.Context, batch []*kgo.Record) error {
	records := w.decodeChunk(batch)
	w.dedupe(records)
	return w.fold(ctx, records)
}

// decodeChunk makes a decoded chunk of records the present one, and receives them.
func (w *worker) decodeChunk(batch []*kgo.Record) []decoding.Record {
	if w.chunk == nil {
		w.chunk = w.ahead.Chunks.Take()
	}
	w.chunk.Raw, w.chunk.Records = batch, w.chunk.Records[:0]
	w.ahead.Decoder.Decode(w.chunk)
	w.decoded = w.chunk.Records
	return w.receive(batch)
}

// chunkOf makes a chunk of events of so many sites and sessions: page views with urls, and clicks.
func chunkOf(sites, sessions int, at time.Time) []*kgo.Record {
	records := make([]*kgo.Record, decoding.ChunkRecords)
	for i := range records {
		kind, session := "page_view", i%sessions
		if i%3 == 2 {
			kind = "click"
		}
		site := fmt.Sprintf("site-%d", session%sites)
		records[i] = &kgo.Record{
			Offset: int64(i), Key: []byte(site), Timestamp: at.Add(time.Duration(i) * time.Millisecond),
			Value: fmt.Appendf(nil, `{"siteId":%q,"type":%q,"timestamp":%d,"id":"%016x","visitorId":"visitor-%d","sessionId":"session-%d",`+
				`"userId":"user-%d","url":"https://www.%s.example/page-%d?ref=newsletter","referrer":"https://search.example/",`+
				`"title":"The title","userAgent":"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0","country":"DE",`+
				`"value":19.99,"properties":{"plan":"free"}}`, site, kind, at.UnixMilli()+int64(i), i, session, session, session, site, i%7),
		}
	}
	return records
}

// again makes of the chunk the one that follows it: the next offsets, and other events that much later. It allocates
// nothing.
func again(records []*kgo.Record) {
	var digits [16]byte
	for _, r := range records {
		r.Offset += int64(len(records))
		r.Timestamp = r.Timestamp.Add(time.Duration(len(records)) * time.Millisecond)
		i := bytes.Index(r.Value, []byte(`"timestamp":`)) + len(`"timestamp":`)
		copy(r.Value[i:], strconv.AppendInt(digits[:0], r.Timestamp.UnixMilli(), 10))
		i = bytes.Index(r.Value, []byte(`"id":"`)) + len(`"id":"`)
		copy(r.Value[i:], strconv.AppendInt(digits[:0], 1_000_000_000_000_000+r.Offset, 10))
	}
}

// aimed gives the sites of chunkOf goals of every kind. Sessions have reached the first of them once they have begun, and the rest
// never.
func aimed(t testing.TB, w *worker, n int) {
	t.Helper()
	page := func(how sites.PatternHow, text string) sites.Pattern {
		return sites.Pattern{On: sites.OnPage, How: how, Text: text}
	}
	var log *sites.Log
	for i := range n {
		s := new(sites.Rules)
		for n, on := range []sites.Pattern{{On: sites.OnEvent, Type: "page_view"}, page(sites.MatchExact, "/never"),
			page(sites.MatchPrefix, "/never"),
			page(sites.MatchContains, "never"), page(sites.MatchRegexp, "^/page-[0-9]+/never$"), {On: sites.OnEvent, Type: "click", Name: "never"},
			{}} {
			g := sites.Goal{ID: fmt.Sprint("goal ", n), On: on}
			if on == (sites.Pattern{}) {
				g.DurationMs = sites.MaxGoalDuration.Milliseconds()
			}
			if err := s.AddGoal(g); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if log, err = sites.AppendLog(t.Context(), w.send.Table, w.keys, log, sites.Revision{Site: fmt.Sprintf("site-%d", i),
			Rules: s}); err != nil {
			t.Fatal(err)
		}
	}
	w.rules.Known.Store(log)
}

// TestFoldAllocatesNothingPerEvent holds the path from a record to the states of its site, hour, minute and session
// or visit to no allocation at all, once those states are in memory; nor do goals that no event reaches allocate.
func TestFoldAllocatesNothingPerEvent(t *testing.T) {
	w := ownedPartition(t)
	aimed(t, w, 5)
	records := chunkOf(5, 40, time.UnixMilli(1_749_999_960_000))
	for i := 0; i < len(records); i += 3 { // Of visits.
		before, rest, _ := bytes.Cut(records[i].Value, []byte(`"sessionId"`))
		_, rest, _ = bytes.Cut(rest, []byte(`,`))
		records[i].Value = slices.Concat(before, rest)
	}
	fold := func() {
		if err := w.foldChunk(t.Context(), records); err != nil {
			t.Fatal(err)
		}
		again(records)
	}
	for range 7 {
		fold() // Each session has viewed each page.
	}
	if n := testing.AllocsPerRun(20, fold); n != 0 {
		t.Errorf("%v allocations in a chunk of %d records whose states are in memory, want 0", n, len(records))
	}
	for id, s := range w.sites {
		for _, x := range s.Sessions {
			if x.Cur.Reached != "\x01" {
				t.Errorf("a session of %s has reached the goals %x, want the first", id, x.Cur.Reached)
			}
		}
	}
	if w.totals.Sessionless == 0 {
		t.Error("no event was without a sessionId")
	}
	if got, want := w.totals.Counted, int64(28*decoding.ChunkRecords); got != want {
		t.Errorf("counted %d, want %d: the fold that was measured left records out", got, want)
	}
}

// BenchmarkFold is the fold of one event whose states are in memory; BenchmarkFoldWithGoals that of one at a site with goals of
// every kind, which it does not reach.
func BenchmarkFold(b *testing.B) { benchmarkFold(b, ownedPartition(b)) }

func BenchmarkFoldWithGoals(b *testing.B) {
	w := ownedPartition(b)
	aimed(b, w, 20)
	benchmarkFold(b, w)
}

func benchmarkFold(b *testing.B, w *worker) {
	w.stats.Settings.Bots.Rate = math.MaxInt64 // Hours of event time go by, and no session ends.
	records := chunkOf(20, 100, time.UnixMilli(1_749_999_960_000))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n++; n%decoding.ChunkRecords != 0 {
			continue
		}
		if err := w.foldChunk(b.Context(), records); err != nil {
			b.Fatal(err)
		}
		again(records)
	}
}

// BenchmarkCut is the plan of a step of 256 sessions that it saw first; the operation is a step.
func BenchmarkCut(b *testing.B) {
	w := ownedPartition(b)
	at := time.UnixMilli(1_749_999_960_000)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		records := chunkOf(20, decoding.ChunkRecords, at)
		for _, r := range records {
			r.Offset += int64(n * decoding.ChunkRecords)
			r.Value = bytes.Replace(r.Value, []byte(`"session-`), fmt.Appendf(nil, `"session-%d-`, n), 1)
		}
		if err := w.foldChunk(b.Context(), records); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if p := w.stats.Fold.Cut(at.Unix()); p.Size() < decoding.ChunkRecords {
			b.Fatalf("%d writes", p.Size())
		}
		b.StopTimer()
		w.stats.Begin(int64(n) + 2)
		w.stats.Fold.Settled(int64(n) + 1)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*decoding.ChunkRecords), "ns/session")
}
