package pipeline_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

// reading are options for values with schemas.
func reading(w *testpipeline.World, table sinks.Table, r *testpipeline.Shelf) pipeline.Options {
	o := mapped(w, table, mapping.Config{Input: mapping.InputRegistry}.Canonical())
	if r != nil {
		o.Registry = r
	}
	return o
}

// TestSchemasAreKnownFromARecordOn: what an id means is asked for once, and a record whose id the registry did not have is rejected,
// whatever the registry has when the record is read again.
func TestSchemasAreKnownFromARecordOn(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(7, 1, 600, time.Now())
		next := func(n int, ids ...uint32) {
			w.Produce(testpipeline.Framed(records[:n], ids...)...)
			records = records[n:]
		}
		known := func(want string) {
			t.Helper()
			stats, _, _ := heads(t, w)
			if got := stats.Known.String(); got != want {
				t.Errorf("known are %q, want %q", got, want)
			}
		}
		// The stats lane begins a flush and cannot write it, while the realtime lane continues.
		var dead atomic.Bool
		first := &judging{w.Table, func(u sinks.Update) error {
			switch {
			case dead.Load():
				return testpipeline.ErrKilled
			case strings.HasPrefix(u.Key.SK, "STATS#"):
				return sinks.ErrThrottled
			}
			return nil
		}}
		r := testpipeline.NewShelf(1, 2)
		next(200, 1, 2, 3, 2)
		run := w.Start(reading(w, first, r))
		w.Pass(40 * time.Second)
		next(100, 3)
		w.Pass(20 * time.Second)
		dead.Store(true)
		run.Killed()
		if stats, realtime, _ := heads(t, w); stats.To != 200 || stats.Done || realtime.To != 300 {
			t.Fatalf("stats at %d, done %v, realtime at %d: want an open flush up to 200 and 300", stats.To, stats.Done, realtime.To)
		}
		known("1@0 2@1")
		// The registry has them all by now, and forgets one: of what was read nothing changes.
		r.Change(func() {
			r.Has[wire.Confluent(3)] = `{"title": "late"}`
			delete(r.Has, wire.Confluent(1))
		})
		next(50, 3, 1)
		run = w.Start(reading(w, w.Table, r))
		w.Settled()
		run.Drain()
		known("1@0 2@1 3@300")
		stats, _, _ := heads(t, w)
		if n := stats.Totals.Rejected[event.UnknownSchema]; n != 150 || stats.Totals.Records() != 350 {
			t.Errorf("totals %+v, want 150 with an unknown schema of 350", stats.Totals)
		}
		w.Recounted()

		// A value without a header is JSON, and without a registry no new id is known.
		next(50, 1, 4)
		w.Produce(records[:50]...)
		records = records[50:]
		run = w.Start(reading(w, w.Table, nil))
		w.Settled()
		run.Drain()
		stats, _, _ = heads(t, w)
		if n := stats.Totals.Rejected[event.UnknownSchema]; n != 175 || stats.Totals.Records() != 450 {
			t.Errorf("totals %+v, want 175 with an unknown schema of 450", stats.Totals)
		}
		w.Recounted()

		// Without a schema registry in the configuration, such values are no JSON.
		run = w.Start(mapped(w, w.Table, ""))
		next(50, 1)
		w.Settled()
		run.Drain()
		if stats, _, _ = heads(t, w); stats.Totals.Rejected[event.BadJSON] != 50 {
			t.Errorf("totals %+v, want 50 that are no JSON", stats.Totals)
		}
		w.Recounted()
	})
}

// TestPartitionWaitsForTheRegistry: a registry without a clear answer stops the partition whose records need it, and no other, and the
// process says so.
func TestPartitionWaitsForTheRegistry(t *testing.T) {
	testpipeline.InBubble(t, 1, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(7, 2, 400, time.Now())
		var needs []testpipeline.Record
		for _, r := range records {
			if r.Partition == 1 {
				needs = append(needs, r)
			} else {
				w.Produce(r)
			}
		}
		r := testpipeline.NewShelf(1)
		r.Change(func() { r.Down = true })
		w.Produce(testpipeline.Framed(needs, 1)...)
		p, err := pipeline.New(reading(w, w.Table, r))
		if err != nil {
			t.Fatal(err)
		}
		run := w.Run(p)
		w.Pass(2 * time.Minute)
		head := func(partition int32) checkpoint.Head {
			return w.Checkpoint(sinks.TP{Topic: 1, Partition: partition}, checkpoint.LaneStats)
		}
		if a, b := head(0), head(1); a.To != int64(len(records)-len(needs)) || b.To != 0 {
			t.Errorf("the partitions are at %d and %d, want %d and 0", a.To, b.To, len(records)-len(needs))
		}
		if err := p.Ready(); err == nil || !strings.Contains(err.Error(), "no answer from the schema registry") ||
			!strings.Contains(err.Error(), "503 from the registry") {
			t.Errorf("Ready = %v", err)
		}
		r.Change(func() { r.Down = false })
		w.Settled()
		if err := p.Ready(); err != nil {
			t.Errorf("Ready = %v", err)
		}
		run.Drain()
		if b := head(1); b.To != int64(len(needs)) {
			t.Errorf("partition 1 is at %d, want %d", b.To, len(needs))
		}
		w.Recounted()
	})
}

