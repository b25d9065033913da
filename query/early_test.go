package query_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// testComparedEarly: in the first hour of a range its totals have no relative change, filtered or not; after it they have.
func testComparedEarly(t *testing.T, w *world) {
	w.site(shop, 16)
	for _, hour := range []int{-72, 13 - 24, 14 - 24, 13, 14} {
		w.hour(shop, at(hour), future, 4, 4, 0, nil)
		w.day(shop, at(hour).Truncate(24*time.Hour), future, 4, 4, 0)
		w.breakdown(shop, at(hour), future, tp0, 10, func(b *sketch.Breakdown) {
			b.Event(sketch.Country, "DE", 1, sketch.Hit{Visitor: 1, PageView: true})
		})
	}
	where := must[[]query.Condition](t)(query.ParseConditions([]string{"country=DE"}))
	for _, c := range []struct {
		from  int
		known bool
	}{{14, false}, {13, true}} {
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: at(c.from), To: at(15), By: query.Hour,
			Compare: true}))
		f := must[query.FilteredStatsAnswer](t)(w.FilteredStats(t.Context(), query.FilteredStatsParams{Site: shop, From: at(c.from), To: at(15),
			By: query.Hour, Compare: true, FilterParams: query.FilterParams{Where: where}}))
		if a.Previous.Totals.Events == 0 || (a.Previous.Change.Events.Relative != nil) != c.known {
			t.Errorf("from %d:00: %s, want a relative change: %v", c.from, compact(t, a.Previous), c.known)
		}
		if f.Previous.Totals.Events == 0 || (f.Previous.Change.Events.Relative != nil) != c.known {
			t.Errorf("from %d:00, filtered: %s, want a relative change: %v", c.from, compact(t, f.Previous), c.known)
		}
	}
}
