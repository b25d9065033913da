package query_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// landed puts sessions whose entry and exit pages differ: one begins with an event that views no page, one views none at all.
func (w *world) landed() {
	w.site(shop, 16)
	minute := func(n int) time.Time { return at(3).Add(time.Duration(n) * time.Minute) }
	signup := sinks.Item{"type": sinks.Str("signup"), "value": sinks.Str("2.5")}
	w.view("anna", "/shop", minute(0), 1, signup)
	w.view("anna", "/docs/", minute(1), 2, nil)
	w.view("anna", "/shop", minute(2), 3, nil)
	w.view("bert", "/docs/", minute(3), 4, nil)
	w.view("bert", "/docs/", minute(4), 5, nil)
	w.view("cleo", "/shop", minute(5), 6, nil)
	w.view("cleo", "/shop", minute(6), 7, signup)
	w.view("cleo", "/docs/", minute(60), 8, nil) // Another visit.
	w.view("dora", "/docs/", minute(7), 9, signup)
}

// testLandings: filters by the entry and exit page select sessions with all of their events, also those before the page view.
func testLandings(t *testing.T, w *world) {
	w.landed()
	for _, c := range []struct {
		where                    string
		events, views, visitors  int64
		sessions, bounces, value string
	}{
		{"entry=/docs/", 6, 5, 3, "3", "1", "2.5"}, // anna, bert, and the second visit of cleo
		{"entry!=/docs/", 3, 1, 2, "2", "0", "5"},  // cleo, and dora who views no page
		{"entry^=/sh", 2, 1, 1, "1", "0", "2.5"},   // cleo
		{"exit=/docs/", 3, 3, 2, "2", "1", "0"},    // bert, and the second visit of cleo
		{"exit~=shop", 5, 3, 2, "2", "0", "5"},     // anna, cleo
		{"exit!=/docs/", 6, 3, 3, "3", "0", "7.5"}, // dora as well
		{"entry=/docs/&exit=/shop", 3, 2, 1, "1", "0", "2.5"},
		{"entry=/docs/&page=/shop", 2, 1, 1, "", "", "2.5"}, // of anna
		{"exit=/shop&type=signup", 2, 0, 2, "", "", "5"},
		{"entry=/none", 0, 0, 0, "0", "0", "0"},
	} {
		where := must[[]query.Condition](t)(query.ParseConditions(strings.Split(c.where, "&")))
		a := must[query.FilteredStatsAnswer](t)(w.filtered(t.Context(), query.FilterParams{}, strings.Split(c.where, "&")...))
		f := a.Totals
		if f.Events != c.events || f.PageViews != c.views || int64(f.UniqueVisitors) != c.visitors || text(f.Sessions) != c.sessions ||
			text(f.Bounces) != c.bounces || *f.ValueSum != c.value || a.Filter.Source != query.FromEvents ||
			a.Filter.Scope != query.ScopeOf(where) {
			t.Errorf("%s: %s of %+v, want %+v", c.where, compact(t, f), a.Filter, c)
		}
		top := must[query.FilteredTopAnswer](t)(w.FilteredTop(t.Context(), query.FilteredTopParams{Site: shop, Dimension: "page", From: at(0),
			To: now, FilterParams: query.FilterParams{Where: where}}))
		events := int64(0)
		for _, row := range top.Rows {
			events += row.Events
		}
		if events != c.events {
			t.Errorf("%s: rows have %d events, want %d", c.where, events, c.events)
		}
	}
}

// text spells a number that may be unknown.
func text(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// testSessionsByLanding: sessions are listed by their entry and exit page.
func testSessionsByLanding(t *testing.T, w *world) {
	w.site(shop, 16)
	w.session(shop, "s1", at(3), future, tp0, "anna", "")
	for where, n := range map[string]int{"entry=/": 1, "entry=/cart": 0, "exit=/cart": 1, "exit!=/cart": 0} {
		a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "anna", From: at(0), To: now,
			Where: must[[]query.Condition](t)(query.ParseConditions([]string{where}))}))
		if len(a.Sessions) != n {
			t.Errorf("%s: %d sessions, want %d", where, len(a.Sessions), n)
		}
	}
}

