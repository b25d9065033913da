package capacity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sinktest"
)

// heated is a table in memory whose writes are counted, by a clock that the test sets.
func heated(t *testing.T) (table sinks.Table, h *Heat, clock *time.Time) {
	t.Helper()
	memory := testworld.Table(t)
	now := time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)
	clock = &now
	h = NewHeat(func() time.Time { return *clock })
	return h.Watch(memory), h, clock
}

func someItem(pk string, bytes int) sinks.Item {
	return sinks.Item{sinks.AttrPK: sinks.Str(pk), sinks.AttrSK: sinks.Str("S"), "text": sinks.Str(strings.Repeat("x", bytes))}
}

func TestHeatCountsTheUnitsOfEveryWrite(t *testing.T) {
	table, h, _ := heated(t)
	ctx := t.Context()
	key := sinks.Key{PK: "A", SK: "S"}
	if _, err := table.Put(ctx, sinks.Put{Item: someItem("A", 2500)}); err != nil { // 3 units
		t.Fatal(err)
	}
	if _, err := table.Update(ctx, sinks.Update{Key: key, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}); err != nil { // 3
		t.Fatal(err)
	}
	if _, err := table.Delete(ctx, sinks.Delete{Key: key}); err != nil { // 3
		t.Fatal(err)
	}
	if _, err := table.BatchPut(ctx, sinktest.Batch(someItem("B", 10), someItem("C", 10))); err != nil { // 1 each
		t.Fatal(err)
	}
	hot := h.Snapshot()
	if want := []HotKey{{"A", 9, 0}, {"B", 1, 0}, {"C", 1, 0}}; fmt.Sprint(hot.Keys) != fmt.Sprint(want) || hot.Units != 11 || hot.Floor != 0 {
		t.Errorf("heat %+v, want %v", hot, want)
	}
	if _, ok := table.(sinks.Sweeper); !ok {
		t.Error("a table that sweeps does not any more when it is watched")
	}
}

// leaving takes only the first item of a batch.
type leaving struct{ sinks.Table }

func (leaving) BatchPut(_ context.Context, items []sinks.Attrs) (r sinks.BatchResult, _ error) {
	for _, it := range items[1:] {
		r.Left = append(r.Left, it.Key())
	}
	r.Units = 4
	return r, nil
}

func TestHeatLeavesOutWhatABatchLeftOver(t *testing.T) {
	h := NewHeat(nil)
	if _, err := h.Watch(leaving{}).BatchPut(t.Context(), sinktest.Batch(someItem("A", 1), someItem("B", 1))); err != nil {
		t.Fatal(err)
	}
	if hot := h.Snapshot(); len(hot.Keys) != 1 || hot.Keys[0] != (HotKey{"A", 4, 0}) {
		t.Errorf("heat %+v, want 4 units of A", hot)
	}
	if _, ok := h.Watch(leaving{}).(sinks.Sweeper); ok {
		t.Error("a table that does not sweep does when it is watched")
	}
}

func TestHeatTellsTheLastWindowThatIsOver(t *testing.T) {
	_, h, clock := heated(t)
	begun := *clock
	h.add(sinks.Key{PK: "A"}, 5)
	*clock = begun.Add(time.Minute)
	if hot := h.Snapshot(); hot.To.Sub(hot.From) != time.Minute || hot.Units != 5 {
		t.Errorf("the first window while it goes on: %+v", hot)
	}
	*clock = begun.Add(heatWindow)
	h.add(sinks.Key{PK: "B"}, 7)
	*clock = begun.Add(heatWindow + time.Minute)
	if hot := h.Snapshot(); !hot.To.Equal(begun.Add(heatWindow)) || len(hot.Keys) != 1 || hot.Keys[0].PK != "A" {
		t.Errorf("the first window when it is over: %+v", hot)
	}
	*clock = begun.Add(3 * heatWindow) // A pause: nobody wrote or asked.
	if hot := h.Snapshot(); hot.To.Sub(hot.From) != 2*heatWindow || len(hot.Keys) != 1 || hot.Keys[0].PK != "B" {
		t.Errorf("the second window: %+v", hot)
	}
}

