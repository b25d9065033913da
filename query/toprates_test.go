package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// TestTopByRates sorts by rates and averages: rows without them come last, and there is no share.
func TestTopByRates(t *testing.T) {
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
