package query_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// testNewVisitorsSince: new visitors of a time in which the site began to count them say since when, and compare with nothing.
func testNewVisitorsSince(t *testing.T, w *world) {
	since := at(10).Add(12 * time.Minute)
	w.rules(shop, &sites.Rules{NewVisitors: true, NewVisitorsSince: since.UnixMilli()})
	day := figures(0, 0, 0)
	for hour, isNew := range map[int]int64{9: 0, 10: 2, 11: 1} {
		it := figures(4, 4, 1)
		it[sinks.AttrUniques(tp0)] = visitors(sketch.NewHour(), hour, hour+3)
		if isNew > 0 {
			it[sinks.AttrNewVisitors] = sinks.Int(isNew)
		}
		w.put(w.keys.HourStats(shop, at(hour).UnixMilli()), future, it)
	}
	day[sinks.AttrEvents], day[sinks.AttrNewVisitors] = sinks.Int(12), sinks.Int(3)
	w.put(w.keys.DayStats(shop, at(0).UnixMilli()), future, day)
	for _, by := range []query.By{query.Hour, query.Day} {
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: at(9), To: at(12), By: by, Compare: true}))
		if s := a.Totals.NewSince; *a.Totals.NewVisitors != 3 || s == nil || !s.Equal(since) || a.Previous.Change.NewVisitors.Absolute != nil {
			t.Errorf("by %s: %s, want 3 new visitors since %v", by, compact(t, a.Totals), since)
		}
		for _, b := range a.Buckets {
			of, isNew := b.Start.Before(since) && since.Before(b.End), b.NewVisitors != nil
			if (b.NewSince != nil) != of || isNew != b.End.After(since) || of && b.ReturningVisitors != nil {
				t.Errorf("by %s: row of %v: %s", by, b.Start, compact(t, b.Figures))
			}
		}
	}
}
