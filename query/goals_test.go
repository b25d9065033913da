package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// goal puts the item of a goal.
func (w *world) goal(site string, g sites.Goal, deleted bool) {
	w.t.Helper()
	it := sinks.Item{sinks.AttrSiteID: sinks.Str(site), sinks.AttrGoal: sinks.Str(g.ID), sinks.AttrGoalNumber: sinks.Int(int64(g.N)),
		sinks.AttrName: sinks.Str(g.Name), sinks.AttrRev: sinks.Int(7), sinks.AttrDefinition: sinks.Str(g.String())}
	if deleted {
		it[sinks.AttrDeleted] = sinks.Int(1)
	}
	w.put(w.keys.Goal(site, g.ID), time.Time{}, it)
}

// conversion puts the item of a conversion.
func (w *world) conversion(site string, n uint64, session string, when, ttl time.Time, tp sinks.TP, more sinks.Item) {
	w.t.Helper()
	ms := when.UnixMilli()
	it := sinks.Item{sinks.AttrSiteID: sinks.Str(site), sinks.AttrGoalNumber: sinks.Int(int64(n)), sinks.AttrSessionID: sinks.Str(session),
		sinks.AttrAt: sinks.Int(ms), "type": sinks.Str("page_view"), "source": sinks.Str("events/0/7"),
		sinks.AttrGSI1PK: sinks.Str(w.keys.GoalConversions(site, n, sinks.ShardOf(session, sinks.DefaultShards))),
		sinks.AttrGSI1SK: sinks.Str(sinks.SessionOrder(ms, session, tp))}
	for name, v := range more {
		it[name] = v
	}
	w.put(w.keys.Conversion(site, n, session, tp, sinks.DefaultShards), ttl, it)
}

var (
	page   = sites.Pattern{On: sites.OnPage, How: sites.MatchPrefix, Text: "/thanks"}
	bought = sites.Goal{ID: "bought", N: 2, Name: "Bought \x1b[31msomething", On: page, Value: new(int64(2_500_000))}
	stayed = sites.Goal{ID: "stayed", N: 3, DurationMs: 180_000, Inactive: true}
	gone   = sites.Goal{ID: "gone#1", N: 1, On: sites.Pattern{On: sites.OnEvent, Name: "signup"}}
)

// goals puts three goals of a site, one of which was deleted, and hours and a day with their sums. Goal 9 has no item.
func (w *world) goals(site string) {
	w.goal(site, bought, false)
	w.goal(site, stayed, false)
	w.goal(site, gone, true)
	hour := func(start time.Time, ttl time.Time, sessions int64, sums map[string]int64) {
		it := figures(10, 12, sessions)
		for name, n := range sums {
			it[name] = sinks.Int(n)
		}
		w.put(w.keys.HourStats(site, start.UnixMilli()), ttl, it)
	}
	hour(at(10), future, 8, map[string]int64{"conversions": 4, "g1": 1, "gv1": -500_000, "g2": 3, "gv2": 7_500_000})
	hour(at(11), future, 0, map[string]int64{"conversions": 2, "g2": 1, "gv2": 2_500_000, "g9": 1})
	hour(at(12), past, 5, map[string]int64{"conversions": 5, "g2": 5})
	hour(at(13), future, 2, nil)
}

