package query_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// testTopProperty asks for a property that two sites have chosen, and a third has not. Each has another number for it.
func testTopProperty(t *testing.T, w *world) {
	for site, number := range map[string]uint64{"one": 2, "two": 5, "none": 0} {
		rules := &sites.Rules{Name: site}
		if number > 0 {
			rules.Properties = []sites.Property{{Key: "plan", N: number}}
		}
		w.rules(site, rules)
		w.breakdown(site, at(3), future, tp0, 10, func(b *sketch.Breakdown) {
			for i := range int64(4) {
				hit := sketch.Hit{Visitor: uint64(i), PageView: i > 0}
				b.Event(sketch.Channel, "Direct", i, hit)
				b.Book(sketch.Channel, "Direct", i, sketch.Booking{Sessions: 1})
				if i < 3 {
					b.Event(sketch.PropertyDimension(2), fmt.Sprint("second ", i%2), i, hit)
					b.Event(sketch.PropertyDimension(5), "fifth", i, hit)
				}
			}
		})
	}
	p := query.TopParams{Dimension: "property:plan", From: at(0), To: at(14), Consistent: true}
	ask := func(site string) string {
		p.Site = site
		a := must[query.TopAnswer](t)(w.Top(t.Context(), p))
		var rows []string
		for _, r := range a.Rows {
			rows = append(rows, fmt.Sprintf("%s %d by %d", r.Value, r.Events, r.UniqueVisitors))
		}
		return fmt.Sprintf("%s: %s; none %d, %d views, %d sessions", a.Dimension, strings.Join(rows, ", "), a.None.Events, a.None.PageViews,
			a.None.Sessions)
	}
	for site, want := range map[string]string{
		"one": "property:plan: second 0 2 by 2, second 1 1 by 1; none 1, 1 views, 0 sessions",
		"two": "property:plan: fifth 3 by 3; none 1, 1 views, 0 sessions",
		"":    "property:plan: fifth 3 by 3, second 0 2 by 2, second 1 1 by 1; none 6, 5 views, 0 sessions",
	} {
		if have := ask(site); have != want {
			t.Errorf("site %q: %s, want %s", site, have, want)
		}
	}
	// Counted, but never created: it has chosen nothing.
	w.breakdown("counted", at(3), future, tp0, 10, func(b *sketch.Breakdown) { b.Event(sketch.Channel, "Direct", 1, sketch.Hit{Visitor: 1}) })
	for _, wrong := range []struct{ site, dimension, sort, want string }{
		{"counted", "property:plan", "", "no property"}, {"one", "browser", "entries", "choose events"},
		{"one", "country", "conversions", "choose events"},
		{"none", "property:plan", "", "no property"}, {"one", "property:theme", "", "property:plan"}, {"one", "property:", "", "property:KEY"},
		{"one", "property:plan", "sessions", "uniqueVisitors"},
	} {
		p.Site, p.Dimension, p.Sort = wrong.site, wrong.dimension, wrong.sort
		_, err := w.Top(t.Context(), p)
		if !errors.As(err, new(*query.ParamError)) || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%+v: %v, want a ParamError", wrong, err)
		}
	}
}
