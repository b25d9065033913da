package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// ratedWorld has pages with rates and averages of few views and sessions.
func ratedWorld(t *testing.T) *world {
	w := newWorld(t)
	ruled := &sites.Rules{}
	if err := ruled.AddGoal(sites.Goal{ID: "any", On: page}); err != nil {
		t.Fatal(err)
	}
	w.rules(shop, ruled)
	w.breakdown(shop, at(3), future, tp0, 10, func(b *sketch.Breakdown) {
		for i, p := range []string{"/a", "/b", "/c", "/c"} {
			b.Event(sketch.Page, p, int64(i), sketch.Hit{Visitor: uint64(i) << 32, PageView: true})
			b.Event(sketch.Channel, "Direct", int64(i), sketch.Hit{Visitor: uint64(i) << 32, PageView: true})
		}
		b.Event(sketch.Page, "/d", 5, sketch.Hit{Visitor: 9 << 32}) // Without a page view.
		b.Event(sketch.Channel, "Direct", 5, sketch.Hit{Visitor: 9 << 32})
		b.Book(sketch.Page, "/b", 6, sketch.Booking{Exits: 1, Sessions: 3, Bounces: 2, DurationMs: 3000})
		b.Book(sketch.Page, "/c", 6, sketch.Booking{Exits: 1, Sessions: 2, Bounces: 2, DurationMs: 1000})
		b.Book(sketch.Page, "/a", 6, sketch.Booking{Sessions: 2, DurationMs: 9000})
		b.Attend("/a", 7, sketch.Attention{Timed: 1, TimeMs: 5000, Scrolled: 1, Depth: 10})
		b.Attend("/c", 7, sketch.Attention{Timed: 2, TimeMs: 8000, Scrolled: 1, Depth: 90})
		b.Convert(sketch.Page, "/a", 8, sketch.Conversions{Sessions: 1})
	})
	return w
}

// TestTopByRates sorts by rates and averages: rows without them come last, and there is no share.
func TestTopByRates(t *testing.T) {
	w := ratedWorld(t)
	ask := func(p query.TopParams) (string, error) {
		p.Site, p.From, p.To = shop, at(0), at(14)
		a, err := w.Top(t.Context(), p)
		var rows []string
		for _, r := range a.Rows {
			if r.Share != nil {
				t.Errorf("by %s: %s has the share %v, want none", p.Sort, r.Value, *r.Share)
			}
			rows = append(rows, r.Value)
		}
		return strings.Join(rows, " "), err
	}
	for by, want := range map[string]string{"exitRate": "/b /c /a /d", "avgTimeOnPageMs": "/a /c /b /d", "avgScrollDepth": "/c /a /b /d",
		"conversionRate": "/a /c /b /d", "bounceRate": "/c /b /a /d", "avgDurationMs": "/a /b /c /d"} {
		if got, err := ask(query.TopParams{Dimension: "page", Sort: by}); got != want || err != nil {
			t.Errorf("by %s: %s, %v; want %s", by, got, err, want)
		}
	}
	for _, p := range []query.TopParams{{Dimension: "channel", Sort: "exitRate"}, {Dimension: "country", Sort: "conversionRate"}} {
		if _, err := ask(p); !errors.As(err, new(*query.ParamError)) || strings.Contains(err.Error(), p.Sort+",") {
			t.Errorf("%s by %s: %v, want an error that does not name it", p.Dimension, p.Sort, err)
		}
	}
}

// TestTopLeavesOutRowsOfFew: a rate is of as many views or sessions as it is divided by. Rows of fewer are in Other: all rows add up to the
// same events. Pages are of the rows that are left.
func TestTopLeavesOutRowsOfFew(t *testing.T) {
	w := ratedWorld(t)
	ask := func(p query.TopParams) (query.TopAnswer, error) {
		p.Site, p.Dimension, p.From, p.To = shop, "page", at(0), at(14)
		return w.Top(t.Context(), p)
	}
	for _, c := range []struct {
		by    string
		least int
		want  string
	}{{"exitRate", 1, "/b /c /a"}, {"exitRate", 2, "/c"}, {"avgTimeOnPageMs", 2, "/c"}, {"avgScrollDepth", 1, "/c /a"}, {"avgScrollDepth", 2,
		""},
		{"bounceRate", 3, "/b"}, {"conversionRate", 2, "/a /c /b"}, {"avgDurationMs", 2, "/a /b /c"},
		{"avgDurationMs", query.MaxMinCount, ""}} {
		a, err := ask(query.TopParams{Sort: c.by, MinCount: c.least})
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		events := a.Other.Events + a.None.Events
		for _, r := range a.Rows {
			values, events = append(values, r.Value), events+r.Events
		}
		if got := strings.Join(values, " "); got != c.want || a.Values != len(values) || a.MinCount != c.least || events != 5 {
			t.Errorf("by %s of at least %d: %s, %d values, %d events; want %s and 5 events", c.by, c.least, got, a.Values, events, c.want)
		}
	}
	first, err := ask(query.TopParams{Sort: "avgDurationMs", MinCount: 2, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	next, err := ask(query.TopParams{Sort: "avgDurationMs", MinCount: 2, Limit: 2, Cursor: first.Cursor})
	if err != nil || len(next.Rows) != 1 || next.Rows[0].Value != "/c" || next.Cursor != "" {
		t.Errorf("the second page: %+v, %v; want /c alone", next.Rows, err)
	}
	wantRefused(t, "cursor", query.TopParams{Sort: "avgDurationMs", MinCount: 3, Cursor: first.Cursor}, ask)
	for _, p := range []query.TopParams{{Sort: "bounceRate", MinCount: -1}, {Sort: "bounceRate", MinCount: query.MaxMinCount + 1},
		{Sort: "pageViews", MinCount: 5}, {MinCount: 5}} {
		wantRefused(t, "min-count", p, ask)
	}
}

// wantRefused wants a question to be refused because of a parameter.
func wantRefused(t *testing.T, param string, p query.TopParams, ask func(query.TopParams) (query.TopAnswer, error)) {
	t.Helper()
	_, err := ask(p)
	if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Param != param {
		t.Errorf("%+v: %v, want %s refused", p, err, param)
	}
}
