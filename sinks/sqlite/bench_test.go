package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sinktest"
)

// BenchmarkGuardedUpdate writes an hour's stats the way a step does, from so many goroutines at once.
func BenchmarkGuardedUpdate(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			t := openTable(b, filepath.Join(b.TempDir(), "bench.db"))
			if err := t.Create(b.Context(), sinks.Shape{}); err != nil {
				b.Fatal(err)
			}
			var wg sync.WaitGroup
			work := make(chan int64)
			for range writers {
				wg.Go(func() {
					for step := range work {
						mark := sinks.AttrMark("stats", sinks.TP{Topic: 1, Partition: 7})
						u := sinks.Update{
							Key: sinks.Keys{}.HourStats(fmt.Sprint("site", step%300), 1_700_000_000_000),
							Add: []sinks.Attr{{Name: sinks.AttrPageViews, Value: sinks.Int(3)}, {Name: sinks.AttrEvents, Value: sinks.Int(5)},
								{Name: sinks.AttrSessions, Value: sinks.Int(1)}, {Name: sinks.AttrDurationMs, Value: sinks.Int(61_000)}},
							Set: []sinks.Attr{{Name: mark, Value: sinks.Int(step)}, {Name: sinks.AttrTTL, Value: sinks.Int(1_800_000_000)}},
							If:  []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: sinks.Int(step)}},
						}
						if _, err := t.Update(b.Context(), u); err != nil {
							b.Error(err)
						}
					}
				})
			}
			b.ReportAllocs()
			for step := int64(1); b.Loop(); step++ {
				work <- step
			}
			close(work)
			wg.Wait()
		})
	}
}

// BenchmarkBatchPut writes raw events; an operation is one of 25 items.
func BenchmarkBatchPut(b *testing.B) {
	t := openTable(b, filepath.Join(b.TempDir(), "bench.db"))
	if err := t.Create(b.Context(), sinks.Shape{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		var items []sinks.Item
		for i := range sinks.MaxBatchPut {
			k := sinks.Keys{}.Event("site", i%16, fmt.Sprintf("%016d%010d", n, i))
			items = append(items, sinks.Item{
				sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK), sinks.AttrEntity: sinks.Str(sinks.EntityEvent),
				"url": sinks.Str("https://example.org/" + strings.Repeat("x", 80)), sinks.AttrVisitorID: sinks.Str("visitor"),
				"timestamp": sinks.Int(1_700_000_000_000), sinks.AttrTTL: sinks.Int(1_800_000_000), "type": sinks.Str("page_view"),
			})
		}
		if _, err := t.BatchPut(b.Context(), sinktest.Batch(items...)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*sinks.MaxBatchPut), "ns/item")
}
