package query_test

import (
	"fmt"
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
		{"goal=bought,stayed", 9, 9, 4, 5}, // Either.
		{"goal!=bought,stayed", 9, 0, 0, 0},
		{"goal=bought,stayed&goal=stayed", 9, 6, 2, 3},
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

// testGoalFiltersRefused: a goal that the site does not have, or that raw events cannot decide, is refused by name.
func testGoalFiltersRefused(t *testing.T, w *world) {
	w.reached()
	for where, says := range map[string]string{
		"goal=gone":        `where "goal=gone": site "shop#1" has no goal "gone": choose bought, late, stayed`,
		"goal=bougt":       `where "goal=bougt": site "shop#1" has no goal "bougt": did you mean bought? choose bought, late, stayed`,
		"goal=bought,gone": `where "goal=bought,gone": site "shop#1" has no goal "gone": choose bought, late, stayed`,
		"goal=late,rests":  `goal "rests" is inactive`,
		"goal=rest":        `where "goal=rest": site "shop#1" has no goal "rest": choose bought, late, stayed`, // Not rests, which is inactive.
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
	_, err := w.Sessions(t.Context(), query.SessionsParams{Site: shop, From: at(0), To: now,
		Where: must[[]query.Condition](t)(query.ParseConditions([]string{"goal=rest"}))})
	const says = `has no goal "rest": did you mean rests? choose bought, late, rests, stayed`
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("sessions by a goal that is not there: %v, want it to say %s", err, says)
	}
	w.site("other.example", 16)
	_, err = w.Sessions(t.Context(), query.SessionsParams{Site: "other.example", From: at(0), To: now,
		Where: must[[]query.Condition](t)(query.ParseConditions([]string{"goal=bought"}))})
	if err == nil || !strings.Contains(err.Error(), `site "other.example" has no goal "bought", nor any other to filter by: leave it out`) {
		t.Errorf("a goal of another site: %v", err)
	}
}

// testSessionsByGoal: sessions are listed by the goals that they have reached, inactive ones among them.
func testSessionsByGoal(t *testing.T, w *world) {
	w.reached()
	w.session(shop, "s1", at(3), future, tp0, "zoe", "") // It has reached the third goal.
	for where, n := range map[string]int{"goal=rests": 1, "goal!=rests": 0, "goal=bought": 0, "goal!=bought": 1, "goal=bought,rests": 1,
		"goal!=bought,rests": 0} {
		a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "zoe", From: at(0), To: now,
			Where: must[[]query.Condition](t)(query.ParseConditions([]string{where}))}))
		if len(a.Sessions) != n {
			t.Errorf("%s: %d sessions, want %d", where, len(a.Sessions), n)
		}
	}
}

// testFilteredOrder: filtered rows are sorted by rates, averages and sums of values, too: those without the figure come last, and there is
// no share.
func testFilteredOrder(t *testing.T, w *world) {
	w.reached()
	minute := func(n int) time.Time { return at(4).Add(time.Duration(n) * time.Minute) }
	w.view("fritz", "/", minute(0), 11, sinks.Item{"country": sinks.Str("IT")})
	w.view("fritz", "/", minute(30), 12, sinks.Item{"country": sinks.Str("IT"), "value": sinks.Str("-3")})
	w.view("gerd", "/", minute(0), 13, sinks.Item{"country": sinks.Str("IT")})
	w.view("hans", "/", minute(0), 14, sinks.Item{"country": sinks.Str("ES"), "value": sinks.Str("100")})
	w.view("fritz", "/", minute(31), 15, sinks.Item{"country": sinks.Str("AT")}) // The session is not of this country.
	for _, c := range []struct {
		sort  string
		least int
		want  string
	}{{"bounceRate", 0, "ES DE IT FR AT"}, {"avgDurationMs", 0, "IT DE FR ES AT"}, {"valueSum", 0, "ES DE FR AT IT"},
		{"conversionRate", 0, "DE FR IT ES AT"}, {"bounceRate", 1, "ES DE IT FR"}, {"avgDurationMs", 2, "IT DE"}, {"conversionRate", 3, ""}} {
		sort, want := c.sort, c.want
		p := query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions([]string{"country!=XX"}))}
		a := must[query.FilteredTopAnswer](t)(w.FilteredTop(t.Context(), query.FilteredTopParams{Site: shop, From: at(3), To: now,
			Dimension: "country", Sort: sort, MinCount: c.least, FilterParams: p}))
		var got []string
		for _, row := range a.Rows {
			if got = append(got, row.Value); row.Share != nil {
				t.Errorf("by %s: %s has the share %v, want none", sort, row.Value, *row.Share)
			}
		}
		if strings.Join(got, " ") != want || a.Values != len(got) || a.MinCount != c.least || a.Totals.Events != 12 {
			t.Errorf("by %s of at least %d: %v of %d, want %s; %s, %+v", sort, c.least, got, a.Values, want, compact(t, a.Rows), a.Totals)
		}
	}
	// The rate of a goal that is younger than the range is not known, and the number of sessions is.
	late := query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions([]string{"goal=late"}))}
	for least, want := range []int{1, 1, 1, 0} {
		a := must[query.FilteredTopAnswer](t)(w.FilteredTop(t.Context(), query.FilteredTopParams{Site: shop, From: at(3), To: now,
			Dimension: "country", Sort: "conversionRate", MinCount: least, FilterParams: late}))
		if len(a.Rows) != want || want > 0 && a.Rows[0].ConversionRate != nil {
			t.Errorf("by a rate that is not known, of at least %d: %s, want %d rows", least, compact(t, a.Rows), want)
		}
	}
	_, err := w.FilteredTop(t.Context(), query.FilteredTopParams{Site: shop, From: at(3), To: now, Dimension: "page", Sort: "bounceRate"})
	if err == nil || !strings.Contains(err.Error(), "unknown, because the dimension or a filter selects events") {
		t.Errorf("pages of events by bounce rate: %v", err)
	}
}