// TestChangedSchemaEndsTheProcess: two partitions that are given other schemas for an id do not both count.
func TestChangedSchemaEndsTheProcess(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		r := testpipeline.NewShelf(1)
		w.Produce(testpipeline.Framed(testpipeline.Traffic(7, 1, 50, time.Now()), 1)...)
		raced := &racing{Table: w.Table, before: func(p sinks.Put) {
			it := maps.Clone(p.Item)
			it[sinks.AttrSchemaHash] = sinks.Str("another")
			if _, err := w.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Error(err)
			}
		}}
		if err := w.Ends(reading(w, raced, r)); err == nil || !strings.Contains(err.Error(), "another schema than the table keeps") {
			t.Errorf("the process ended with %v", err)
		}
	})
}

// TestReplacedRegistryEndsTheProcess: a registry that has another schema for an id which records were read by is noticed at the next start,
// though nothing asks for that schema any more.
func TestReplacedRegistryEndsTheProcess(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		r := testpipeline.NewShelf(1, 2)
		w.Folded(reading(w, w.Table, r), testpipeline.Framed(testpipeline.Traffic(7, 1, 50, time.Now()), 1, 2))
		r.Change(func() { r.Has[wire.Confluent(2)], r.Down = `{"title": "of another registry"}`, true })
		run := w.Start(reading(w, w.Table, r))
		w.Pass(time.Minute)
		r.Change(func() { r.Down = false })
		if err := run.Ended(); !errors.Is(err, schemas.ErrChanged) || !strings.Contains(err.Error(), "schema 2 of topic") {
			t.Errorf("the process ended with %v", err)
		}
		w.Folded(reading(w, w.Table, nil), testpipeline.Framed(testpipeline.Traffic(8, 1, 50, time.Now()), 1, 2))
		w.Recounted()
	})
}

// racing is a table in which another process is first to keep a schema.
type racing struct {
	sinks.Table
	before func(sinks.Put)
}

func (r *racing) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if p.Item[sinks.AttrEntity].Str() == sinks.EntitySchema {
		r.before(p)
	}
	return r.Table.Put(ctx, p)
}

// withoutStats is a table in which the stats lane begins no flush. Once its process is dead it answers nothing.
type withoutStats struct {
	sinks.Table
	dead atomic.Bool
}

func (x *withoutStats) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	switch {
	case x.dead.Load():
		return sinks.Result{}, testpipeline.ErrKilled
	case testpipeline.KindOf(u) == "intend" && strings.HasSuffix(u.Key.SK, checkpoint.LaneStats):
		return sinks.Result{}, sinks.ErrThrottled
	}
	return x.Table.Update(ctx, u)
}

// TestRecountBeforeTheFirstFlush: what is known is in the checkpoint of the stats lane, also while the realtime lane alone has flushed.
func TestRecountBeforeTheFirstFlush(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		w.Produce(testpipeline.Framed(testpipeline.Traffic(7, 1, 100, time.Now()), 1, 2)...)
		r := testpipeline.NewShelf(1)
		table := &withoutStats{Table: w.Table}
		run := w.Start(reading(w, table, r))
		w.Pass(30 * time.Second)
		table.dead.Store(true)
		run.Killed()
		tp := sinks.TP{Topic: 1}
		stats, realtime := w.Checkpoint(tp, checkpoint.LaneStats), w.Checkpoint(tp, checkpoint.LaneRealtime)
		if stats.Step != 0 || realtime.To != 100 || stats.Known.String() != "1@0" {
			t.Fatalf("stats at step %d, realtime at %d, known %v: want 0, 100 and 1@0", stats.Step, realtime.To, stats.Known)
		}
		w.Agrees(w.Options())
		run = w.Start(reading(w, w.Table, r))
		w.Settled()
		run.Drain()
		w.Recounted()
	})
}

