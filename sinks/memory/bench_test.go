package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
	"github.com/footfall/footfall/sinks/sinktest"
)

// events are a batch of raw events.
func events(n int) (items []sinks.Item) {
	for i := range sinks.MaxBatchPut {
		k := sinks.Keys{}.Event("site", i%16, fmt.Sprintf("%016d%010d", n, i))
		items = append(items, sinks.Item{
			sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK), sinks.AttrEntity: sinks.Str(sinks.EntityEvent),
			"url": sinks.Str("https://example.org/" + strings.Repeat("x", 80)), sinks.AttrVisitorID: sinks.Str("visitor"),
			"timestamp": sinks.Int(1_700_000_000_000), sinks.AttrTTL: sinks.Int(1_800_000_000), "type": sinks.Str("page_view"),
		})
	}
	return items
}

// holding makes a table with this number of batches of events.
func holding(b *testing.B, batches int) *memory.Table {
	b.Helper()
	table := created(b)
	for n := range batches {
		if _, err := table.BatchPut(b.Context(), sinktest.Batch(events(n)...)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	return table
}

// BenchmarkGuardedUpdate writes hours' stats the way a flush does.
func BenchmarkGuardedUpdate(b *testing.B) {
	table, mark := holding(b, 0), sinks.AttrMark("stats", sinks.TP{Topic: 1, Partition: 7})
	for step := int64(1); b.Loop(); step++ {
		u := sinks.Update{
			Key: sinks.Keys{}.HourStats(fmt.Sprint("site", step%300), 1_700_000_000_000),
			Add: []sinks.Attr{{Name: sinks.AttrPageViews, Value: sinks.Int(3)}, {Name: sinks.AttrEvents, Value: sinks.Int(5)},
				{Name: sinks.AttrSessions, Value: sinks.Int(1)}, {Name: sinks.AttrDurationMs, Value: sinks.Int(61_000)}},
			Set: []sinks.Attr{{Name: mark, Value: sinks.Int(step)}, {Name: sinks.AttrTTL, Value: sinks.Int(1_800_000_000)}},
			If:  []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: sinks.Int(step)}},
		}
		if _, err := table.Update(b.Context(), u); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBatchPut writes 25 raw events.
func BenchmarkBatchPut(b *testing.B) {
	table := holding(b, 0)
	for n := 0; b.Loop(); n++ {
		if _, err := table.BatchPut(b.Context(), sinktest.Batch(events(n)...)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBatchGet reads 25 raw events of 50,000.
func BenchmarkBatchGet(b *testing.B) {
	table := holding(b, 2000)
	for n := 0; b.Loop(); n++ {
		var g sinks.BatchGet
		for _, it := range events(n % 2000) {
			g.Keys = append(g.Keys, it.Key())
		}
		if r, err := table.BatchGet(b.Context(), g); err != nil || len(r.Items) != len(g.Keys) {
			b.Fatal(len(r.Items), err)
		}
	}
}

// BenchmarkQuery reads a page of 100 raw events of 50,000.
func BenchmarkQuery(b *testing.B) {
	table := holding(b, 2000)
	k := events(1000)[0].Key()
	for b.Loop() {
		if p, err := table.Query(b.Context(), sinks.Query{PK: k.PK, From: k.SK, Limit: 100}); err != nil || len(p.Items) != 100 {
			b.Fatal(len(p.Items), err)
		}
	}
}
