package schema_test

import (
	"fmt"
	"maps"
	"time"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// damage damages an item of each kind that the pipeline quarantines, and has it do so.
func (w *world) damage() {
	w.t.Helper()
	keys, tp := sinks.Keys{}, sinks.TP{Topic: 1}
	at := w.start.UnixMilli()
	for key, attr := range map[sinks.Key]string{
		keys.Breakdown(blog, at, tp): sinks.AttrPart, keys.Uniques(blog, at, tp): sinks.AttrPart,
		keys.HourStats(shop, at): sinks.AttrUniques(tp), keys.Realtime(blog, at, tp): sinks.AttrPages,
	} {
		it := maps.Clone(w.item(key))
		it[attr] = sinks.Bytes([]byte("damaged"))
		if _, err := w.table.Table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
			w.t.Fatal(err)
		}
	}
	w.produce(0, w.event(shop, "page_view", 3*time.Second, "visitorId", "v-7", "url", "/"))
	for i := range 60 {
		w.produce(0, w.event(blog, "page_view", 3*time.Second, "visitorId", fmt.Sprint("visitor-", i), "url", "/"))
	}
	w.fold()
	for _, d := range []struct {
		key  sinks.Key
		attr string
	}{
		{keys.Session(shop, "s-1", tp, sinks.DefaultShards), sinks.AttrCur},
		{keys.VisitorState(shop, "v-5", sinks.TP{Topic: 1, Partition: 1}, sinks.DefaultShards), sinks.AttrPrev},
		{keys.NewSites(tp, checkpoint.LaneStats), sinks.AttrHour}, {keys.Budget("busy", sinks.TP{Topic: 1, Partition: 1}), sinks.AttrSpent},
		{keys.SiteEntry(blog), sinks.AttrSiteID}, {w.arrival(), sinks.AttrPrevDay},
		{keys.DayStats(blog, at), sinks.AttrBounces}, {keys.Checkpoint(tp, checkpoint.LaneStats), "totals"},
	} {
		it := maps.Clone(w.item(d.key))
		it[d.attr] = sinks.Strings([]string{"damaged"})
		if _, err := w.table.Table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
			w.t.Fatal(err)
		}
		for range 2 { // It may be repeated.
			if _, err := quarantine.Item(w.t.Context(), quarantine.Decision{Topic: topic, Table: w.table, Key: d.key}); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	w.fold()
}
