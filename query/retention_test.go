package query_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/retention"
	"github.com/footfall/footfall/sinks"
)

// testRetention: weeks are exact where all of their new visitors are followed, and unknown elsewhere. The answer begins with the first one
// that is known to have new visitors. now is a Tuesday, 12 May 2026.
func testRetention(t *testing.T, w *world) {
	day := func(date string, ttl time.Time, isNew int64, returns ...int64) {
		start, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		it := sinks.Item{sinks.AttrEvents: sinks.Int(9), sinks.AttrEntity: sinks.Str(sinks.EntityStats), sinks.AttrNewVisitors: sinks.Int(isNew)}
		for weeks, n := range returns {
			it[sinks.AttrReturns(weeks)] = sinks.Int(n)
		}
		w.put(w.keys.DayStats(shop, start.UnixMilli()), ttl, it)
	}
	day("2026-04-13", past, 50, 50)
	day("2026-04-14", future, 1, 1)
	day("2026-04-20", future, 8, 7) // One of them was new before weeks were kept.
	day("2026-04-27", future, 6, 6, 1)
	day("2026-05-03", future, 4, 4, 2, -1) // A correction.
	day("2026-05-05", future, 0, 0, 5, 3)
	day("2026-05-11", future, 2, 2, 0, 4)
	day("2026-05-12", future, 1, 1, 0, 1)
	ask := func(p retention.Params) query.RetentionAnswer {
		t.Helper()
		p.Site = shop
		return must[query.RetentionAnswer](t)(w.Retention(t.Context(), p))
	}
	whole := retention.Params{From: time.Date(2026, 4, 13, 0, 0, 0, 0, time.UTC)}
	is := func(what string, a query.RetentionAnswer, want string) {
		t.Helper()
		if got := cohortsText(a); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	is("not counted", ask(whole), "")
	w.rules(shop, &sites.Rules{NewVisitors: true})
	is("counted", ask(whole), "0420 8: ? ? ?; 0427 10: 5 5; 0504 0: 0; 0511 3:")
	is("whole weeks", ask(retention.Params{From: whole.From.AddDate(0, 0, 13), To: time.Date(2026, 5, 10, 0, 0, 0, 0, time.UTC)}), "0427 10:")
	a := ask(retention.Params{})
	is("by default", a, "0420 8: ? ? ?; 0427 10: 5 5; 0504 0: 0; 0511 3:")
	if from := time.Date(2026, 2, 16, 0, 0, 0, 0, time.UTC); !a.From.Equal(from) || !a.Cohorts[3].InProgress {
		t.Errorf("by default from %v, the last week in progress: %v; want %v, and the running week", a.From, a.Cohorts[3].InProgress, from)
	}
	since := time.Date(2026, 4, 29, 0, 0, 0, 0, time.UTC)
	w.rules(shop, &sites.Rules{NewVisitors: true, NewVisitorsSince: since.UnixMilli()})
	a = ask(whole)
	is("since", a, "0511 3:")
	if a.Since == nil || !a.Since.Equal(since) {
		t.Errorf("since %v, want %v", a.Since, since)
	}
	for _, p := range []retention.Params{{Site: shop, By: query.Month}, {Site: shop, From: now.AddDate(-3, 0, 0)}, {From: whole.From}} {
		_, err := w.Retention(t.Context(), p)
		if _, ok := errors.AsType[*query.ParamError](err); !ok {
			t.Errorf("%+v: %v, want a ParamError", p, err)
		}
	}
}

// testRetentionOfDeletedDays: of a week whose first days the table has deleted, nothing is known.
func testRetentionOfDeletedDays(t *testing.T, w *world) {
	w.rules(shop, &sites.Rules{NewVisitors: true})
	for _, date := range []string{"2026-04-25", "2026-04-27", "2026-05-05"} { // Days are kept for 20 days. It is 12 May.
		start := must[time.Time](t)(time.Parse(time.DateOnly, date))
		w.put(w.keys.DayStats(shop, start.UnixMilli()), start.AddDate(0, 0, 20), sinks.Item{sinks.AttrEvents: sinks.Int(9),
			sinks.AttrEntity: sinks.Str(sinks.EntityStats), sinks.AttrNewVisitors: sinks.Int(2), sinks.AttrReturns(0): sinks.Int(2)})
	}
	a := must[query.RetentionAnswer](t)(w.Retention(t.Context(), retention.Params{Site: shop}))
	if got, want := cohortsText(a), "0427 2: 0 0; 0504 2: 0; 0511 0:"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// cohortsText spells the cohorts of an answer.
func cohortsText(a query.RetentionAnswer) (s string) {
	number := func(n *int64) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	for i, c := range a.Cohorts {
		if i > 0 {
			s += "; "
		}
		s += c.Start.Format("0102") + " " + number(c.NewVisitors) + ":"
		for _, l := range c.Later {
			s += " " + number(l.Visitors)
		}
	}
	return s
}
