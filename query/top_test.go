package query_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// views feeds so many page views of one page, each of a visitor of its own from first on, by sessions of one event.
func views(b *sketch.Breakdown, page string, n, first int) {
	for i := range n {
		pos := int64(1000*first + i)
		hit := sketch.Hit{Visitor: uint64(first+i+1) * 0x9e3779b97f4a7c15, PageView: true}
		b.Event(sketch.Page, page, pos, hit)
		b.Book(sketch.Page, page, pos, sketch.Booking{Sessions: 1, Bounces: 1, Entries: 1, Exits: 1})
		b.Event(sketch.Channel, "Direct", pos, hit)
		b.Book(sketch.Channel, "Direct", pos, sketch.Booking{Sessions: 1, Bounces: 1})
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
			hit := sketch.Hit{Visitor: 7, HasValue: true, Value: value}
			b.Event(sketch.EventName, "order", int64(i), hit)
			b.Event(sketch.Channel, "Direct", int64(1000*50+i), hit)
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
	if few[0].VisitorsError != 0.01625 || few[1].VisitorsError != 0 || few[1].UniqueVisitors != 64 {
		t.Errorf("of 65 and 64 visitors: %+v, want an estimate with an error of 0.01625, and 64", few)
	}
	order := ask(query.TopParams{Site: "plain", Dimension: "event"}).Rows[0]
	if order.Values != 2 || order.ValueSum != "1.5" || order.ValueMin != "-1" || order.ValueMax != "2.5" {
		t.Errorf("values of a named event: %+v", order)
	}
	w.breakdown("plain", at(4), future, tp0, 10, func(b *sketch.Breakdown) {
		views(b, "/read", 4, 0)
		b.Attend("/read", 3, sketch.Attention{Timed: 3, TimeMs: 10_000, Scrolled: 2, Depth: 115})
	})
	w.breakdown("plain", at(6), future, tp0, 10, func(b *sketch.Breakdown) {
		views(b, "/read", 1, 0)
		b.Book(sketch.Page, "/read", 0, sketch.Booking{Exits: -1})
		b.Attend("/read", 0, sketch.Attention{Timed: 1, TimeMs: 1_002})
	})
	read := ask(query.TopParams{Site: "plain", Dimension: "page"}).Rows[1].TopAttention
	if *read.ExitRate != 0.8 || read.TimedPageViews != 4 || read.TimeOnPageMs != 11_002 || *read.AvgTimeOnPageMs != 2_751 ||
		read.ScrolledPageViews != 2 || *read.AvgScrollDepth != 0.575 {
		t.Errorf("of two hours a page was read %+v", read)
	}
	if channel := ask(query.TopParams{Site: "plain", Dimension: "channel"}).Rows[0].TopAttention; channel != (query.TopAttention{}) {
		t.Errorf("a channel was read %+v", channel)
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

// TestWhatHasNoValueHasARow: events without a country are in (none), apart from a country of that name, and what no breakdown has is
// said.
func TestWhatHasNoValueHasARow(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	for h, tp := range []sinks.TP{tp0, tp1, tp0} {
		w.breakdown(shop, at(h), future, tp, 1, func(b *sketch.Breakdown) {
			for i, country := range []string{"DE", "", "(none)", "", "DE", ""} {
				hit := sketch.Hit{Visitor: uint64(i+1) << 32, PageView: i > 1}
				b.Event(sketch.Channel, "Direct", int64(i), hit)
				b.Book(sketch.Channel, "Direct", int64(i), sketch.Booking{Sessions: 1, DurationMs: 1000 * int64(i)})
				if country != "" {
					b.Event(sketch.Country, country, int64(i), hit)
					b.Book(sketch.Country, country, int64(i), sketch.Booking{Sessions: 1, DurationMs: 1000 * int64(i)})
				}
			}
		})
	}
	ask := func(d string) query.TopAnswer {
		t.Helper()
		return must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Site: shop, Dimension: d, From: at(0), To: at(14)}))
	}
	avg := int64(3000)
	a := ask("country")
	nothing := query.TopConversions{ConversionValue: "0"}
	want := query.TopNone{Events: 9, PageViews: 6, Sessions: 9, BounceRate: new(0.0), DurationMs: 27_000, AvgDurationMs: &avg,
		TopConversions: nothing}
	if a.None == nil || compact(t, a.None) != compact(t, want) || a.NotBrokenDown != 0 {
		t.Fatalf("none: %s, want %s; %d in no breakdown, want 0", compact(t, a.None), compact(t, want), a.NotBrokenDown)
	}
	total := a.None.Events + a.Other.Events
	for _, r := range a.Rows {
		total += r.Events
	}
	if total != 18 || a.Other.Events == 0 {
		t.Errorf("rows, others (%d) and none have %d events, want 18", a.Other.Events, total)
	}
	if a := ask("channel"); a.None == nil || *a.None != (query.TopNone{TopConversions: nothing}) {
		t.Errorf("channel: none %s, want nothing: each event has one", compact(t, a.None))
	}
	if a := ask("page"); a.None == nil || a.None.Events != 18 {
		t.Errorf("a dimension without values: none %s, want all 18 events", compact(t, a.None))
	}
	// Two hours have events that were counted while breakdowns were off. In one of them there is no breakdown.
	w.put(w.keys.HourStats(shop, at(2).UnixMilli()), future, figures(0, 10, 0))
	w.put(w.keys.HourStats(shop, at(3).UnixMilli()), future, figures(0, 25, 0))
	w.put(w.keys.HourStats(shop, at(4).UnixMilli()), past, figures(0, 100, 0))
	for h := range 2 {
		w.put(w.keys.HourStats(shop, at(h).UnixMilli()), future, figures(4, 6, 0))
	}
	if a := ask("country"); a.NotBrokenDown != 29 || a.None.Events != 9 {
		t.Errorf("%d events in no breakdown, %d without a value; want 29 and 9", a.NotBrokenDown, a.None.Events)
	}
}