func testGoals(t *testing.T, w *world) {
	w.site(shop, 16)
	w.goals(shop)
	w.goal("shop", sites.Goal{ID: "another site's", N: 1, DurationMs: 1}, false)
	var want []string
	for i := range 25 {
		id := fmt.Sprintf("many %02d", i)
		w.goal(shop, sites.Goal{ID: id, N: uint64(100 + i), DurationMs: 1}, i%5 == 4)
		if i%5 != 4 {
			want = append(want, id)
		}
	}
	want = append(append([]string{"bought"}, want...), "stayed")
	for _, desc := range []bool{false, true} {
		rows, _, _ := pages(t, 4, func(cursor string) ([]query.Goal, int, string, error) {
			a, err := w.Goals(t.Context(), query.GoalsParams{Site: shop, Paging: query.Paging{Limit: 4, Desc: desc, Cursor: cursor}})
			return a.Goals, 0, a.Cursor, err
		})
		var got []string
		for _, g := range rows {
			got = append(got, g.ID)
		}
		if desc {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("desc %v: goals %q, want %q", desc, got, want)
		}
	}
	a := must[query.GoalsAnswer](t)(w.Goals(t.Context(), query.GoalsParams{Site: shop, Deleted: true}))
	if len(a.Goals) != 28 || !a.SiteKnown {
		t.Errorf("%d goals with those that were deleted, want 28", len(a.Goals))
	}
	g := must[query.GoalAnswer](t)(w.Goal(t.Context(), query.GoalParams{Site: shop, Goal: "gone#1", Consistent: true}))
	if got, want := compact(t, g), `{"siteId":"shop#1","goalId":"gone#1","goal":{"goalId":"gone#1","number":1,"name":"","on":"name:signup",`+
		`"durationMs":0,"value":null,"active":true,"deleted":true,"revision":7,"since":null}}`; got != want {
		t.Errorf("goal:\n got %s\nwant %s", got, want)
	}
	g = must[query.GoalAnswer](t)(w.Goal(t.Context(), query.GoalParams{Site: shop, Goal: "never"}))
	if g.Goal != nil || !g.SiteKnown {
		t.Errorf("a goal that never was: %s, want null at a known site", compact(t, g))
	}
}

func testGoalStats(t *testing.T, w *world) {
	w.site(shop, 16)
	w.goals(shop)
	a := must[query.GoalStatsAnswer](t)(w.GoalStats(t.Context(), query.StatsParams{Site: shop, From: at(10), To: at(14), By: query.Hour}))
	if got, want := compact(t, a.Totals), `{"sessions":10,"conversions":6,"goals":[`+
		`{"goalId":"gone#1","number":1,"name":"","deleted":true,"conversions":1,"valueSum":"-0.5","conversionRate":0.1,"since":null,"sessionsSince":10,"conversionsSince":1},`+
		`{"goalId":"bought","number":2,"name":"Bought \u001b[31msomething","deleted":false,"conversions":4,"valueSum":"10","conversionRate":0.4,"since":null,"sessionsSince":10,"conversionsSince":4},`+
		`{"goalId":"stayed","number":3,"name":"","deleted":false,"conversions":0,"valueSum":"0","conversionRate":0,"since":null,"sessionsSince":10,"conversionsSince":0},`+
		`{"goalId":"","number":9,"name":"","deleted":true,"conversions":1,"valueSum":"0","conversionRate":0.1,"since":null,"sessionsSince":10,"conversionsSince":1}]}`; got != want {
		t.Errorf("totals:\n got %s\nwant %s", got, want)
	}
	if !a.SiteKnown || a.ExpiredOmitted != 1 {
		t.Errorf("site known %v, %d expired; want it known, and one expired", a.SiteKnown, a.ExpiredOmitted)
	}
	rows, _, _ := pages(t, 1, func(cursor string) ([]query.GoalBucket, int, string, error) {
		a, err := w.GoalStats(t.Context(), query.StatsParams{Site: shop, From: at(10), To: at(14), By: query.Hour, Paging: query.Paging{Limit: 1,
			Cursor: cursor}})
		return a.Buckets, 0, a.Cursor, err
	})
	var got []string
	for _, b := range rows {
		text := fmt.Sprintf("%02d: %d of %d", b.Start.Hour(), b.Conversions, b.Sessions)
		for _, g := range b.Goals {
			text += fmt.Sprintf(", %d %d %s", g.Number, g.Conversions, g.ValueSum)
			if (g.ConversionRate == nil) != (b.Sessions == 0) {
				t.Errorf("hour %v: rate %v of %d sessions", b.Start, g.ConversionRate, b.Sessions)
			}
		}
		got = append(got, text)
	}
	if want := []string{"10: 4 of 8, 1 1 -0.5, 2 3 7.5", "11: 2 of 0, 2 1 2.5, 9 1 0", "13: 0 of 2"}; !slices.Equal(got, want) {
		t.Errorf("hours %q, want %q", got, want)
	}
}