// TestSchemasInATopicThatWasCreatedAgain: an id that was learned of records which no flush of the former topic has is known from the first
// record on in the new one. A lane that comes second there reads them as the first one has.
func TestSchemasInATopicThatWasCreatedAgain(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(7, 1, 300, time.Now())
		next := func(n int, ids ...uint32) {
			w.Produce(testpipeline.Framed(records[:n], ids...)...)
			records = records[n:]
		}
		r := testpipeline.NewShelf(1, 2)
		next(100, 1)
		run := w.Start(reading(w, w.Table, r))
		w.Settled()
		run.Drain()
		table := &withoutStats{Table: w.Table}
		run = w.Start(reading(w, table, r))
		next(50, 1, 2)
		w.Pass(30 * time.Second)
		table.dead.Store(true)
		run.Killed()
		if stats, _, _ := heads(t, w); stats.To != 100 || stats.Known.String() != "1@0 2@101" {
			t.Fatalf("stats at %d, known %v: want 100, 1@0 2@101", stats.To, stats.Known)
		}
		(&world{w}).recreate()
		next(100, 2)
		table = &withoutStats{Table: w.Table}
		run = w.Start(reading(w, table, r))
		w.Pass(30 * time.Second)
		table.dead.Store(true)
		run.Killed()
		w.Agrees(w.Options())
		run = w.Start(reading(w, w.Table, nil))
		w.Pass(time.Minute)
		w.Settled()
		run.Drain()
		stats, _, _ := heads(t, w)
		if n := stats.Totals.Rejected[event.UnknownSchema]; n != 0 || stats.Totals.Records() != 200 {
			t.Errorf("totals %+v, want 200 records, all with schemas that are known", stats.Totals)
		}
		w.Recounted()
	})
}

// TestSchemaThatTheTableHasLost: a copy of a table may have a checkpoint that lists a schema, and lack the schema. The registry still has
// it.
func TestSchemaThatTheTableHasLost(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records, r := testpipeline.Traffic(7, 1, 100, time.Now()), testpipeline.NewShelf(1)
		w.Produce(testpipeline.Framed(records[:50], 1)...)
		run := w.Start(reading(w, w.Table, r))
		w.Settled()
		run.Drain()
		key := sinks.SchemaKey(w.Topic, "1")
		if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
			t.Fatal(err)
		}
		w.Produce(testpipeline.Framed(records[50:], 1)...)
		err := w.Ends(reading(w, w.Table, testpipeline.NewShelf()))
		if err == nil || !strings.Contains(err.Error(), "restore item PIPELINE / SCHEMA#") {
			t.Errorf("with a registry that lacks the schema, too, the process ended with %v", err)
		}
		run = w.Start(reading(w, w.Table, r))
		w.Settled()
		run.Drain()
		if stats, _, _ := heads(t, w); w.Item(key) == nil || stats.Known.String() != "1@0" || stats.Totals.Rejected[event.UnknownSchema] != 0 {
			t.Errorf("known are %v, totals %+v", stats.Known, stats.Totals)
		}
		w.Recounted()
	})
}

// TestDrainWhileTheRegistryIsAway: what was read is flushed, and the chunk that waits is left to the next owner.
func TestDrainWhileTheRegistryIsAway(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records, r := testpipeline.Traffic(7, 1, 100, time.Now()), testpipeline.NewShelf(1, 2)
		w.Produce(testpipeline.Framed(records[:50], 1)...)
		for _, ahead := range []int{0, 2} {
			r.Change(func() { r.Down = false })
			o := reading(w, w.Table, r)
			o.ChunksAhead = ahead
			run := w.Start(o)
			w.Settled()
			r.Change(func() { r.Down = true })
			w.Produce(testpipeline.Framed(records[50:60], uint32(2+ahead))...)
			w.Pass(time.Minute)
			run.Drain()
			records = records[10:]
		}
		stats, _, _ := heads(t, w)
		if stats.To != 60 || !stats.Done || stats.Known.String() != "1@0 2@50" {
			t.Errorf("stats at %d, done %v, known %v: want 60, true, 1@0 2@50", stats.To, stats.Done, stats.Known)
		}
		w.Pass(time.Minute)
		run := w.Start(reading(w, w.Table, nil))
		w.Settled()
		run.Drain()
		w.Recounted()
	})
}