// TestHeatIsBounded: more keys than rows are not all told, and what is not told is bounded.
func TestHeatIsBounded(t *testing.T) {
	_, h, _ := heated(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 2 * heatRows {
				h.add(sinks.Key{PK: fmt.Sprint("key-", i)}, 1)
				h.add(sinks.Key{PK: "hot"}, 3)
			}
		})
	}
	group.Wait()
	hot := h.Snapshot()
	if len(hot.Keys) != heatRows || hot.Floor == 0 || hot.Units != 4*2*heatRows*4 {
		t.Errorf("%d keys, floor %d, %d units", len(hot.Keys), hot.Floor, hot.Units)
	}
	if k := hot.Keys[0]; k.PK != "hot" || k.Units+k.Error < 4*2*heatRows*3 || k.Units > 4*2*heatRows*3 {
		t.Errorf("the hottest key is %+v, want hot with %d units", k, 4*2*heatRows*3)
	}
}

// hotOf is a process that wrote so many units under keys in ten seconds.
func hotOf(url string, floor uint64, keys ...HotKey) HotOf {
	from := time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)
	h := HotOf{url, Hot{From: from, To: from.Add(10 * time.Second), Floor: floor, Keys: keys}}
	for _, k := range keys {
		h.Units += k.Units
	}
	return h
}

func TestHotReportAddsUpProcesses(t *testing.T) {
	of := []HotOf{hotOf("http://a", 0, HotKey{"X", 8000, 0}, HotKey{"Y", 100, 20}), hotOf("http://b", 30, HotKey{"X", 1000, 10},
		HotKey{"Z", 50, 0})}
	r := ReportHot(of, 2)
	want := []HotRate{{"X", 900, 901, 0.9}, {"Y", 10, 15, 0.01}} // Of Y the second process may have 30, too.
	if fmt.Sprint(r.Keys) != fmt.Sprint(want) || r.More != 1 || r.Others != 3 || len(r.Processes) != 2 || r.Processes[0].Units != 810 {
		t.Errorf("report %+v, want keys %v", r, want)
	}
	var text strings.Builder
	if err := PrintHot(&text, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"http://a: 810 write units a second", "There are 1 more", "any other has at most 3 write units",
		"Key X is near the 1000"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing from\n%s", want, &text)
		}
	}
}

func TestSiteReportTellsHowEvenShardsAre(t *testing.T) {
	for _, keys := range []sinks.Keys{{}, {Generation: 2}} {
		of := []HotOf{hotOf("http://a", 0, HotKey{keys.Shard("s", 0), 300, 0}, HotKey{keys.Shard("s", 1), 100, 0}, HotKey{keys.Site("s"), 50, 0},
			HotKey{keys.Shard("other", 2), 9000, 0})}
		r := ReportSite(of, keys, "s", 4)
		site := slices.IndexFunc(r.Keys, func(r HotRate) bool { return r.PK == keys.Site("s") })
		if len(r.Shards) != 4 || r.Shards[0].Units != 30 || r.Shards[2].Units != 0 || r.Unevenness != 3 || site < 0 || r.Keys[site].Units != 5 {
			t.Errorf("report %+v, want shards of 30, 10, 0 and 0 units a second, the busiest 3 times the mean", r)
		}
	}
	written := []HotOf{hotOf("http://a", 0, HotKey{sinks.Keys{}.Site("s"), 50, 0})}
	if r := ReportSite(written, sinks.Keys{}, "quiet", 2); r.Unevenness != 0 || r.Shards[0].AtMost != 0 {
		t.Errorf("report of a site that is not written: %+v", r)
	}
}

func BenchmarkHeat(b *testing.B) {
	h := NewHeat(nil)
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprint("SITE#site-", i, "#SHARD#00")
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		h.add(sinks.Key{PK: keys[i%len(keys)]}, 1)
		i++
	}
}