// Conversions of a range that ends within a day are those of its hours, and of the days before.
func testGoalTotals(t *testing.T, w *world) {
	w.site(shop, 16)
	w.goals(shop)
	yesterday := at(0).AddDate(0, 0, -1)
	it := figures(10, 12, 20)
	it["conversions"], it["g2"] = sinks.Int(30), sinks.Int(30)
	w.put(w.keys.DayStats(shop, yesterday.UnixMilli()), future, it)
	for _, test := range []struct {
		from, to time.Time
		want     string
	}{
		{at(10), at(11), "4 of 8, goal 1: 1, goal 2: 3, goal 3: 0"},
		{at(10), at(12), "6 of 8, goal 1: 1, goal 2: 4, goal 3: 0, goal 9: 1"},
		{yesterday, at(11), "34 of 28, goal 1: 1, goal 2: 33, goal 3: 0"},
	} {
		a := must[query.GoalTotals](t)(w.GoalTotals(t.Context(), query.GoalTotalsParams{Site: shop, From: test.from, To: test.to}))
		got := fmt.Sprintf("%d of %d", a.Conversions, a.Sessions)
		for _, g := range a.Goals {
			got += fmt.Sprintf(", goal %d: %d", g.Number, g.Conversions)
			if g.Conversions > a.Sessions && *g.ConversionRate != 1 { // Sessions of earlier days reach it as well.
				t.Errorf("%v to %v: goal %d has a rate of %v, want 1", test.from, test.to, g.Number, *g.ConversionRate)
			}
		}
		if got != test.want {
			t.Errorf("%v to %v: %s, want %s", test.from, test.to, got, test.want)
		}
	}
}

func testConversions(t *testing.T, w *world) {
	w.site(shop, 16)
	w.goals(shop)
	var want []string
	for i := range 40 {
		id, ttl := fmt.Sprintf("s%02d", i), future
		if i == 4 {
			ttl = past
		} else {
			want = append(want, id)
		}
		w.conversion(shop, 2, id, at(0).Add(time.Duration(i)*time.Minute), ttl, tp0, nil)
	}
	w.conversion(shop, 2, "s39", at(0).Add(39*time.Minute), future, tp1, nil) // As another partition saw it.
	want = append(want, "s39")
	w.conversion(shop, 1, "of another goal", at(1), future, tp0, nil)
	w.conversion("shop", 2, "of another site", at(1), future, tp0, nil)
	sessions := func(rows []query.Conversion) (ids []string) {
		for _, c := range rows {
			ids = append(ids, c.SessionID)
		}
		return ids
	}
	for _, desc := range []bool{false, true} {
		rows, expired, _ := pages(t, 7, func(cursor string) ([]query.Conversion, int, string, error) {
			a, err := w.Conversions(t.Context(), query.ConversionsParams{Site: shop, Goal: "bought", Paging: query.Paging{Limit: 7, Desc: desc,
				Cursor: cursor}})
			return a.Conversions, a.ExpiredOmitted, a.Cursor, err
		})
		got := sessions(rows)
		if desc {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) || expired != 1 {
			t.Errorf("desc %v: conversions of %q, %d expired; want %q, 1 expired", desc, got, expired, want)
		}
	}
	a := must[query.ConversionsAnswer](t)(w.Conversions(t.Context(), query.ConversionsParams{Site: shop, Goal: "bought",
		From: at(0).Add(2 * time.Minute), To: at(0).Add(6 * time.Minute)}))
	if got, want := sessions(a.Conversions), []string{"s02", "s03", "s05"}; !slices.Equal(got, want) || a.ExpiredOmitted != 1 {
		t.Errorf("conversions in [0:02, 0:06) of %q, %d expired; want %q, 1 expired", got, a.ExpiredOmitted, want)
	}
	a = must[query.ConversionsAnswer](t)(w.Conversions(t.Context(), query.ConversionsParams{Site: shop, Goal: "gone#1"}))
	if got, want := sessions(a.Conversions), []string{"of another goal"}; !slices.Equal(got, want) || !a.Goal.Deleted {
		t.Errorf("conversions of a deleted goal: %s, want those that it had", compact(t, a))
	}
	a = must[query.ConversionsAnswer](t)(w.Conversions(t.Context(), query.ConversionsParams{Site: shop, Goal: "never"}))
	if a.Goal != nil || !a.SiteKnown || len(a.Conversions) != 0 {
		t.Errorf("conversions of a goal that never was: %s, want none and no goal", compact(t, a))
	}
}

