package page

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// sourcesOf are 60 sessions of google.com, 30 of others and 90 without a source.
func sourcesOf() query.TopAnswer {
	return query.TopAnswer{Dimension: "referrer", Sort: "uniqueVisitors", Values: 2, Other: query.TopCounts{Sessions: 30, UniqueVisitors: 20},
		Rows: []query.TopRow{{Value: "google.com", TopCounts: query.TopCounts{Share: new(0.25), UniqueVisitors: 50, Sessions: 60}}},
		None: &query.TopNone{Events: 200, PageViews: 150, Sessions: 90}}
}

// What has no value is a row among the others, with a share, a change and a bar. Without filters its visitors are not counted.
func TestEventsWithoutAValueAreARow(t *testing.T) {
	s, before := lists.Sections()[0], sourcesOf()
	before.None.Sessions = 60
	rowsOf := func(a query.TopAnswer, s lists.Section, before *query.TopAnswer) string {
		l := lists.New(a, s, before, links.Address{})
		l.PlaceNone(a, s, before, links.Address{Site: "shop"})
		var all []string
		for _, r := range slices.Concat(l.Rows, l.Rest) {
			all = append(all, fmt.Sprintf("%s: %s %s, %s, %s, %.0f", r.Value, r.Figure, r.Unit, r.Share, r.Change, r.Bar))
		}
		return locale.InEnglish(strings.Join(all, "; "))
	}
	for _, c := range []struct{ got, want string }{
		{rowsOf(sourcesOf(), s, &before),
			"Direct / none: 90 sessions, 50.0 %, +50 %, 100; google.com: 50 , 25.0 %, 0 %, 50; (others): 20 , , , 0"},
		{rowsOf(query.TopAnswer{Rows: []query.TopRow{{Value: "/a", TopCounts: query.TopCounts{PageViews: 30}}},
			None: &query.TopNone{PageViews: 3, Share: new(0.1)}}, lists.Section{Dimension: "page", Sort: "pageViews"}, nil),
			"/a: 30 , , , 100; (none): 3 , 10.0 %, , 10"},
		{rowsOf(query.TopAnswer{Rows: []query.TopRow{{Value: "order", TopCounts: query.TopCounts{Events: 3}}},
			None: &query.TopNone{Events: 30}}, lists.Section{Dimension: "event", Sort: "events"}, nil), "order: 3 , , , 100; (none): 30 , , , 0"},
		{rowsOf(query.TopAnswer{Rows: []query.TopRow{{Value: "DE", TopCounts: query.TopCounts{UniqueVisitors: 3}}},
			None: &query.TopNone{Events: 30}}, lists.Section{Dimension: "country", Sort: "uniqueVisitors"}, nil),
			"Germany: 3 , , , 100; (none): 30 events , , , 0"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
	direct := query.TopAnswer{None: &query.TopNone{Events: 3, Sessions: 1}}
	if got, want := rowsOf(direct, s, nil), "Direct / none: 1 session, 100.0 %, , 100"; got != want {
		t.Errorf("a site whose only visit is direct has the sources %q, want %q", got, want)
	}
	if got := lists.ValueText("Direct / none"); got == lists.RowText("referrer", "") {
		t.Errorf("a source that is called so is shown as %s", got)
	}
}

// A whole list has them among its rows, as its card has, and below those of a page that has not come to their share.
func TestWholeListHasEventsWithoutAValue(t *testing.T) {
	before, from := sourcesOf(), time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	before.None.Sessions, before.From, before.To = 60, from, from.AddDate(0, 0, 7)
	for _, c := range []struct {
		first float64 // share of the first row
		want  string
	}{{0.25, `<tbody><tr><th scope="row" title="` + lists.NoneNote + `"><a href="/sites/shop?where=referrer%3D">` +
		`<bdi title="Direct / none">Direct / none</bdi></a></th><td>90 sessions</td><td>50.0 %</td>`},
		{0.6, `<tbody class="rest"><tr><th scope="row">(others)`}} {
		a := sourcesOf()
		a.Rows[0].Share = new(c.first)
		var b bytes.Buffer
		if err := Top(&b, TopView{At: links.Address{Site: "shop"}, Answer: a, Before: &before}); err != nil {
			t.Fatal(err)
		}
		wantAll(t, html.UnescapeString(b.String()), c.want, "Direct / none", "90 sessions", "+50 %", ", compared with 4")
	}
}

// Under filters the visitors of what has no value are known: the row is as the others are.
func TestFilteredEventsWithoutAValueHaveVisitors(t *testing.T) {
	figures := func(visitors uint64, events int64) query.FilteredTopCounts {
		return query.FilteredTopCounts{FilteredFigures: query.FilteredFigures{UniqueVisitors: visitors, Events: events}}
	}
	a := query.FilteredTopAnswer{Dimension: "referrer", Sort: "uniqueVisitors", Values: 1,
		Rows: []query.FilteredTopRow{{Value: "google.com", FilteredTopCounts: figures(5, 0)}}, None: new(figures(15, 40)),
		Totals: new(figures(20, 0))}
	top := filtered.Top(a)
	l := lists.New(top, lists.Sections()[0], &query.TopAnswer{}, links.Address{Site: "shop"})
	l.PlaceNone(top, lists.Sections()[0], nil, links.Address{Site: "shop"})
	if len(l.Rows) != 2 || len(l.Rest) != 0 {
		t.Fatalf("%d rows and %d others, want 2 and 0", len(l.Rows), len(l.Rest))
	}
	if r := l.Rows[0]; locale.InEnglish(r.Value) != "Direct / none" || r.Figure != "15" || locale.InEnglish(r.Share) != "75.0 %" ||
		r.Bar != 100 ||
		r.Change != "" || r.Filter != "/sites/shop?where=referrer%3D" {
		t.Errorf("the first row is %+v", r)
	}
	var b bytes.Buffer
	if err := Top(&b, TopView{At: links.Address{Site: "shop"}, Answer: top, Filtering: &Filtering{}}); err != nil {
		t.Fatal(err)
	}
	wantAll(t, html.UnescapeString(b.String()),
		`<a href="/sites/shop?where=referrer%3D"><bdi title="Direct / none">Direct / none</bdi></a></th><td>15</td><td>75.0 %</td>`)
	direct := links.Address{Site: "shop", Where: []query.Condition{{Dimension: "referrer", Op: query.Is, Values: []string{""}}}}
	if says := locale.InEnglish(saysAll(direct)[0]); says != "Source is Direct / none" {
		t.Errorf("the filter says %q", says)
	}
	if again := direct.Adding("referrer", ""); again != "" {
		t.Errorf("the filter is offered again at %s", again)
	}
}

// A filtered list that is sorted by a rate has what has no value last, without a share.
func TestWhatHasNoValueIsLastByARate(t *testing.T) {
	figures := func(events int64, rate float64) query.FilteredTopCounts {
		return query.FilteredTopCounts{FilteredFigures: query.FilteredFigures{Events: events, UniqueVisitors: uint64(events), BounceRate: &rate}}
	}
	a := query.FilteredTopAnswer{Dimension: "country", Sort: "bounceRate", Values: 2, Rows: []query.FilteredTopRow{
		{Value: "DE", FilteredTopCounts: figures(1, 1)}, {Value: "FR", FilteredTopCounts: figures(2, 0.5)}}, None: new(figures(40, 0.75)),
		Totals: new(figures(43, 0.7))}
	rows := filtered.Top(a).Rows
	if len(rows) != 3 || rows[0].Value != "DE" || rows[2].Value != "" || rows[2].Share != nil {
		t.Errorf("rows %+v, want DE, FR and the rest", rows)
	}
}
