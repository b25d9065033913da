package query_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

func TestConditionsAreReadAsWritten(t *testing.T) {
	for text, want := range map[string]query.Condition{
		"country=DE":               {Dimension: "country", Op: query.Is, Values: []string{"DE"}},
		"browser!=Chrome":          {Dimension: "browser", Op: query.IsNot, Values: []string{"Chrome"}},
		"referrer~=google":         {Dimension: "referrer", Op: query.Contains, Values: []string{"google"}},
		"page^=/docs/?a=b!=c":      {Dimension: "page", Op: query.Begins, Values: []string{"/docs/?a=b!=c"}},
		"page==cmd()":              {Dimension: "page", Op: query.Is, Values: []string{"=cmd()"}},
		"property:plan>x=pro":      {Dimension: "property:plan>x", Op: query.Is, Values: []string{"pro"}},
		"country=":                 {Dimension: "country", Op: query.Is, Values: []string{""}},
		"referrer!=":               {Dimension: "referrer", Op: query.IsNot, Values: []string{""}},
		"type= page view ":         {Dimension: "type", Op: query.Is, Values: []string{" page view "}},
		"event=" + maximum("a", 0): {Dimension: "event", Op: query.Is, Values: []string{maximum("a", 0)}},
	} {
		if have, err := query.ParseCondition(text); err != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%q is %+v, %v; want %+v", text, have, err, want)
		}
	}
	for text, says := range map[string]string{
		"country": "no operator", "": "no operator",
		"=DE": "no dimension", "contry=DE": "did you mean country", "Country=DE": "did you mean country?",
		"country~=": "the value is empty", "page^=": "the value is empty", "type=": "the value is empty", "goal!=": "the value is empty", "country>=DE": `">=" is no operator`, "country!!=DE": "no operator",
		"property:=x": "the property is missing", "page=\xff": "UTF-8", "page^=" + maximum("a", 1): "257 bytes",
		"page=" + strings.Repeat("a", 2048): "2048 bytes",
	} {
		_, err := query.ParseCondition(text)
		if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Param != "where" || !strings.Contains(err.Error(), says) ||
			len(err.Error()) > 400 {
			t.Errorf("%.40q: %v, want that %s", text, err, says)
		}
	}
}

// maximum is the longest value of a filter, and so many bytes more.
func maximum(s string, more int) string { return strings.Repeat(s, query.MaxConditionBytes+more) }

// filtered asks for the figures of two days of the shop.
func (w *world) filtered(ctx context.Context, p query.FilterParams, where ...string) (query.FilteredStatsAnswer, error) {
	var err error
	if p.Where, err = query.ParseConditions(where); err != nil {
		return query.FilteredStatsAnswer{}, err
	}
	return w.FilteredStats(ctx, query.FilteredStatsParams{Site: shop, From: at(0).Truncate(24 * time.Hour), To: now, By: query.Day,
		FilterParams: p})
}

// browsed puts two sessions and a visit, whose country and page differ.
func (w *world) browsed() {
	w.site(shop, 16)
	of := func(country, browser string) sinks.Item {
		return sinks.Item{"country": sinks.Str(country), "browser": sinks.Str(browser)}
	}
	minute := func(n int) time.Time { return at(3).Add(time.Duration(n) * time.Minute) }
	w.view("anna", "/docs/a", minute(0), 1, of("DE", "Chrome"))
	w.view("anna", "/shop", minute(4), 2, of("DE", "Chrome"))
	w.view("anna", "/docs/b", minute(60), 3, of("DE", "Chrome")) // Another visit.
	w.view("bert", "/docs/a", minute(1), 4, of("FR", "Chrome"))
	w.view("cleo", "/", minute(2), 5, of("DE", "Firefox"))
}

