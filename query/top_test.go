package query_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// views feeds so many page views of one page, each of a visitor of its own from first on, by sessions of one event.
func views(b *sketch.Breakdown, page string, n, first int) {
	for i := range n {
		pos := int64(1000*first + i)
		b.Event(sketch.Page, page, pos, sketch.Hit{Visitor: uint64(first+i+1) * 0x9e3779b97f4a7c15, PageView: true})
		b.Book(sketch.Page, page, pos, sketch.Booking{Sessions: 1, Bounces: 1, Entries: 1, Exits: 1})
	}
}

// shopTops puts breakdowns of pages. Of 5 hours each was seen by two partitions, of which the second has a single row;
// a further hour has expired. Another site has one hour.
func (w *world) shopTops() {
	w.site(shop, 16)
	for h := range 5 {
		w.breakdown(shop, at(h), future, tp0, 10, func(b *sketch.Breakdown) {
			views(b, "/", 4, 0)
			views(b, "/a", 1, 2)
		})
		w.breakdown(shop, at(h), future, tp1, 1, func(b *sketch.Breakdown) {
			views(b, "/once", 1, 40)
			views(b, "/", 3, 3) // Takes the row, and may have had one event more.
		})
	}
	w.breakdown(shop, at(5), past, tp0, 10, func(b *sketch.Breakdown) { views(b, "/", 100, 0) })
	w.site("plain", 16)
	w.breakdown("plain", at(2), future, tp0, 10, func(b *sketch.Breakdown) {
		views(b, "/a", 50, 0)
		for i, value := range []int64{2_500_000, -1_000_000} {
			b.Event(sketch.EventName, "order", int64(i), sketch.Hit{Visitor: 7, HasValue: true, Value: value})
		}
	})
}

func testTop(t *testing.T, w *world) {
	w.shopTops()
	ask := func(p query.TopParams) query.TopAnswer {
		t.Helper()
		p.From, p.To, p.Consistent = at(0), at(14), true
		return must[query.TopAnswer](t)(w.Top(t.Context(), p))
	}
	spell := func(a query.TopAnswer) (rows []string) {
		for _, r := range a.Rows {
			rows = append(rows, fmt.Sprintf("%s %d+%d by %d, %d in, %d out", r.Value, r.Events, r.Uncertain, r.UniqueVisitors, r.Entries, r.Exits))
		}
		return append(rows, fmt.Sprintf("other %d by %d; none above %d", a.Other.Events, a.Other.UniqueVisitors, a.AbsentAtMost))
	}
	for _, c := range []struct {
		name string
		p    query.TopParams
		want []string
	}{
		// "/" was admitted at a floor of 1 in five parts; "/a" has no row there and may have had one event in each.
		{"a site", query.TopParams{Site: shop, Dimension: "page"},
			[]string{"/ 35+5 by 6, 35 in, 35 out", "/a 5+5 by 1, 5 in, 5 out", "other 5 by 1; none above 5"}},
		{"rows that are left out are others", query.TopParams{Site: shop, Dimension: "page", Limit: 1},
			[]string{"/ 35+5 by 6, 35 in, 35 out", "other 10 by 2; none above 5"}},
		{"all sites", query.TopParams{Dimension: "page"},
			[]string{"/a 55+5 by 50, 55 in, 55 out", "/ 35+5 by 6, 35 in, 35 out", "other 5 by 1; none above 5"}},
		{"by another figure", query.TopParams{Site: shop, Dimension: "page", Sort: "uniqueVisitors"},
			[]string{"/ 35+5 by 6, 35 in, 35 out", "/a 5+5 by 1, 5 in, 5 out", "other 5 by 1; none above 5"}},
		{"a dimension without values", query.TopParams{Site: shop, Dimension: "city"}, []string{"other 0 by 0; none above 0"}},
	} {
		if got := spell(ask(c.p)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	a := ask(query.TopParams{Site: shop, Dimension: "page"})
	if a.Hours != 5 || a.Sites != 1 || a.ExpiredOmitted != 1 || a.Values != 2 || !a.SiteKnown {
		t.Errorf("%d hours of %d sites, %d items expired, %d values, known: %v; want 5, 1, 1, 2, true", a.Hours, a.Sites, a.ExpiredOmitted,
			a.Values, a.SiteKnown)
	}
	w.breakdown("busy", at(3), future, tp0, 10, func(b *sketch.Breakdown) {
		views(b, "/64", 64, 0)
		views(b, "/65", 65, 100)
	})
	w.site("busy", 16)
	few := ask(query.TopParams{Site: "busy", Dimension: "page"}).Rows
	if few[0].VisitorsError != 0.0325 || few[1].VisitorsError != 0 || few[1].UniqueVisitors != 64 {
		t.Errorf("of 65 and 64 visitors: %+v, want an estimate with an error of 0.0325, and 64", few)
	}
	order := ask(query.TopParams{Site: "plain", Dimension: "event"}).Rows[0]
	if order.Values != 2 || order.ValueSum != "1.5" || order.ValueMin != "-1" || order.ValueMax != "2.5" {
		t.Errorf("values of a named event: %+v", order)
	}
	for _, p := range []query.TopParams{{Site: shop, Dimension: "pages"}, {Site: shop, Dimension: "page", Sort: "best"},
		{Site: shop, Dimension: "page", Limit: -1}} {
		if _, err := w.Top(t.Context(), p); !errors.As(err, new(*query.ParamError)) {
			t.Errorf("%+v: %v, want a ParamError", p, err)
		}
	}
}

// TestTopReadsPageByPage: more hours than the store gives in one page.
func TestTopReadsPageByPage(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	const hours = 700
	for h := range hours {
		w.breakdown(shop, at(-h), future, tp0, 10, func(b *sketch.Breakdown) { views(b, fmt.Sprint("/", h%3), 2, h) })
	}
	a := must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Site: shop, Dimension: "page", From: at(-hours * 2), To: now,
		Zone: time.UTC}))
	if a.Hours != hours || a.Rows[0].Events+a.Rows[1].Events+a.Rows[2].Events != 2*hours {
		t.Errorf("%d hours, %+v", a.Hours, a.Rows)
	}
}