// testFilteredConversions: rows have the conversions of their sessions, and under a filter by a goal those of this goal, with the rate of
// the sessions that pass the other filters.
func testFilteredConversions(t *testing.T, w *world) {
	w.reached()
	for _, c := range []struct{ where, sort, goals, rows, totals string }{
		{"country!=XX", "conversions", `["bought","stayed","late"]`,
			`[["DE",4,2,2,1,"11"],["FR",1,1,1,1,"1"]]`, `["",5,3,3,1,"12"]`},
		{"goal=bought", "conversionValue", `["bought"]`, `[["DE",2,2,2,1,"6.5"],["FR",1,1,1,1,"1"]]`, `["",3,3,3,1,"7.5"]`},
		{"goal=stayed", "sessions", `["stayed"]`, `[["DE",1,1,2,0.5,"0.5"]]`, `["",1,1,3,0.333333,"0.5"]`},
		{"goal=late", "sessions", `["late"]`, `[["DE",1,1,2,null,"4"]]`, `["",1,1,3,null,"4"]`}, // It began in the range.
		{"goal=stayed&country=FR", "sessions", `["stayed"]`, `[]`, `["",0,0,1,0,"0"]`},
		{"goal!=stayed&country=DE", "sessions", `["bought","stayed","late"]`, `[["DE",2,1,1,1,"8"]]`, `["",2,1,1,1,"8"]`},
		{"page=/thanks", "events", `[]`, `[["DE",null,null,null,null,null],["FR",null,null,null,null,null]]`, `["",null,null,null,null,null]`},
	} {
		p := query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions(strings.Split(c.where, "&")))}
		a := must[query.FilteredTopAnswer](t)(w.FilteredTop(t.Context(), query.FilteredTopParams{Site: shop, From: at(3), To: now,
			Dimension: "country", Sort: c.sort, FilterParams: p}))
		list := func(value string, c query.FilteredConversions) []any {
			return []any{value, c.Conversions, c.ConvertedSessions, c.EligibleSessions, c.ConversionRate, c.ConversionValue}
		}
		rows := [][]any{}
		for _, row := range a.Rows {
			rows = append(rows, list(row.Value, row.FilteredConversions))
		}
		if compact(t, rows) != c.rows || compact(t, a.Goals) != c.goals || compact(t, list("", a.Totals.FilteredConversions)) != c.totals ||
			a.Values != len(rows) {
			t.Errorf("%s: %d values, %s of %s, in all %s\nwant %s of %s, in all %s", c.where, a.Values, compact(t, rows), compact(t, a.Goals),
				compact(t, list("", a.Totals.FilteredConversions)), c.rows, c.goals, c.totals)
		}
		together := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), query.FilteredListsParams{
			FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: at(3), To: now, By: query.Hour, FilterParams: p},
			Lists:               []query.TopList{{Dimension: "country", Sort: c.sort}}}))
		if have := together.Lists[0].FilteredTopAnswer; compact(t, have.Rows) != compact(t, a.Rows) || compact(t, have.Goals) != c.goals {
			t.Errorf("%s: together %s of %s, alone %s", c.where, compact(t, have.Rows), compact(t, have.Goals), compact(t, a.Rows))
		}
	}
}

// testMissedValues: sessions that miss the goal of a filter take no rows, and count in the rates of the rows that are there.
func testMissedValues(t *testing.T, w *world) {
	w.reached()
	for i := range 5 {
		city := sinks.Item{"city": sinks.Str(fmt.Sprint("city ", i)), "country": sinks.Str("DE")}
		w.view(fmt.Sprint("missed ", i), fmt.Sprint("/", i), at(4).Add(time.Duration(i)*time.Minute), 20+i, city)
		if i == 0 {
			w.view(fmt.Sprint("bought ", i), "/thanks", at(5), 30, city)
		}
	}
	query.BoundFilterValues(t, 5)
	p := query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions([]string{"goal=bought"}))}
	lists := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), query.FilteredListsParams{
		FilteredStatsParams: query.FilteredStatsParams{Site: shop, From: at(4), To: now, By: query.Hour, FilterParams: p},
		Lists:               []query.TopList{{Dimension: "city"}, {Dimension: "page"}, {Dimension: "entry"}}}))
	for i, want := range []string{`["city 0",1,2]`, `["/thanks",2,null]`, `["/thanks",2,2]`} {
		l := lists.Lists[i]
		if l.Refused != nil || len(l.Rows) != 1 {
			t.Errorf("%s: %v, %+v; want one row", l.Dimension, l.Refused, l.Rows)
			continue
		}
		row := l.Rows[0]
		if have := compact(t, []any{row.Value, row.Events, row.EligibleSessions}); have != want || *l.Totals.EligibleSessions != 7 {
			t.Errorf("%s: %s of %d, want %s of 7", l.Dimension, have, *l.Totals.EligibleSessions, want)
		}
		a, err := w.FilteredTop(t.Context(), query.FilteredTopParams{Site: shop, From: at(4), To: now, Dimension: l.Dimension, FilterParams: p})
		if err != nil || compact(t, a.Rows) != compact(t, l.Rows) || compact(t, a.Totals) != compact(t, l.Totals) {
			t.Errorf("%s alone: %v, %s, want %s", l.Dimension, err, compact(t, a.Rows), compact(t, l.Rows))
		}
	}
}