// TestTopMeansWhatPeopleMean: pages by page views, all else by visitors, each with its share of all events of the site.
func TestTopMeansWhatPeopleMean(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	w.breakdown(shop, at(1), future, tp0, 10, func(b *sketch.Breakdown) {
		position := int64(0)
		event := func(page, country string, visitor uint64, view bool) {
			hit := sketch.Hit{Visitor: visitor << 40, PageView: view}
			for d, value := range map[sketch.Dimension]string{sketch.Channel: "Direct", sketch.Page: page, sketch.Country: country} {
				if value != "" {
					b.Event(d, value, position, hit)
				}
			}
			position++
		}
		for range 6 { // One visitor who scrolls much.
			event("/long", "NL", 1, false)
		}
		for v := range uint64(3) {
			event("/viewed", "BE", 2+v, true)
			event("/long", "", 2+v, v == 0)
		}
	})
	for _, c := range []struct{ dimension, sort, by, want string }{
		{"page", "", "pageViews", "/viewed 0.75, /long 0.25"},
		{"page", "events", "events", "/long 0.75, /viewed 0.25"},
		{"country", "", "uniqueVisitors", "BE 0.75, NL 0.25"},
		{"country", "events", "events", "NL 0.5, BE 0.25"},
		{"page", "uniqueVisitors", "uniqueVisitors", "/long 1, /viewed 0.75"},
		{"page", "sessions", "sessions", "/long none, /viewed none"},
	} {
		p := query.TopParams{Site: shop, Dimension: c.dimension, Sort: c.sort, From: at(0), To: at(14)}
		a := must[query.TopAnswer](t)(w.Top(t.Context(), p))
		var rows []string
		for _, r := range a.Rows {
			share := "none"
			if r.Share != nil {
				share = fmt.Sprint(*r.Share)
			}
			rows = append(rows, r.Value+" "+share)
		}
		if got := strings.Join(rows, ", "); got != c.want || a.Sort != c.by {
			t.Errorf("%s by %q: %s by %s, want %s by %s", c.dimension, c.sort, got, a.Sort, c.want, c.by)
		}
	}
}

// TestRowsLackNoMoreOfSessionsThanIsSaid: whatever was evicted, or booked before a value had a row, a row lacks at most what Lacks says,
// and nothing if that is 0.
func TestRowsLackNoMoreOfSessionsThanIsSaid(t *testing.T) {
	lacking := 0
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		w := newWorld(t)
		w.site(shop, 16)
		truth := make(map[string]sketch.Booking)
		for h := range 4 {
			w.breakdown(shop, at(h), future, tp0, 1+int(seed%12), func(b *sketch.Breakdown) {
				for i := range 60 {
					seen, left := fmt.Sprint("/", random.IntN(10)), fmt.Sprint("/", random.IntN(10)) // The exit may be viewed in another hour.
					b.Event(sketch.Page, seen, int64(i), sketch.Hit{Visitor: uint64(i) << 32, PageView: true})
					b.Event(sketch.Channel, "Direct", int64(i), sketch.Hit{Visitor: uint64(i) << 32, PageView: true})
					b.Book(sketch.Page, seen, int64(i), sketch.Booking{Sessions: 1, Bounces: int64(i % 2), DurationMs: 100, Entries: 1})
					b.Book(sketch.Page, left, int64(i), sketch.Booking{Exits: 1})
					all := truth[seen]
					all.Sessions, all.Bounces = all.Sessions+1, all.Bounces+int64(i%2)
					all.DurationMs, all.Entries = all.DurationMs+100, all.Entries+1
					truth[seen] = all
					all = truth[left]
					all.Exits++
					truth[left] = all
				}
			})
		}
		a := must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Site: shop, Dimension: "page", From: at(0), To: at(14), Limit: 3}))
		for _, r := range a.Rows {
			real := truth[r.Value]
			for name, n := range map[string][3]int64{"sessions": {real.Sessions, r.Sessions, a.Lacks.Sessions},
				"bounces": {real.Bounces, r.Bounces, a.Lacks.Bounces}, "durations": {real.DurationMs, r.DurationMs, a.Lacks.DurationMs},
				"entries": {real.Entries, r.Entries, a.Lacks.Entries}, "exits": {real.Exits, r.Exits, a.Lacks.Exits}} {
				if lack := n[0] - n[1]; lack < 0 || lack > n[2] {
					t.Errorf("seed %d: %s has %d %s of %d, and may lack %d", seed, r.Value, n[1], name, n[0], n[2])
				} else if lack > 0 {
					lacking++
				}
			}
		}
	}
	if lacking == 0 {
		t.Error("no row lacks anything: the test tests nothing")
	}
}
