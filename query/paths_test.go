package query_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/paths"
	"github.com/footfall/footfall/sinks"
)

// walked puts sessions with paths: with reloads, with a page that comes again, with a country that changes, and beyond the range.
func (w *world) walked() {
	w.site(shop, 16)
	w.goal(shop, sites.Goal{ID: "bought", N: 1, On: sites.Pattern{On: "event", Type: "purchase"}}, false)
	w.goal(shop, sites.Goal{ID: "thanked", N: 2, On: sites.Pattern{On: "page", How: "exact", Text: "/thanks"}}, false)
	w.goal(shop, sites.Goal{ID: "rests", N: 3, On: sites.Pattern{On: "page", How: "exact", Text: "/"}, Inactive: true}, false)
	n := 0
	visit := func(visitor string, from time.Time, country string, pages ...string) {
		for i, page := range pages {
			more := sinks.Item{"country": sinks.Str(country)}
			if name, ok := strings.CutPrefix(page, "fr:"); ok {
				page, more["country"] = name, sinks.Str("FR")
			}
			if name, ok := strings.CutPrefix(page, "buy:"); ok {
				page, more["type"] = name, sinks.Str("purchase")
			}
			n++
			w.view(visitor, page, from.Add(time.Duration(i)*20*time.Minute), n, more)
		}
	}
	visit("anna", at(3), "DE", "/", "/a", "/a", "/b", "/a", "/c") // /a is reloaded, and comes again.
	visit("bert", at(3), "DE", "/a", "/b", "buy:/b", "/b", "/thanks", "/c")
	visit("cleo", at(3), "DE", "/", "fr:/a", "/c")
	visit("dora", at(3), "FR", "/b", "/a")
	visit("eve", at(2).Add(50*time.Minute), "DE", "/a", "/b")   // It begins before the range,
	visit("fritz", at(4).Add(50*time.Minute), "DE", "/a", "/d") // this ends after it,
	visit("gerd", at(4), "DE", "buy:/a")                        // and this views no page.
}

// rowsText spells the rows of paths.
func rowsText(a query.PathsAnswer) string {
	var all []string
	for _, r := range a.Rows {
		text := fmt.Sprint(r.Step, " ", r.Page, r.ExitPage, "=", r.Sessions)
		if r.Kind == paths.Pair {
			text = fmt.Sprint(r.Page, ">", r.ExitPage, "=", r.Sessions)
		} else if r.Kind != paths.Page {
			text = fmt.Sprint(r.Step, " ", r.Kind, "=", r.Sessions)
		}
		all = append(all, text)
	}
	return fmt.Sprint(a.Sessions, ": ", strings.Join(all, ", "))
}

