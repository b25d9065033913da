package query_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// testFilteredCompared: figures of what passes filters are compared with those of the earlier range, which are those that it has alone. The
// cost and its bound are those of both.
func testFilteredCompared(t *testing.T, w *world) {
	w.browsedTwice()
	ask := func(from time.Time, compare bool, p query.FilterParams, where ...string) (query.FilteredStatsAnswer, error) {
		p.Where = must[[]query.Condition](t)(query.ParseConditions(where))
		return w.FilteredStats(t.Context(), query.FilteredStatsParams{Site: shop, From: from, To: from.AddDate(0, 0, 1), By: query.Day,
			Unit: query.Day, Compare: compare, FilterParams: p})
	}
	for _, where := range [][]string{{"country=DE"}, {"country=DE", "browser=Chrome"}, {"page^=/docs/"}} {
		a := must[query.FilteredStatsAnswer](t)(ask(at(0), true, query.FilterParams{}, where...))
		now := must[query.FilteredStatsAnswer](t)(ask(at(0), false, query.FilterParams{}, where...))
		before := must[query.FilteredStatsAnswer](t)(ask(at(-24), false, query.FilterParams{}, where...))
		was := a.Previous
		if was == nil || compact(t, was.Totals) != compact(t, before.Totals) || compact(t, a.Totals) != compact(t, now.Totals) ||
			before.Totals.Events == 0 || !was.ToDate {
			t.Errorf("%v: %s\nwant %s\nafter %s", where, compact(t, a), compact(t, now.Totals), compact(t, before.Totals))
			continue
		}
		events := now.Totals.Events - before.Totals.Events
		if len(a.Buckets) != 1 || was.Change.Events.Absolute != events || a.Buckets[0].Change.Events.Absolute != events ||
			was.Change.Events.Relative == nil || a.Buckets[0].Previous.Events != before.Totals.Events {
			t.Errorf("%v: %s, want a row of %d events more", where, compact(t, a), events)
		}
		if cost := a.Filter.Cost; cost == nil {
			if where[0] != "country=DE" || len(where) > 1 {
				t.Errorf("%v: answered from %s", where, a.Filter.Source)
			}
		} else if cost.EventsRead != now.Filter.Cost.EventsRead+before.Filter.Cost.EventsRead || cost.EventsEstimated !=
			now.Filter.Cost.EventsEstimated+before.Filter.Cost.EventsEstimated {
			t.Errorf("%v: cost %+v, want that of both ranges", where, cost)
		}
	}
	alone := must[query.FilteredStatsAnswer](t)(ask(at(0), false, query.FilterParams{Exact: true}, "country=DE"))
	most := 4 * int(alone.Filter.Cost.EventsEstimated) // Each is an item.
	if _, err := ask(at(0), false, query.FilterParams{Exact: true, MaxEvents: most}, "country=DE"); err != nil {
		t.Errorf("one range within the bound of %d: %v", most, err)
	}
	_, err := ask(at(0), true, query.FilterParams{Exact: true, MaxEvents: most}, "country=DE")
	if err == nil || !strings.Contains(err.Error(), "compared with") {
		t.Errorf("two ranges beyond the bound: %v", err)
	}
	estimate := must[query.FilteredStatsAnswer](t)(ask(at(0), true, query.FilterParams{EstimateOnly: true}, "page^=/docs/"))
	if estimate.Totals != nil || estimate.Previous.Totals != nil || len(estimate.Buckets) > 0 {
		t.Errorf("an estimate has read: %s", compact(t, estimate))
	}
}

// browsedTwice has browsing of today and of the day before.
func (w *world) browsedTwice() {
	w.browsed()
	of := func(country string) sinks.Item {
		return sinks.Item{"country": sinks.Str(country), "browser": sinks.Str("Chrome")}
	}
	yesterday := at(3 - 24)
	w.view("anna", "/docs/a", yesterday, 11, of("DE"))
	w.view("dora", "/docs/b", yesterday.Add(time.Minute), 12, of("FR"))
	w.view("emil", "/", at(-24), 13, of("FR")) // All of the first day is counted.
	for hour, n := range map[int]int64{-24: 1, 3 - 24: 2, 3: 4, 4: 1} {
		w.hour(shop, at(hour), future, n, n, 0, nil)
	}
	w.day(shop, at(-24), future, 3, 3, 0)
	for hour, visitors := range map[int]uint64{3: 3, 3 - 24: 1} {
		w.breakdown(shop, at(hour), future, tp0, 10, func(b *sketch.Breakdown) {
			for visitor := range visitors {
				b.Event(sketch.Country, "DE", int64(visitor+1), sketch.Hit{Visitor: visitor + 1, PageView: true})
			}
		})
	}
}