// TestCursorOfAGoalIsNotAnothers: nor of the goal that came after it under its id.
func TestCursorOfAGoalIsNotAnothers(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	w.goals(shop)
	for i := range 3 {
		w.conversion(shop, 2, fmt.Sprint("s", i), at(i), future, tp0, nil)
	}
	ask := func(cursor string) (query.ConversionsAnswer, error) {
		return w.Conversions(t.Context(), query.ConversionsParams{Site: shop, Goal: "bought", Paging: query.Paging{Limit: 1, Cursor: cursor}})
	}
	a := must[query.ConversionsAnswer](t)(ask(""))
	anew := bought
	anew.N = 10
	w.goal(shop, anew, false)
	if _, err := ask(a.Cursor); err == nil {
		t.Error("a cursor of the goal before was taken")
	}
	if a, err := ask(""); err != nil || len(a.Conversions) != 0 {
		t.Errorf("conversions of the new goal: %v, %v; want none", a.Conversions, err)
	}
}

// TestRatesOfGoalsAreOfSessionsSince: a goal that began within the range has the rate of whole hours since then, by hour, by day and in
// all, also in a zone whose days are not those of the site.
func TestRatesOfGoalsAreOfSessionsSince(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	began := bought
	began.Since = at(10).Add(20 * time.Minute).UnixMilli() // The hour from 10 on is in no rate.
	onTheHour := stayed
	onTheHour.Since = at(11).UnixMilli()
	w.goal(shop, began, false)
	w.goal(shop, onTheHour, false)
	days := make(map[int64]sinks.Item)
	for h := -30; h <= 40; h++ { // Each hour has 10 sessions, and each goal as many conversions as the hour has of the day.
		it := figures(10, 12, 10)
		reached := int64(0)
		if h >= 10 {
			reached = int64((h + 48) % 24)
		}
		for _, name := range []string{"g2", "g3"} {
			it[name] = sinks.Int(reached)
		}
		w.put(w.keys.HourStats(shop, at(h).UnixMilli()), future, it)
		day := at(h).Truncate(24 * time.Hour).UnixMilli()
		all := days[day]
		if all == nil {
			all = sinks.Item{}
			days[day] = all
		}
		for name, v := range it {
			if v.Kind() == sinks.Number {
				all[name] = sinks.Int(all[name].Int() + v.Int())
			}
		}
	}
	for day, it := range days {
		delete(it, sinks.AttrTTL)
		w.put(w.keys.DayStats(shop, day), future, it)
	}
	spell := func(goals []query.GoalFigures) (text string) {
		for _, g := range goals {
			text += fmt.Sprintf("%d: %d, %d of %d; ", g.Number, g.Conversions, g.ConversionsSince, g.SessionsSince)
		}
		return text
	}
	for _, c := range []struct {
		by       query.By
		zone     string
		from, to int
		buckets  []string
		totals   string
	}{
		{query.Hour, "UTC", 9, 12, []string{"2: 0, 0 of 0; 3: 0, 0 of 0; ",
			"2: 10, 0 of 0; 3: 10, 0 of 0; ", "2: 11, 11 of 10; 3: 11, 11 of 10; "},
			"2: 21, 11 of 10; 3: 21, 11 of 10; "},
		{query.Day, "UTC", -24, 48, []string{"2: 0, 0 of 0; 3: 0, 0 of 0; ", "2: 231, 221 of 130; 3: 231, 221 of 130; ",
			"2: 136, 136 of 170; 3: 136, 136 of 170; "}, "2: 367, 357 of 300; 3: 367, 357 of 300; "},
		{query.Day, "America/New_York", 4, 28, []string{"2: 237, 227 of 170; 3: 237, 227 of 170; "},
			"2: 237, 227 of 170; 3: 237, 227 of 170; "},
	} {
		a := must[query.GoalStatsAnswer](t)(w.GoalStats(t.Context(), query.StatsParams{Site: shop, From: at(c.from), To: at(c.to), By: c.by,
			Zone: location(t, c.zone)}))
		if len(a.Buckets) != len(c.buckets) {
			t.Fatalf("%s in %s: %d buckets, want %d", c.by, c.zone, len(a.Buckets), len(c.buckets))
		}
		for i, b := range a.Buckets {
			if got := spell(b.Goals); got != c.buckets[i] {
				t.Errorf("%s in %s: bucket %d: %s, want %s", c.by, c.zone, i, got, c.buckets[i])
			}
		}
		if got := spell(a.Totals.Goals); got != c.totals {
			t.Errorf("%s in %s: in all %s, want %s", c.by, c.zone, got, c.totals)
		}
	}
}
