package page

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/noted"
)

// valued has values in the range and in the earlier one, each a number of events and their sum.
func valued(now int64, sum string, before int64, sumBefore string) SiteView {
	v := view("shop")
	v.Stats.Totals.Values, v.Stats.Totals.ValueSum = now, sum
	p := v.Stats.Previous
	p.Totals.Values, p.Totals.ValueSum = before, sumBefore
	change := v.Stats.Totals.Since(*p.Totals)
	p.Change = &change
	return v
}

func TestValueHasATileWhereEitherRangeHasValues(t *testing.T) {
	for _, c := range []struct {
		v    SiteView
		want string // "": no tile
	}{
		{valued(0, "0", 0, "0"), ""},
		{valued(3, "1234.5", 2, "1000"), "1,234.5 +23.4 % 1,000"},
		{valued(0, "0", 2, "1000"), "0 −100.0 % 1,000"},
		{valued(2, "0", 0, "0"), "0  0"}, // A sale and its refund.
		{valued(1, "12345678901234567.25", 0, "0"), "12,345,678,901,234,567.25  0"},
	} {
		shown := ""
		for _, tile := range chart.Tiles(c.v.Stats, c.v.At) {
			if locale.InEnglish(tile.Title) == "Value" {
				shown = locale.InEnglish(strings.Join([]string{tile.Value, tile.Change, tile.Before}, " "))
			}
		}
		if shown != c.want {
			t.Errorf("%+v: the tile %q, want %q", c.v.Stats.Totals.ValueSum, shown, c.want)
		}
	}
}

// The graph of values begins at 0, or below the least sum: refunds may exceed sales.
func TestGraphOfValuesReachesBelowZero(t *testing.T) {
	lines := func(sums ...string) (all []string, g chart.Graph) {
		v := valued(3, "1", 0, "0")
		v.At.Values = map[string]string{"figure": "valueSum"}
		for i, sum := range sums {
			v.Stats.Buckets[i].ValueSum = sum
		}
		g = chart.Draw(v.Stats, v.At)
		for _, line := range g.Lines {
			all = append(all, locale.InEnglish(line.Value))
		}
		return all, g
	}
	for _, c := range []struct{ sums, want []string }{
		{[]string{"0.3", "0.25", "0", "0"}, []string{"0", "0.1", "0.2", "0.3"}},
		{[]string{"3", "-1.5", "0", "0"}, []string{"−2", "-1", "0", "1", "2", "3"}},
		{[]string{"0", "-1000", "0", "0"}, []string{"−1,000", "−500", "0"}},
	} {
		got, g := lines(c.sums...)
		if want := strings.ReplaceAll(strings.Join(c.want, " "), "-", "−"); strings.Join(got, " ") != want {
			t.Errorf("lines of %v at %v, want %s", c.sums, got, want)
		}
		if least := slices.MaxFunc(g.Dots, func(a, b chart.GraphDot) int { return int(a.Y - b.Y) }); least.Y > g.Top+g.Height {
			t.Errorf("%v: a bucket is drawn at %v, below the graph, which ends at %v", c.sums, least.Y, g.Top+g.Height)
		}
	}
}

// Under a filter that breakdowns answer, values are not known: there is no tile, and the graph shows visitors.
func TestValuesThatAreNotKnownHaveNoTile(t *testing.T) {
	for sum, want := range map[*string]string{nil: "Visitors by day", new("7.5"): "Value by day"} {
		figures := query.FilteredFigures{PageViews: 5, Events: 5, UniqueVisitors: 2, ValueSum: sum}
		v := view("shop")
		v.At.Values = map[string]string{"figure": "valueSum"}
		v.Stats = filtered.Stats(query.FilteredStatsAnswer{By: query.Day, From: day, To: day.AddDate(0, 0, 1), Totals: &figures,
			Buckets: []query.FilteredBucket{{Start: day, End: day.AddDate(0, 0, 1), FilteredFigures: figures}}})
		v.Filtering = &Filtering{Scope: query.ScopeSessions}
		text := siteOf(t, v)
		if tile := strings.Contains(text, `<span class="title">Value</span>`); tile != (sum != nil) || !strings.Contains(text, want) {
			t.Errorf("%s: the page has the tile: %v", want, tile)
		}
	}
}

