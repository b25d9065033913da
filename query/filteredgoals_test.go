package query_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// reached puts goals, and sessions that reach them. Some of the events that reach a goal pass filters, others do not. n is the offset of an
// event.
func (w *world) reached() {
	w.site(shop, 16)
	minute := func(n int) time.Time { return at(3).Add(time.Duration(n) * time.Minute) }
	onPage := sites.Pattern{On: sites.OnPage, How: sites.MatchPrefix, Text: "/thanks"}
	w.goal(shop, sites.Goal{ID: "bought", N: 1, Name: "Bought", On: onPage}, false)
	w.goal(shop, sites.Goal{ID: "stayed", N: 2, DurationMs: 120_000, Value: new(int64(500_000))}, false)
	w.goal(shop, sites.Goal{ID: "rests", N: 3, On: onPage, Inactive: true}, false)
	w.goal(shop, sites.Goal{ID: "late", N: 4, On: onPage, Since: minute(30).UnixMilli()}, false)
	w.goal(shop, sites.Goal{ID: "gone", N: 5, On: onPage}, true)
	of := func(country, value string) sinks.Item {
		it := sinks.Item{"country": sinks.Str(country)}
		if value != "" {
			it["value"] = sinks.Str(value)
		}
		return it
	}
	w.view("anna", "/", minute(0), 1, of("DE", ""))
	w.view("anna", "/thanks", minute(1), 3, of("DE", "7")) // Later in the log: the session reaches the goal by the next one.
	w.view("anna", "/thanks", minute(3), 2, of("DE", "2.5"))
	w.view("bert", "/thanks", minute(4), 4, of("FR", "1"))
	w.view("bert", "/thanks", minute(5), 5, of("DE", "1")) // It reached the goal before.
	w.view("cleo", "/thanks", minute(90), 6, of("DE", "4"))
	w.view("dora", "/thanks", at(3).Add(-time.Minute), 7, of("DE", "9")) // Before the range.
	w.view("dora", "/thanks", minute(2), 8, of("DE", "9"))
}

func testFilteredGoals(t *testing.T, w *world) {
	w.reached()
	ask := func(where string) query.FilteredGoalsAnswer {
		return must[query.FilteredGoalsAnswer](t)(w.FilteredGoals(t.Context(), query.FilteredGoalsParams{Site: shop, From: at(3), To: now,
			FilterParams: query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions(strings.Split(where, "&")))}}))
	}
	rests := `{"goalId":"rests","number":3,"name":"","conversions":null,"valueSum":null,"conversionRate":null,"since":null,` +
		`"sessionsSince":null,"conversionsSince":null,"refused":"goal \"rests\" is inactive, and raw events do not say what reached it while it was active"}`
	for where, want := range map[string]string{
		"country=DE": `{"sessions":2,"conversions":5,"goals":[` +
			`{"goalId":"bought","number":1,"name":"Bought","conversions":2,"valueSum":"6.5","conversionRate":1,"since":null,"sessionsSince":2,"conversionsSince":2},` +
			`{"goalId":"stayed","number":2,"name":"","conversions":2,"valueSum":"1","conversionRate":1,"since":null,"sessionsSince":2,"conversionsSince":2},` +
			rests + `,{"goalId":"late","number":4,"name":"","conversions":1,"valueSum":"4","conversionRate":1,"since":"2026-05-12T03:30:00Z","sessionsSince":1,"conversionsSince":1}]}`,
		"country=DE&page=/thanks": `{"sessions":null,"conversions":5,"goals":[` +
			`{"goalId":"bought","number":1,"name":"Bought","conversions":2,"valueSum":"6.5","conversionRate":null,"since":null,"sessionsSince":null,"conversionsSince":2},` +
			`{"goalId":"stayed","number":2,"name":"","conversions":2,"valueSum":"1","conversionRate":null,"since":null,"sessionsSince":null,"conversionsSince":2},` +
			rests + `,{"goalId":"late","number":4,"name":"","conversions":1,"valueSum":"4","conversionRate":null,"since":"2026-05-12T03:30:00Z","sessionsSince":null,"conversionsSince":1}]}`,
		"entry=/": `{"sessions":1,"conversions":2,"goals":[` +
			`{"goalId":"bought","number":1,"name":"Bought","conversions":1,"valueSum":"2.5","conversionRate":1,"since":null,"sessionsSince":1,"conversionsSince":1},` +
			`{"goalId":"stayed","number":2,"name":"","conversions":1,"valueSum":"0.5","conversionRate":1,"since":null,"sessionsSince":1,"conversionsSince":1},` +
			rests + `,{"goalId":"late","number":4,"name":"","conversions":0,"valueSum":"0","conversionRate":null,"since":"2026-05-12T03:30:00Z","sessionsSince":0,"conversionsSince":0}]}`,
	} {
		if a := ask(where); compact(t, a.Totals) != want || a.Filter.Source != query.FromEvents {
			t.Errorf("%s:\n got %s\nwant %s", where, compact(t, a.Totals), want)
		}
	}
}

// testFilteredGoalRates: sessions that began before the range reach goals in it, and make no rate greater than 1.
func testFilteredGoalRates(t *testing.T, w *world) {
	w.reached()
	w.view("erna", "/", at(3).Add(-time.Minute), 9, sinks.Item{"country": sinks.Str("DE")})
	w.view("erna", "/thanks", at(3).Add(time.Minute), 10, sinks.Item{"country": sinks.Str("DE")})
	a := must[query.FilteredGoalsAnswer](t)(w.FilteredGoals(t.Context(), query.FilteredGoalsParams{Site: shop, From: at(3), To: now,
		FilterParams: query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions([]string{"country=DE"}))}}))
	if g := a.Totals.Goals[0]; *g.Conversions != 3 || *g.SessionsSince != 2 || *g.ConversionRate != 1 {
		t.Errorf("%d conversions of %d sessions: a rate of %v, want 3 of 2 and 1", *g.Conversions, *g.SessionsSince, *g.ConversionRate)
	}
}

// testFilteredGoalsTogether: goals that are read together with lists are those that are read alone, also of the earlier range.
func testFilteredGoalsTogether(t *testing.T, w *world) {
	w.reached()
	w.view("anna", "/thanks", at(3-24), 11, sinks.Item{"country": sinks.Str("DE")})
	where := must[[]query.Condition](t)(query.ParseConditions([]string{"country=DE"}))
	of := func(from time.Time) *query.FilteredGoalTotals {
		return must[query.FilteredGoalsAnswer](t)(w.FilteredGoals(t.Context(), query.FilteredGoalsParams{Site: shop, From: from,
			To: from.AddDate(0, 0, 1), FilterParams: query.FilterParams{Where: where}})).Totals
	}
	a := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), query.FilteredListsParams{Goals: true,
		FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: at(0), To: at(24), By: query.Day, Compare: true, Against: "2026-05-11",
			FilterParams: query.FilterParams{Where: where}}, Lists: []query.TopList{{Dimension: "page"}}}))
	if compact(t, a.Goals) != compact(t, of(at(0))) || compact(t, a.GoalsBefore) != compact(t, of(at(-24))) || a.GoalsBefore.Conversions != 1 {
		t.Errorf("together %s before %s,\nalone %s before %s", compact(t, a.Goals), compact(t, a.GoalsBefore), compact(t, of(at(0))),
			compact(t, of(at(-24))))
	}
}