// testLandedRows: rows by the entry and exit page count sessions, with their events that pass, also those before the page view.
func testLandedRows(t *testing.T, w *world) {
	w.landed()
	for _, c := range []struct{ dimension, where, rows, none string }{ // value, events, page views, visitors, sessions, bounces, value sum
		{"entry", "country!=XX", `[["/docs/",6,5,3,3,1,"2.5"],["/shop",2,1,1,1,0,"2.5"]]`, `["",1,0,1,1,0,"2.5"]`},
		{"exit", "country!=XX", `[["/shop",5,3,2,2,0,"5"],["/docs/",3,3,2,2,1,"0"]]`, `["",1,0,1,1,0,"2.5"]`},
		{"exit", "entry=/docs/", `[["/docs/",3,3,2,2,1,"0"],["/shop",3,2,1,1,0,"2.5"]]`, `null`},
		{"entry", "exit!=/docs/", `[["/docs/",3,2,1,1,0,"2.5"],["/shop",2,1,1,1,0,"2.5"]]`, `["",1,0,1,1,0,"2.5"]`},
		{"entry", "page=/shop", `[["/docs/",2,1,1,null,null,"2.5"],["/shop",2,1,1,null,null,"2.5"]]`, `null`},
		{"exit", "type=signup", `[["/shop",2,0,2,null,null,"5"]]`, `["",1,0,1,null,null,"2.5"]`},
	} {
		p := query.FilteredTopParams{Site: shop, Dimension: c.dimension, From: at(0), To: now,
			FilterParams: query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions(strings.Split(c.where, "&")))}}
		a := must[query.FilteredTopAnswer](t)(w.FilteredTop(t.Context(), p))
		list := func(value string, f query.FilteredFigures) []any {
			return []any{value, f.Events, f.PageViews, f.UniqueVisitors, f.Sessions, f.Bounces, f.ValueSum}
		}
		rows, none := [][]any{}, any(nil)
		for _, row := range a.Rows {
			rows = append(rows, list(row.Value, row.FilteredFigures))
		}
		if a.None != nil {
			none = list("", a.None.FilteredFigures)
		}
		want := map[query.Scope]string{query.ScopeSessions: "sessions", query.ScopeEvents: "uniqueVisitors"}[a.Filter.Scope]
		if compact(t, rows) != c.rows || compact(t, none) != c.none || a.Sort != want {
			t.Errorf("%s of %s: %s and %s by %s, want %s and %s by %s", c.dimension, c.where, compact(t, rows), compact(t, none), a.Sort, c.rows,
				c.none, want)
		}
	}
}

// testLockedLandings: under locked filters, entry and exit pages whose view does not pass are hidden, from rows and from
// filters of their own. The locked filters themselves are by the true pages.
func testLockedLandings(t *testing.T, w *world) {
	w.landed()
	for _, c := range []struct{ dimension, locked, own, rows, none string }{ // value, events
		{"entry", "page^=/sh", "", `[["/shop",2]]`, `2`},                          // cleo; anna entered by /docs/
		{"exit", "page^=/docs", "", `[["/docs/",3]]`, `2`},                        // bert, cleo's second visit; anna left by /shop; dora views none
		{"page", "page^=/sh", "entry^=/do", `[]`, `null`},                         // anna's must not be found
		{"page", "page^=/sh", "entry=", `[["/shop",2]]`, `null`},                  // anna
		{"exit", "page^=/docs", "exit^=/sh", `[]`, `null`},                        // anna
		{"exit", "entry=/docs/", "", `[["/docs/",3],["/shop",3]]`, `null`},        // events of these sessions pass whatever their pages
		{"page", "exit=/shop&page=/docs/", "", `[["/docs/",1]]`, `null`},          // anna
		{"entry", "hostname=other.example", "", `[]`, `null`},                     // none
		{"entry", "hostname=shop.example", "", `[["/docs/",6],["/shop",2]]`, `1`}, // all
	} {
		parse := func(text string) []query.Condition {
			if text == "" {
				return nil
			}
			return must[[]query.Condition](t)(query.ParseConditions(strings.Split(text, "&")))
		}
		locked := parse(c.locked)
		p := query.FilteredTopParams{Site: shop, Dimension: c.dimension, From: at(0), To: now, Sort: "events",
			FilterParams: query.FilterParams{Where: append(parse(c.own), locked...), Locked: locked}}
		a := must[query.FilteredTopAnswer](t)(w.FilteredTop(t.Context(), p))
		rows, none := [][]any{}, any(nil)
		for _, row := range a.Rows {
			rows = append(rows, []any{row.Value, row.Events})
		}
		if a.None != nil {
			none = a.None.Events
		}
		if compact(t, rows) != c.rows || compact(t, none) != c.none {
			t.Errorf("%s under %s and %q: %s and %s, want %s and %s", c.dimension, c.locked, c.own, compact(t, rows), compact(t, none), c.rows,
				c.none)
		}
	}
}
