package answers_test

import (
	"errors"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestReadersNameADamagedJournalEntry: readers report the entry until it is quarantined and its partition continues. Then they answer.
func TestReadersNameADamagedJournalEntry(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"truncated", "garbage", "type", "missing"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 2, func(t *testing.T, w *world) {
				records := testpipeline.Traffic(31, 2, 300, bubbleStart)
				o := w.Options()
				o.StatsInterval, o.Limits.Journal = 2*time.Second, aggregate.Journal{MinItem: 1, Entries: math.MaxInt}
				run := w.Start(o)
				for i := 0; i < 200; i += 20 {
					w.Produce(records[i : i+20]...)
					w.Pass(3 * time.Second)
				}
				w.Settled()
				run.Drain()
				const site = "site-0"
				top := func() error {
					_, err := query.New(w.Table, time.Now).Top(t.Context(), query.TopParams{Site: site,
						Dimension: sketch.Dimensions()[0].String(), From: bubbleStart.Add(-72 * time.Hour), To: bubbleStart.Add(72 * time.Hour)})
					return err
				}
				if err := top(); err != nil {
					t.Fatalf("before: Top = %v", err)
				}
				var damaged sinks.Item // The last of partition 0: more records read it.
				for _, day := range []time.Time{bubbleStart.AddDate(0, 0, -1), bubbleStart} {
					for _, it := range w.Query(sinks.Keys{}.BreakdownOfDay(site, day.UnixMilli()), sinks.LatePrefix) {
						if strings.HasPrefix(it.Key().SK, sinks.LatePrefix+sinks.TP{Topic: 1}.String()+"#") {
							damaged = maps.Clone(it)
						}
					}
				}
				if damaged == nil {
					t.Fatal("there is no journal entry to damage")
				}
				if damaged[sinks.AttrPart] = testpipeline.Damages[way](damaged[sinks.AttrPart]); damaged[sinks.AttrPart].Kind() == sinks.None {
					delete(damaged, sinks.AttrPart)
				}
				if _, err := w.Table.Put(t.Context(), sinks.Put{Item: damaged}); err != nil {
					t.Fatal(err)
				}
				if err := top(); err == nil {
					t.Error("Top answers as if the entry were not damaged")
				} else if d, ok := errors.AsType[*sinks.DamagedError](err); !ok || d.Key != damaged.Key() {
					t.Errorf("Top = %v, want an error that names %v", err, damaged.Key())
				}
				w.Produce(records[200:]...)
				run = w.Start(o)
				w.Pass(30 * time.Second)
				if w.Behind() == nil {
					t.Error("the partition has counted on with an entry that cannot be read")
				}
				if _, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: w.Topic, Table: w.Table, Key: damaged.Key()}); err != nil {
					t.Fatal(err)
				}
				w.Settled()
				run.Drain()
				if err := top(); err != nil {
					t.Errorf("Top = %v", err)
				}
			})
		})
	}
}