func testFilteredStats(t *testing.T, w *world) {
	w.browsed()
	for _, c := range []struct {
		where             []string
		scope             query.Scope
		views             int64
		visitors          uint64
		sessions, bounces int64
	}{
		{[]string{"country=DE"}, query.ScopeSessions, 4, 2, 3, 2},
		{[]string{"country!=DE"}, query.ScopeSessions, 1, 1, 1, 1},
		{[]string{"country=DE", "browser~=rom"}, query.ScopeSessions, 3, 1, 2, 1},
		{[]string{"page^=/docs/"}, query.ScopeEvents, 3, 2, -1, -1},
		{[]string{"page^=/docs/", "country=DE"}, query.ScopeEvents, 2, 1, -1, -1},
		{[]string{"referrer="}, query.ScopeSessions, 5, 3, 4, 3},
		{[]string{"region=", "country!=DE"}, query.ScopeSessions, 1, 1, 1, 1},
		{[]string{"country="}, query.ScopeSessions, 0, 0, 0, 0},
		{[]string{"country!="}, query.ScopeSessions, 5, 3, 4, 3},
		{[]string{"country^=XX"}, query.ScopeSessions, 0, 0, 0, 0},
		{[]string{"country=FR,DE"}, query.ScopeSessions, 5, 3, 4, 3},
		{[]string{"country=FR,DE", "browser=Firefox,Safari"}, query.ScopeSessions, 1, 1, 1, 1},
		{[]string{"country!=FR,DE"}, query.ScopeSessions, 0, 0, 0, 0},
		{[]string{`referrer="",x`, "country=FR,XX"}, query.ScopeSessions, 1, 1, 1, 1},
		{[]string{"page=/shop,/"}, query.ScopeEvents, 2, 2, -1, -1},
		{[]string{"page^=/docs/,/s"}, query.ScopeEvents, 4, 2, -1, -1},
		{[]string{"entry=/,/shop"}, query.ScopeSessions, 1, 1, 1, 1},
		{[]string{"exit!=/,/shop"}, query.ScopeSessions, 2, 2, 2, 2},
	} {
		a := must[query.FilteredStatsAnswer](t)(w.filtered(t.Context(), query.FilterParams{Exact: true}, c.where...))
		f := a.Totals
		if f.PageViews != c.views || f.UniqueVisitors != c.visitors || a.Filter.Scope != c.scope || a.Filter.Cost.EventsRead != 5 {
			t.Errorf("%v: %+v of %+v, want %d views, %d visitors", c.where, f, a.Filter, c.views, c.visitors)
		}
		if c.sessions < 0 {
			if f.Sessions != nil || f.BounceRate != nil || f.Engaged != nil {
				t.Errorf("%v: figures of sessions are known: %+v", c.where, f)
			}
		} else if *f.Sessions != c.sessions || *f.Bounces != c.bounces {
			t.Errorf("%v: %d sessions, %d bounces; want %d, %d", c.where, *f.Sessions, *f.Bounces, c.sessions, c.bounces)
		}
	}
}

