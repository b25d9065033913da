package pipeline_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// An entry of the journal is deleted once each of its hours has been merged, even if some of the hours have left memory in between.
func TestEntriesThatNoHourNeedsAreDeleted(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for seed := range uint64(slow.Of(t, 1, 6)) {
		inWorld(t, 1, func(t *testing.T, w *world) {
			w.RareFetches(5 * time.Second)
			s := newSpy(w.Table)
			o := w.With(s, 0)
			o.StatsInterval = 2 * time.Second
			o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 7}
			o.Limits.MemoryBytes = 1
			run := w.Start(o)
			for i, r := range traffic(seed, 1, 1000, bubbleStart.Add(-3*time.Hour)) {
				w.Produce(r)
				if i%3 == 0 {
					w.Pass(500 * time.Millisecond)
				}
			}
			for range 2 { // The second step deletes what the first has merged.
				w.Settled()
				w.Produce(clickOf("another", bubbleStart))
			}
			w.Settled()
			run.Drain()
			type hourOf struct {
				pk, site string
				hour     int64
			}
			all, marks, entries := w.contents(s), make(map[hourOf]int64), 0
			fields := func(key sinks.Key, it sinks.Item) sinks.Fields {
				m, ok := sinks.Find(key, it, sinks.DefaultShards)
				if !ok {
					t.Fatalf("no kind of item has the key %v", key)
				}
				return m.Fields
			}
			for key, it := range all {
				if it[sinks.AttrEntity].Str() == sinks.EntityBreakdown {
					f := fields(key, it)
					marks[hourOf{key.PK, f.Site, f.At}] = it[sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: 1})].Int()
				}
			}
			for key, it := range all {
				if it[sinks.AttrEntity].Str() != sinks.EntityLate {
					continue
				}
				entries++
				e, err := journal.Read(it)
				if err != nil {
					t.Fatal(err)
				}
				needed := false
				for _, l := range e.Logs {
					needed = needed || e.Step > marks[hourOf{key.PK, fields(key, it).Site, l.Hour}]
				}
				if !needed {
					t.Errorf("seed %d: entry %v is left behind, and all of its %d hours have it", seed, key, len(e.Logs))
				}
			}
			if entries == 0 {
				t.Errorf("seed %d: the journal has no entries at the end: the test is void", seed)
			}
		})
	}
}
