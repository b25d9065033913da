package query_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// withBots puts an hour, its day and a realtime minute in which bots were about.
func (w *world) withBots(site string) {
	w.site(site, 16)
	bots := func(it sinks.Item) sinks.Item {
		it[sinks.AttrBotEvents], it[sinks.AttrBotPageViews] = sinks.Int(5), sinks.Int(3)
		it[sinks.AttrBotValues], it[sinks.AttrBotValueMicros] = sinks.Int(1), sinks.Int(-500_000)
		return it
	}
	hour := bots(figures(6, 8, 2))
	hour[sinks.AttrUniques(tp0)] = small(0, 7)
	w.put(w.keys.HourStats(site, at(10).UnixMilli()), future, hour)
	w.put(w.keys.HourStats(site, at(11).UnixMilli()), future, bots(sinks.Item{}))
	w.put(w.keys.DayStats(site, at(0).UnixMilli()), future, bots(figures(6, 8, 2)))
	w.minute(site, at(14).Add(33*time.Minute), future, tp0, 4, visitors(sketch.NewMinute(), 0, 3), map[string]int{"/": 2})
	empty, err := sketch.NewTop(50).AppendBinary(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(w.keys.Realtime(site, at(14).Add(33*time.Minute).UnixMilli(), tp1), future, bots(sinks.Item{
		sinks.AttrVisitors: visitors(sketch.NewMinute(), 0, 0), sinks.AttrPages: sinks.Bytes(empty)}))
}

func testBots(t *testing.T, w *world) {
	w.withBots(shop)
	figures := func(f query.Figures) [8]any {
		return [8]any{f.Events, f.PageViews, f.Values, f.ValueSum, f.BotEvents, f.BotPageViews, *f.UniqueVisitors, f.Sessions}
	}
	for _, by := range []query.By{query.Hour, query.Day} {
		p := query.StatsParams{Site: shop, From: at(10), To: at(12), By: by}
		bots, hours := int64(10), int64(2)
		if by == query.Day {
			bots, hours = 5, 1
		}
		without := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
		if got, want := figures(*without.Totals), ([8]any{int64(8), int64(6), int64(2), "5", bots, bots * 3 / 5, uint64(7),
			int64(2)}); got != want ||
			without.IncludesBots {
			t.Errorf("by %s: %v, want %v: bots are in figures of their own", by, got, want)
		}
		p.IncludeBots = true
		with := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
		sum := map[query.By]string{query.Hour: "4", query.Day: "4.5"}[by]
		if got, want := figures(*with.Totals), ([8]any{8 + bots, 6 + bots*3/5, 2 + hours, sum, bots, bots * 3 / 5, uint64(7),
			int64(2)}); got != want ||
			!with.IncludesBots || *with.Totals.PagesPerSession != *without.Totals.PagesPerSession {
			t.Errorf("by %s with bots: %v, want %v, and as many pages a session", by, got, want)
		}
		if b := with.Buckets[0]; int64(len(with.Buckets)) != hours || b.Events != 13 || b.PageViews != 9 || b.BotEvents != 5 {
			t.Errorf("by %s with bots: %s; want 13 events in the first row", by, compact(t, with))
		}
	}
	dayBefore := sinks.Item{sinks.AttrEvents: sinks.Int(8), sinks.AttrBotEvents: sinks.Int(5)}
	w.put(w.keys.HourStats(shop, at(11-24).UnixMilli()), future, dayBefore)
	p := query.StatsParams{Site: shop, From: at(11), To: at(12), By: query.Hour, IncludeBots: true, Compare: true}
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
	if a.Totals.Events != 5 || a.Previous.Totals.Events != 13 || a.Previous.Change.Events.Absolute != -8 ||
		a.Previous.Change.BotEvents.Absolute != 0 {
		t.Errorf("compared with bots: %s; want 5 events after 13", compact(t, a))
	}
	for _, included := range []bool{false, true} {
		events, views := int64(4), int64(2)
		if included {
			events, views = 9, 5
		}
		a := must[query.RealtimeAnswer](t)(w.Realtime(t.Context(), query.RealtimeParams{Site: shop, IncludeBots: included}))
		if m := a.Series[2]; a.Events != events || a.PageViews != views || a.BotEvents != 5 || a.BotPageViews != 3 || a.CurrentVisitors != 3 ||
			m.Events != events || m.PageViews != views || m.BotEvents != 5 || m.BotPageViews != 3 || m.Visitors != 3 || a.IncludesBots != included {
			t.Errorf("realtime, bots included %v: %s", included, compact(t, a))
		}
	}
}