// testFilteredRows: breakdowns answer several values by their rows: sums of those of each, and visitors once.
func testFilteredRows(t *testing.T, w *world) {
	w.site(shop, 16)
	of := func(b *sketch.Breakdown, country string, visitors ...uint64) {
		for _, v := range visitors {
			b.Event(sketch.Country, country, 0, sketch.Hit{Visitor: v * 0x9e3779b97f4a7c15, PageView: true})
		}
		b.Book(sketch.Country, country, 0, sketch.Booking{Sessions: 1, Bounces: int64(len(visitors)) % 2})
	}
	w.breakdown(shop, at(3), future, tp0, 10, func(b *sketch.Breakdown) {
		of(b, "DE", 1, 2, 3)
		of(b, "AT", 3, 4)
		of(b, "a,b", 5)
	})
	w.breakdown(shop, at(4), future, tp0, 1, func(b *sketch.Breakdown) { // The row of FR leaves, and what it had is in no row.
		of(b, "FR", 6)
		of(b, "DE", 1, 7)
	})
	ask := func(where string) *query.FilteredFigures {
		t.Helper()
		a := must[query.FilteredStatsAnswer](t)(w.filtered(t.Context(), query.FilterParams{}, where))
		p := query.FilteredUniquesParams{Site: shop, From: at(0).Truncate(24 * time.Hour), To: now}
		p.Where = must[[]query.Condition](t)(query.ParseConditions([]string{where}))
		uniques := must[query.FilteredUniquesAnswer](t)(w.FilteredUniques(t.Context(), p))
		if a.Filter.Source != query.FromBreakdowns || compact(t, uniques.Totals) != compact(t, a.Totals) {
			t.Errorf("%s: %s of %+v, uniques say %s", where, compact(t, a.Totals), a.Filter, compact(t, uniques.Totals))
		}
		return a.Totals
	}
	de, at, strange, none := ask("country=DE"), ask("country=AT"), ask(`country="a,b"`), ask("country=XX")
	for where, parts := range map[string][]*query.FilteredFigures{"country=DE,AT": {de, at}, `country=AT,"a,b"`: {at, strange},
		"country=XX,DE": {none, de}} {
		a, want := ask(where), query.FilteredFigures{}
		var sessions, bounces int64
		for _, p := range parts {
			want.Events, want.PageViews, want.Uncertain = want.Events+p.Events, want.PageViews+p.PageViews, want.Uncertain+p.Uncertain
			sessions, bounces = sessions+*p.Sessions, bounces+*p.Bounces
		}
		if a.Events != want.Events || a.PageViews != want.PageViews || a.Uncertain != want.Uncertain || *a.Sessions != sessions ||
			*a.Bounces != bounces {
			t.Errorf("%s: %s, want the sums %+v, %d sessions, %d bounces", where, compact(t, a), want, sessions, bounces)
		}
	}
	if a := ask("country=DE,AT"); a.Events != 7 || a.UniqueVisitors != 5 || a.Uncertain != 2 || de.UniqueVisitors+at.UniqueVisitors != 6 {
		t.Errorf("either of two: %s, want 7 events of 5 visitors, and 2 at most that lack; each: %s, %s", compact(t, a), compact(t, de),
			compact(t, at))
	}
}

func testFilteredRefused(t *testing.T, w *world) {
	w.browsed()
	_, err := w.filtered(t.Context(), query.FilterParams{}, "country=DE", "page^=/docs/", "country=DE")
	if wrong, ok := errors.AsType[*query.ParamError](err); !ok || !strings.Contains(wrong.Error(), "twice") {
		t.Errorf("a filter twice: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	_, err = w.filtered(t.Context(), query.FilterParams{Exact: true, OnEstimate: func(c query.FilterCost) error {
		stop()
		return stopped.Err()
	}}, "country=DE")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("OnEstimate refuses: %v", err)
	}
	estimate := must[query.FilteredStatsAnswer](t)(w.filtered(t.Context(), query.FilterParams{EstimateOnly: true}, "country~=D"))
	if estimate.Totals != nil || estimate.Filter.Cost.EventsRead != 0 || estimate.Filter.Cost.ReadUnitsEstimated <= 0 {
		t.Errorf("an estimate has read: %+v", estimate)
	}
	if a, err := w.filtered(t.Context(), query.FilterParams{}, "country!="); err != nil || a.Filter.Source != query.FromEvents {
		t.Errorf("what has a value: %+v, %v", a, err)
	}
	if a, err := w.filtered(t.Context(), query.FilterParams{}, "country="); err != nil || a.Filter.Source != query.FromEvents {
		t.Errorf("what has no value: %+v, %v", a, err)
	}
	w.chain(0, false, false, 30)
	_, err = w.filtered(t.Context(), query.FilterParams{}, "country=DE", "page=/docs/a")
	refused, ok := errors.AsType[*query.FilterError](err)
	_, raw := errors.AsType[*query.RawEventsError](err)
	if !ok || !raw || !strings.Contains(refused.Error(), "each alone: country=DE or page=/docs/a") {
		t.Errorf("without raw events: %v", err)
	}
	if a, err := w.filtered(t.Context(), query.FilterParams{}, "country=DE"); err != nil || a.Filter.Source != query.FromBreakdowns {
		t.Errorf("one filter without raw events: %+v, %v", a, err)
	}
}