// testFilteredListsCompared: lists and figures that are read together are compared as each alone. If only the earlier range is too dear, or
// its raw events are not there, the rest is as without a comparison.
func testFilteredListsCompared(t *testing.T, w *world) {
	w.browsedTwice()
	ask := func(from time.Time, compare bool, most int, where ...string) query.FilteredListsAnswer {
		t.Helper()
		return must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), query.FilteredListsParams{
			FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: from, To: from.AddDate(0, 0, 1), By: query.Day, Unit: query.Day,
				Compare: compare, FilterParams: query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions(where)),
					Exact: true, MaxEvents: most}},
			Lists: []query.TopList{{Dimension: "page"}, {Dimension: "country"}, {Dimension: "referrer"}, {Dimension: "exit"}}}))
	}
	for _, where := range []string{"country=DE", "page^=/docs/", "country^=XX"} {
		a, now, before := ask(at(0), true, 0, where), ask(at(0), false, 0, where), ask(at(-24), false, 0, where)
		alone := must[query.FilteredStatsAnswer](t)(w.FilteredStats(t.Context(), query.FilteredStatsParams{Site: shop, From: at(0),
			To: at(24), By: query.Day, Unit: query.Day, Compare: true, FilterParams: query.FilterParams{
				Where: must[[]query.Condition](t)(query.ParseConditions([]string{where})), Exact: true}}))
		if compact(t, a.Stats) != compact(t, alone) || a.NotCompared != nil {
			t.Errorf("%s: %s, alone %s; %v", where, compact(t, a.Stats), compact(t, alone), a.NotCompared)
		}
		for i, list := range a.Lists {
			if compact(t, list.Rows) != compact(t, now.Lists[i].Rows) || list.Before == nil {
				t.Errorf("%s: %s: %s, without a comparison %s", where, list.Dimension, compact(t, list.Rows), compact(t, now.Lists[i].Rows))
			}
			want := make(map[string]query.FilteredTopCounts)
			for _, row := range before.Lists[i].Rows {
				if slices.ContainsFunc(list.Rows, func(r query.FilteredTopRow) bool { return r.Value == row.Value }) {
					want[row.Value] = row.FilteredTopCounts
				}
			}
			if none := before.Lists[i].None; none != nil {
				want[""] = *none
			}
			if compact(t, list.Before) != compact(t, want) {
				t.Errorf("%s: %s before: %s, want %s", where, list.Dimension, compact(t, list.Before), compact(t, want))
			}
		}
	}
	without := ask(at(0), false, 0, "country=DE")
	same := func(what string, a query.FilteredListsAnswer) {
		t.Helper()
		if a.NotCompared == nil || a.Stats.Previous != nil || a.Lists[0].Before != nil ||
			compact(t, a.Stats.Totals) != compact(t, without.Stats.Totals) || compact(t, a.Stats.Buckets) != compact(t, without.Stats.Buckets) ||
			compact(t, a.Lists[0].Rows) != compact(t, without.Lists[0].Rows) {
			t.Errorf("%s: %s, %v; want %s", what, compact(t, a.Stats), a.NotCompared, compact(t, without.Stats))
		}
	}
	cost := without.Stats.Filter.Cost
	dear := ask(at(0), true, 4*int(cost.EventsEstimated), "country=DE") // Each is an item.
	same("too dear", dear)
	if was := dear.NotCompared.Cost; was.EventsEstimated <= cost.EventsEstimated || dear.Stats.Filter.Cost.EventsRead != cost.EventsRead ||
		dear.Stats.Filter.Cost.EventsEstimated != cost.EventsEstimated {
		t.Errorf("too dear: both cost %+v, one %+v, read %+v", was, cost, dear.Stats.Filter.Cost)
	}
	w.chain(0, true, true, 1) // Raw events are kept for a day.
	without = ask(at(0), false, 0, "country=DE")
	same("expired", ask(at(0), true, 0, "country=DE"))
	if _, raw := errors.AsType[*query.RawEventsError](ask(at(0), true, 0, "country=DE").NotCompared); !raw {
		t.Error("expired: the reason is not that raw events are gone")
	}
	if first := ask(at(0), true, 0, "country=DE").DataFrom; first != nil {
		t.Errorf("expired: the site is said to have no data before %v", first)
	}
	year := query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: at(0), To: at(24), By: query.Day,
		Compare: true, Against: query.AgainstYear, FilterParams: query.FilterParams{
			Where: must[[]query.Condition](t)(query.ParseConditions([]string{"country=DE"})), Exact: true}}}
	if a := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), year)); a.NotCompared == nil || a.DataFrom == nil ||
		!a.DataFrom.Equal(at(-24)) {
		t.Errorf("the year before: not compared %v, data from %v; want data from %v", a.NotCompared, a.DataFrom, at(-24))
	}
}
