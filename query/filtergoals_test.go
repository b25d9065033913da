package query_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// testGoalFilters: a filter by a goal selects sessions that reach it within the range, with all of their events.
func testGoalFilters(t *testing.T, w *world) {
	w.reached()
	w.view("eve", "/", at(3).Add(59*time.Minute), 9, sinks.Item{"country": sinks.Str("DE")})
	w.view("eve", "/thanks", at(3).Add(61*time.Minute), 10, sinks.Item{"country": sinks.Str("DE")})
	for _, c := range []struct {
		where                      string
		hours                      int
		events, sessions, visitors int64
	}{
		{"goal=bought", 9, 8, 4, 4},  // Not dora, who reached it before the range.
		{"goal=bought", 1, 5, 2, 2},  // Not eve, who reaches it after the range.
		{"goal!=bought", 1, 2, 1, 2}, // dora, whose session began before, and eve
		{"goal!=bought", 9, 1, 0, 1},
		{"goal=stayed", 9, 6, 2, 3}, // anna, eve, and dora, whose session began before and reaches it in the range
		{"goal=late", 9, 3, 2, 2},   // Earlier events do not reach it.
		{"goal=bought&goal=stayed", 9, 5, 2, 2},
		{"goal=bought&country=FR", 9, 1, 1, 1}, // bert, with the event that passes
		{"goal=bought&entry=/", 9, 5, 2, 2},
		{"goal!=bought&exit=/thanks", 9, 1, 0, 1},
	} {
		p := query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions(strings.Split(c.where, "&")))}
		to := at(3 + c.hours)
		a := must[query.FilteredStatsAnswer](t)(w.FilteredStats(t.Context(), query.FilteredStatsParams{Site: shop, From: at(3), To: to,
			By: query.Hour, FilterParams: p}))
		f := a.Totals
		if f.Events != c.events || int64(f.UniqueVisitors) != c.visitors || f.Sessions == nil || *f.Sessions != c.sessions ||
			a.Filter.Source != query.FromEvents || a.Filter.Scope != query.ScopeSessions {
			t.Errorf("%s, %d hours: %s of %+v, want %+v", c.where, c.hours, compact(t, f), a.Filter, c)
		}
		goals := must[query.FilteredGoalsAnswer](t)(w.FilteredGoals(t.Context(), query.FilteredGoalsParams{Site: shop, From: at(3), To: to,
			FilterParams: p}))
		if *goals.Totals.Sessions != c.sessions {
			t.Errorf("%s, %d hours: goals are of %d sessions, want %d", c.where, c.hours, *goals.Totals.Sessions, c.sessions)
		}
		if c.where == "goal=bought" && *goals.Totals.Goals[0].Conversions != c.visitors {
			t.Errorf("%s, %d hours: %d conversions, want those of all %d visits", c.where, c.hours, *goals.Totals.Goals[0].Conversions, c.visitors)
		}
	}
}

// testGoalFiltersRefused: a goal that the site does not have, or of which raw events do not say who has reached it, is refused by name.
func testGoalFiltersRefused(t *testing.T, w *world) {
	w.reached()
	for where, says := range map[string]string{
		"goal=gone": `where "goal=gone": site "shop#1" has no goal "gone": choose bought, late, rests, stayed`,
		"goal=bougt": `where "goal=bougt": site "shop#1" has no goal "bougt": did you mean bought? choose bought, late, rests, ` +
			`stayed`,
		"goal!=rests": `where "goal!=rests": goal "rests" is inactive, and raw events do not say what reached it while it was active: choose ` +
			`another goal`,
		"goal^=b": `where "goal^=b": goals are compared as a whole: write goal=ID, or goal!=ID`,
	} {
		for _, estimate := range []bool{false, true} {
			if _, err := w.filtered(t.Context(), query.FilterParams{EstimateOnly: estimate}, where); err == nil ||
				!strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "breakdowns") {
				t.Errorf("%s: %v, want it to say %s", where, err, says)
			}
		}
	}
	w.site("other.example", 16)
	_, err := w.Sessions(t.Context(), query.SessionsParams{Site: "other.example", From: at(0), To: now,
		Where: must[[]query.Condition](t)(query.ParseConditions([]string{"goal=bought"}))})
	if err == nil || !strings.Contains(err.Error(), `site "other.example" has no goal "bought", nor any other: leave it out`) {
		t.Errorf("a goal of another site: %v", err)
	}
}

// testSessionsByGoal: sessions are listed by the goals that they have reached, inactive ones among them.
func testSessionsByGoal(t *testing.T, w *world) {
	w.reached()
	w.session(shop, "s1", at(3), future, tp0, "zoe", "") // It has reached the third goal.
	for where, n := range map[string]int{"goal=rests": 1, "goal!=rests": 0, "goal=bought": 0, "goal!=bought": 1} {
		a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "zoe", From: at(0), To: now,
			Where: must[[]query.Condition](t)(query.ParseConditions([]string{where}))}))
		if len(a.Sessions) != n {
			t.Errorf("%s: %d sessions, want %d", where, len(a.Sessions), n)
		}
	}
}