// Named events have the sum of their values beside their number, and columns of their own in the whole list.
func TestEventsHaveTheSumOfTheirValues(t *testing.T) {
	a := query.TopAnswer{Site: "shop", Dimension: "event", Sort: "events", From: day, To: day.AddDate(0, 0, 1), Values: 2,
		Rows: []query.TopRow{{Value: "order", TopCounts: query.TopCounts{Events: 3, Values: 3, ValueSum: "1234.5"}},
			{Value: "menu", TopCounts: query.TopCounts{Events: 1, ValueSum: "0"}}}}
	v := view("shop")
	v.Tops[len(v.Tops)-1] = a
	wantAll(t, siteOf(t, v), `<td>3 <small title="Value sum">Σ 1,234.5</small></td>`, `<td>1</td>`)
	list := func(rows ...query.TopRow) string {
		a.Rows = rows
		var b bytes.Buffer
		if err := Top(&b, TopView{At: v.At, Answer: a}); err != nil {
			t.Fatal(err)
		}
		return html.UnescapeString(b.String())
	}
	all := a.Rows
	wantAll(t, list(all...), `sort=valueSum" title="Sort by this">Value sum</a>`, `<td>3</td><td>1,234.5</td></tr>`, `<td>0</td><td>0</td></tr>`)
	if strings.Contains(list(all[1]), "Value sum") {
		t.Error("a list without values has their column")
	}
}

// A list by a rate has a form of the least number that it is of. Links to other rates, to the API and to further pages keep it; those to
// sums and to the site's page do not.
func TestListsByRatesHaveALeastNumber(t *testing.T) {
	list := func(sort string, values map[string]string) string {
		v := view("/a")
		values["sort"] = sort
		v.At.Values = values
		a := v.Tops[0]
		a.Dimension, a.Sort, a.Cursor = "page", sort, "next"
		if values["minCount"] != "" {
			a.MinCount = 20
		}
		var b bytes.Buffer
		if err := Top(&b, TopView{At: v.At, Answer: a}); err != nil {
			t.Fatal(err)
		}
		return html.UnescapeString(b.String())
	}
	least := list("avgTimeOnPageMs", map[string]string{"from": "-4d", "minCount": "20"})
	wantAll(t, least, `Page views ≥ <input type="number" name="minCount" value="20" min="1" max="1000000" required>`,
		`?from=-4d&sort=avgTimeOnPageMs">All</a>`, `?from=-4d&minCount=20&sort=bounceRate"`, `?from=-4d&sort=pageViews"`,
		`?cursor=next&from=-4d&minCount=20&sort=avgTimeOnPageMs"`, `format=csv&from=-4d&limit=10000&minCount=20&sort=avgTimeOnPageMs"`,
		`name="minCount" value="20">`, `href="/sites/%2Fa?from=-4d&where=page%3D%2Fa"`, "2 values have as many.")
	wantAll(t, list("bounceRate", map[string]string{"from": "-4d"}), `Sessions ≥ <input type="number" name="minCount" value=""`,
		"2 values have a row in this range.")
	if strings.Contains(list("pageViews", map[string]string{"from": "-4d"}), "minCount") {
		t.Error("a list by a sum has the form")
	}
}

// A list by a sum of values has its changes, also of what has no value. One with all rows does not speak of others.
func TestListsBySumsOfValuesHaveChanges(t *testing.T) {
	answer := func(google, none string) query.TopAnswer {
		counts := query.TopCounts{Sessions: 5, TopConversions: query.TopConversions{Conversions: 2, ConversionValue: google}}
		return query.TopAnswer{Dimension: "referrer", Sort: "conversionValue", Values: 1, Rows: []query.TopRow{{Value: "google.com",
			TopCounts: counts}}, None: &query.TopNone{Sessions: 3, TopConversions: query.TopConversions{Conversions: 1, ConversionValue: none}}}
	}
	before := answer("40", "10.5")
	var b bytes.Buffer
	if err := Top(&b, TopView{At: view("shop").At, Answer: answer("50", "21"), Before: &before}); err != nil {
		t.Fatal(err)
	}
	text := html.UnescapeString(b.String())
	wantAll(t, text, `<td>50</td><td></td><td><span class="better">+25 %</span>`, `Direct / none`, `<td>21</td><td></td><td><span class="better">+100 %</span>`)
	if strings.Contains(text, "(others)") {
		t.Error("a list with all rows speaks of others")
	}
}

// A finding of an alert is named with its condition: a number alone does not say what was counted.
func TestFindingsOfAlertsNameTheirCondition(t *testing.T) {
	v := view("shop")
	v.Fired.Findings = []noted.Finding{{Start: day, AlertID: "busy", When: "pageViews > 10", Text: "18"}}
	wantAll(t, siteOf(t, v), "busy: 18 (pageViews > 10)")
}
