package query_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// testTopPages: pages of any size are the whole list, and up to each of them all rows, others and none are all events.
func testTopPages(t *testing.T, w *world) {
	w.site(shop, 16)
	events := int64(0)
	for h := range 3 {
		w.breakdown(shop, at(h), future, tp0, 20, func(b *sketch.Breakdown) {
			for n := range 25 { // Five more than there are rows.
				views(b, fmt.Sprint("/", n), 1+n%4, 100*n)
				events += int64(1 + n%4)
			}
			b.Event(sketch.Channel, "Direct", 9999, sketch.Hit{Visitor: 1}) // Without a page.
			events++
		})
	}
	ask := func(p query.TopParams) query.TopAnswer {
		t.Helper()
		p.Site, p.Dimension, p.From, p.To = shop, "page", at(0), at(14)
		return must[query.TopAnswer](t)(w.Top(t.Context(), p))
	}
	whole := ask(query.TopParams{})
	if len(whole.Rows) != whole.Values || whole.Values < 20 || whole.Cursor != "" {
		t.Fatalf("%d rows of %d, cursor %q; want all", len(whole.Rows), whole.Values, whole.Cursor)
	}
	for _, limit := range []int{1, 3, 7, 1000} {
		seen := int64(0)
		rows, _, _ := pages(t, limit, func(cursor string) ([]query.TopRow, int, string, error) {
			a := ask(query.TopParams{Limit: limit, Cursor: cursor})
			for _, r := range a.Rows {
				seen += r.Events
			}
			if sum := seen + a.Other.Events + a.None.Events; sum != events {
				t.Errorf("pages of %d: rows up to %q, others and none have %d events, want %d", limit, a.Rows[len(a.Rows)-1].Value, sum, events)
			}
			return a.Rows, 0, a.Cursor, nil
		})
		if got, want := compact(t, rows), compact(t, whole.Rows); got != want {
			t.Errorf("pages of %d:\n%s\nwant\n%s", limit, got, want)
		}
	}
	next := ask(query.TopParams{Limit: 3}).Cursor
	_, err := w.Top(t.Context(), query.TopParams{Site: shop, Dimension: "page", Sort: "events", From: at(0), Cursor: next})
	if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Param != "cursor" {
		t.Errorf("cursor of another order: %v, want it refused", err)
	}
}

// testTops: lists that are read together are those that are read one by one, and cost what one does.
func testTops(t *testing.T, w *world) {
	w.shopTops()
	lists := []query.TopList{{Dimension: "page", Sort: "entries", Limit: 1}, {Dimension: "page"}, {Dimension: "channel"}, {Dimension: "city"}}
	for _, lists := range [][]query.TopList{lists, {lists[0], lists[3]}} {
		counted := &counting{Table: w.table}
		reader := query.NewOf(counted, w.keys, func() time.Time { return now })
		p := query.TopParams{Site: shop, From: at(0), To: at(14)}
		together := must[[]query.TopAnswer](t)(reader.Tops(t.Context(), p, lists))
		cost := counted.queries
		for i, l := range lists {
			p.Dimension, p.Sort, p.Limit = l.Dimension, l.Sort, l.Limit
			counted.queries = 0
			reader := query.NewOf(counted, w.keys, func() time.Time { return now }) // It has read no checkpoints yet, either.
			alone := must[query.TopAnswer](t)(reader.Top(t.Context(), p))
			if got, want := compact(t, together[i]), compact(t, alone); got != want {
				t.Errorf("%+v:\n%s\nwant\n%s", l, got, want)
			}
			if cost != counted.queries {
				t.Errorf("%d queries together, %d for %s alone", cost, counted.queries, l.Dimension)
			}
		}
	}
	_, err := w.Tops(t.Context(), query.TopParams{Site: shop, From: at(0)}, []query.TopList{{Dimension: "page"}, {Dimension: "nothing"}})
	if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Value != "nothing" {
		t.Errorf("a dimension that there is not: %v", err)
	}
}
