package query_test

import (
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// TestTopHasConversions: of sources and entry pages, with a rate where the range begins no earlier than the site's first goal did.
func TestTopHasConversions(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	ruled := &sites.Rules{}
	for _, g := range []sites.Goal{{ID: "late", On: page, Since: at(6).UnixMilli()},
		{ID: "early", On: page, Since: at(2).UnixMilli() + 1}} {
		if err := ruled.AddGoal(g); err != nil {
			t.Fatal(err)
		}
	}
	w.rules(shop, ruled)
	for h, won := range map[int]sketch.Conversions{1: {}, 3: {Sessions: 1, Further: 1, Worth: int128.From(-2_500_000)}, 7: {Sessions: 1}} {
		w.breakdown(shop, at(h), future, tp0, 10, func(b *sketch.Breakdown) {
			views(b, "/", 4, 0)
			b.Convert(sketch.Channel, "Direct", 3, won)
			b.Convert(sketch.Page, "/", 3, won)
			b.Convert(sketch.Referrer, "x.example", 3, won) // Without a row there.
		})
	}
	ask := func(p query.TopParams) query.TopAnswer {
		t.Helper()
		p.To = at(14)
		return must[query.TopAnswer](t)(w.Top(t.Context(), p))
	}
	for _, dimension := range []string{"channel", "page"} {
		a := ask(query.TopParams{Site: shop, Dimension: dimension, From: at(3), Sort: "conversions"})
		got := a.Rows[0].TopConversions
		if got.Conversions != 3 || got.ConvertedSessions != 2 || got.ConversionRate == nil || *got.ConversionRate != 0.25 ||
			got.ConversionValue != "-2.5" || *a.Rows[0].Share != 1 || !a.ConversionsSince.Equal(at(2).Add(1e6)) {
			t.Errorf("%s: %+v since %v", dimension, a.Rows[0], a.ConversionsSince)
		}
		early := ask(query.TopParams{Site: shop, Dimension: dimension, From: at(2), Sort: "conversionValue"}).Rows[0]
		if early.Conversions != 3 || early.ConversionRate != nil || early.Share != nil {
			t.Errorf("%s, from the hour on in which the first goal began: %+v", dimension, early)
		}
	}
	a := ask(query.TopParams{Site: shop, Dimension: "referrer", From: at(3)})
	if a.Other.Conversions != 3 || a.Lacks.Conversions != 3 || a.None.Conversions != 0 {
		t.Errorf("in others %+v, lacking %+v, in none %+v", a.Other.TopConversions, a.Lacks, a.None)
	}
	a = ask(query.TopParams{Site: shop, Dimension: "utm_source", From: at(3)})
	if a.None.Conversions != 3 || a.None.ConversionRate == nil || *a.None.ConversionRate != 0.25 || a.None.ConversionValue != "-2.5" {
		t.Errorf("without a source: %+v", a.None)
	}
	for sort, want := range map[string]float64{"conversions": 1, "sessions": 1, "pageViews": 1} {
		if a = ask(query.TopParams{Site: shop, Dimension: "utm_source", From: at(3), Sort: sort}); a.None.Share == nil || *a.None.Share != want {
			t.Errorf("by %s: what has no source has the share %v, want all", sort, a.None.Share)
		}
	}
	if a = ask(query.TopParams{Dimension: "channel", From: at(3)}); a.Rows[0].ConversionRate != nil || a.Rows[0].Conversions != 3 {
		t.Errorf("of all sites: %+v", a.Rows[0])
	}
}
