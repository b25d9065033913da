package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// One reading of raw events answers as a question for each list, and for the figures, does.
func testFilteredLists(t *testing.T, w *world) {
	w.browsed()
	for _, where := range [][]string{{"country=DE"}, {"country!=DE"}, {"page^=/docs/"}, {"browser=Chrome", "page=/shop"}, {"country^=XX"},
		{"entry^=/docs/"}, {"exit!=/docs/a", "country=DE"}} {
		conditions := must[[]query.Condition](t)(query.ParseConditions(where))
		p := query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: at(0).Truncate(24 * time.Hour), To: now,
			By: query.Hour, Fill: true, FilterParams: query.FilterParams{Where: conditions, Exact: true}}}
		for _, d := range []string{"page", "referrer", "channel", "country", "browser", "event", "entry", "exit"} {
			p.Lists = append(p.Lists, query.TopList{Dimension: d, Limit: 2})
		}
		together := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), p))
		stats := must[query.FilteredStatsAnswer](t)(w.FilteredStats(t.Context(), p.FilteredStatsParams))
		if compact(t, together.Stats) != compact(t, stats) {
			t.Errorf("%v: %s, alone %s", where, compact(t, together.Stats), compact(t, stats))
		}
		for i, l := range p.Lists {
			alone := must[query.FilteredTopAnswer](t)(w.FilteredTop(t.Context(), query.FilteredTopParams{Site: shop, Dimension: l.Dimension,
				From: p.From, To: p.To, Limit: l.Limit, FilterParams: p.FilterParams}))
			if have := together.Lists[i]; have.Refused != nil || compact(t, have.FilteredTopAnswer) != compact(t, alone) {
				t.Errorf("%v, %s: %s, alone %s", where, l.Dimension, compact(t, have.FilteredTopAnswer), compact(t, alone))
			}
		}
	}
}

// testRowsOfAllVisitors: a row that has all visitors has the exact figure of the totals.
func testRowsOfAllVisitors(t *testing.T, w *world) {
	w.site(shop, 16)
	const visitors = 2*sketch.RowExact + 1
	for n := range visitors {
		w.view(fmt.Sprint("visitor ", n), "/", at(3), n, sinks.Item{"country": sinks.Str("DE"), "browser": sinks.Str("Chrome")})
	}
	p := query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: at(0), To: now,
		FilterParams: query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions([]string{"country=DE"})), Exact: true}},
		Lists: []query.TopList{{Dimension: "country"}, {Dimension: "browser"}, {Dimension: "page"}, {Dimension: "entry"}}}
	a := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), p))
	if have := a.Stats.Totals; have.UniqueVisitors != visitors || have.VisitorsError != 0 {
		t.Errorf("%d visitors, error %g; want %d", have.UniqueVisitors, have.VisitorsError, visitors)
	}
	for _, l := range a.Lists {
		if len(l.Rows) != 1 || l.Rows[0].UniqueVisitors != visitors || l.Rows[0].VisitorsError != 0 {
			t.Errorf("%s: %s, want a row of %d visitors", l.Dimension, compact(t, l.Rows), visitors)
		}
	}
}

// A list that raw events do not say is refused alone.
func testFilteredListRefused(t *testing.T, w *world) {
	w.browsed()
	w.rules(shop, &sites.Rules{Shards: []sites.Shards{{N: 16}}, QueryParameters: "none"})
	p := query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: at(0), To: now,
		FilterParams: query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions([]string{"country=DE"}))}},
		Lists: []query.TopList{{Dimension: "utm_campaign"}, {Dimension: "country"}}}
	a := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), p))
	if err := a.Lists[0].Refused; err == nil || !strings.Contains(err.Error(), "keep no query parameter utm_campaign") {
		t.Errorf("campaigns: %v", err)
	}
	if l := a.Lists[1]; l.Refused != nil || len(l.Rows) != 1 || l.Rows[0].Events != 4 {
		t.Errorf("countries: %+v", l)
	}
}