// testPaths: steps are the pages after or before the first view of a page, or the conversion of a goal, reloads left out. What is not
// shown is in (others), and what has no further page is the drop-off.
func testPaths(t *testing.T, w *world) {
	w.walked()
	where := func(texts ...string) query.FilterParams {
		return query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions(texts))}
	}
	locked := where("country=DE")
	locked.Locked = locked.Where
	for _, c := range []struct {
		p    query.PathsParams
		want string
	}{
		{query.PathsParams{}, "5: />/c=2, /a>/c=1, /a>/d=1, /b>/a=1"},
		{query.PathsParams{Rows: 1}, "5: />/c=2, 0 others=3"},
		{query.PathsParams{FromPage: "/a"}, "5: 1 /b=2, 1 /c=1, 1 /d=1, 1 dropOff=1, 2 /a=1, 2 /thanks=1, 2 dropOff=2, 3 /c=2"},
		{query.PathsParams{FromPage: "/a", Rows: 1, Steps: 1}, "5: 1 /b=2, 1 others=2, 1 dropOff=1"},
		{query.PathsParams{FromPage: "/a", Through: []string{"/b"}, Steps: 2},
			"5: 1 /b=2, 1 /c=1, 1 /d=1, 1 dropOff=1, 2 /a=1, 2 /thanks=1"},
		{query.PathsParams{FromPage: "/a", Through: []string{"/d"}, Steps: 2, Rows: 1},
			"5: 1 /b=2, 1 /d=1, 1 others=1, 1 dropOff=1, 2 dropOff=1"},
		{query.PathsParams{FromPage: "/none"}, "0: "},
		{query.PathsParams{ToPage: "/c"}, "3: 1 /a=2, 1 /thanks=1, 2 /b=2, 2 /=1, 3 /a=2, 3 dropOff=1"},
		{query.PathsParams{ToPage: "/c", Through: []string{"/a", "/b"}}, "3: 1 /a=2, 1 /thanks=1, 2 /=1, 2 /b=1, 3 /a=1"},
		{query.PathsParams{FromGoal: "bought"}, "2: 1 /thanks=1, 1 dropOff=1, 2 /c=1, 3 dropOff=1"},
		{query.PathsParams{ToGoal: "bought"}, "2: 1 /b=1, 1 dropOff=1, 2 /a=1, 3 dropOff=1"},
		{query.PathsParams{ToGoal: "thanked", Steps: 1}, "1: 1 /b=1"},
		{query.PathsParams{FromPage: "/a", Steps: 1, Params: where("entry=/")}, "2: 1 /b=1, 1 /c=1"},
		{query.PathsParams{FromPage: "/a", Steps: 1, Params: where("goal=bought")}, "1: 1 /b=1"},
		{query.PathsParams{FromPage: "/", Steps: 1, Params: where("country=DE")}, "2: 1 /a=2"},
		{query.PathsParams{FromPage: "/", Steps: 1, Params: locked}, "2: 1 /a=1, 1 /c=1"}, // cleo is in another country for /a.
		{query.PathsParams{Params: query.FilterParams{Within: true}}, "5: />/c=2, /a>/a=1, /a>/c=1, /b>/a=1"},
	} {
		c.p.Site, c.p.From, c.p.To, c.p.Consistent = shop, at(3), at(5), true
		a, err := w.Paths(t.Context(), c.p)
		if err != nil || rowsText(a) != c.want {
			t.Errorf("%+v: %v, %s; want %s", c.p, err, rowsText(a), c.want)
		}
	}
}

// testPathsRefused: what has no answer is refused by name.
func testPathsRefused(t *testing.T, w *world) {
	w.walked()
	for _, c := range []struct {
		p     query.PathsParams
		param string
	}{
		{query.PathsParams{FromPage: "/a", ToGoal: "bought"}, "to-goal"},
		{query.PathsParams{Steps: 2}, "steps"},
		{query.PathsParams{Through: []string{"/a"}}, "through"},
		{query.PathsParams{FromPage: "/a", Steps: 6}, "steps"},
		{query.PathsParams{FromPage: "/a", Steps: 1, Through: []string{"/a", "/b"}}, "through"},
		{query.PathsParams{Rows: 101}, "limit"},
		{query.PathsParams{FromPage: "/" + strings.Repeat("a", 200)}, "page"},
		{query.PathsParams{ToGoal: "rests"}, "to-goal"},
		{query.PathsParams{FromGoal: "none"}, "from-goal"},
		{query.PathsParams{Params: query.FilterParams{
			Where: []query.Condition{{Dimension: "page", Op: query.Is, Values: []string{"/a"}}}}}, "where"},
		{query.PathsParams{Params: query.FilterParams{MaxEvents: 1}}, "max-events"},
	} {
		c.p.Site, c.p.From, c.p.To = shop, at(3), at(5)
		if c.param == "max-events" {
			w.hour(shop, at(3), future, 10, 20, 0, nil)
		}
		_, err := w.Paths(t.Context(), c.p)
		if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Param != c.param {
			t.Errorf("%+v: %v, want an error of %s", c.p, err, c.param)
		}
	}
}
