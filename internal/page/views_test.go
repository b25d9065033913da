package page

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// siteOf renders a site's page, unescaped.
func siteOf(t *testing.T, v SiteView) string {
	t.Helper()
	var b bytes.Buffer
	if err := Site(&b, v); err != nil {
		t.Fatal(err)
	}
	return html.UnescapeString(b.String())
}

// wantAll reports which texts a page lacks.
func wantAll(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// Each number leads to its definition, which is at the server's own address.
func TestNumbersLeadToTheirDefinitions(t *testing.T) {
	var b bytes.Buffer
	if err := About(&b, links.Look{}); err != nil {
		t.Fatal(err)
	}
	definitions := b.String()
	linked := regexp.MustCompile(`href="/about/metrics#([^"]*)"`)
	seen := make(map[string]bool)
	for name, page := range pages(t, "plain") {
		for _, m := range linked.FindAllStringSubmatch(page, -1) {
			seen[m[1]] = true
			if !strings.Contains(definitions, `id="`+m[1]+`"`) {
				t.Errorf("%s leads to a definition of %q, which there is not", name, m[1])
			}
		}
	}
	if len(seen) < len(chart.All) {
		t.Errorf("definitions of %d figures are linked, want those of all tiles: %v", len(seen), seen)
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(definitions, -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "/") {
			t.Errorf("the definitions lead to %s, which is not served", m[1])
		}
		if anchor, ok := strings.CutPrefix(m[1], "#"); ok && !strings.Contains(definitions, `id="`+anchor+`"`) {
			t.Errorf("the definitions lead to #%s, which there is not", anchor)
		}
	}
}

// Links to definitions look the same on all pages. Links that sort a list look different.
func TestDefinitionsLookAlike(t *testing.T) {
	link := regexp.MustCompile(`<a ([^>]*)href="/about/metrics#[^>]*>([^<]*)</a>`)
	for name, page := range pages(t, "plain") {
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if strings.HasPrefix(m[2], "What ") {
				continue // A sentence leads there.
			}
			if !strings.Contains(m[1], `class="define"`) || m[2] != "?" {
				t.Errorf("%s has the definition %s", name, m[0])
			}
		}
		if name != "session" && name != "fault" && name != "login" && name != "form" && !strings.Contains(page, `class="define"`) {
			t.Errorf("%s has no definitions", name)
		}
	}
}

// The address names the tab of each card, and links to other ranges keep it.
func TestAddressNamesTabs(t *testing.T) {
	v := view("shop")
	v.At.Values = map[string]string{"pages": "exits", "from": "-4d"}
	page := siteOf(t, v)
	wantAll(t, page, `data-tab="exits" aria-current="true"`, `data-panel="exits">`, `data-panel="pages" hidden>`,
		`data-tab="sources" aria-current="true"`, `data-panel="channels" hidden>`, `href="/sites/shop?from=-28d&pages=exits"`,
		`href="/sites/shop?from=-4d&pages=entries#pages"`, `href="/sites/shop?from=-4d#pages"`, `name="pages" value="exits"`,
		`href="/sites/shop?compare=year&from=-4d&pages=exits"`)
}

// A click on an entry or exit page filters sessions by it, in a list of the site's page and in the whole list. Any other row filters by its
// own dimension.
func TestRowsOfLandingsFilterByThem(t *testing.T) {
	v := view("/a")
	page := siteOf(t, v)
	for _, dimension := range []string{"page", "entry", "exit", "country"} {
		wantAll(t, page, `href="/sites/%2Fa?from=-4d&where=`+dimension+`%3D%2Fa">`)
	}
	for sort, dimension := range map[string]string{"entries": "entry", "exits": "exit", "pageViews": "page"} {
		var b bytes.Buffer
		a := v.Tops[0]
		a.Dimension, a.Sort = "page", sort
		if err := Top(&b, TopView{At: v.At, Answer: a}); err != nil {
			t.Fatal(err)
		}
		wantAll(t, html.UnescapeString(b.String()), `href="/sites/%2Fa?from=-4d&where=`+dimension+`%3D%2Fa">`)
	}
}

// A tab of a browser and a bookmark name the site, its range and filters.
func TestTitlesNameRangeAndFilters(t *testing.T) {
	v := view("shop")
	wantAll(t, siteOf(t, v), "<title>shop · 10 May 2026 – 13 May 2026 · footfall</title>")
	v.At.Where = []query.Condition{of("country", query.Is, "DE"), of("page", query.Begins, "/a")}
	v.Filtering = &Filtering{Scope: query.ScopeEvents}
	wantAll(t, siteOf(t, v), "<title>shop · 10 May 2026 – 13 May 2026 · Country is Germany · Page begins with /a · footfall</title>")
}

// of is a filter.
func of(dimension string, op query.Op, values ...string) query.Condition {
	return query.Condition{Dimension: dimension, Op: op, Values: values}
}

// Each value of a filter can be removed, and so can all of it. A row narrows the filter to its value; by another dimension or another
// goal it adds a filter. Those of the credential stay.
func TestValuesOfAFilterAreRemovedOneByOne(t *testing.T) {
	v := view("shop")
	v.At.Where = []query.Condition{of("country", query.Is, "DE", "AT"), of("page", query.IsNot, "/a,b", "/c")}
	v.Filtering = &Filtering{Scope: query.ScopeEvents}
	wantAll(t, siteOf(t, v), "Country is Germany or Austria · Page is not /a,b or /c",
		`<bdi>Germany</bdi><a href="/sites/shop?from=-4d&where=country%3DAT&`+
			`where=page%21%3D%22%2Fa%2Cb%22%2C%2Fc" aria-label="Remove the value Germany"`, `where=country%3DAT%2CDE&where=page%21%3D%22%2Fa%2Cb%22"`,
		`href="/sites/shop?from=-4d&where=country%3DAT%2CDE" aria-label="Remove the filter Page is not /a,b or /c"`)
	for _, c := range []struct {
		where, locked []query.Condition
		dimension     string
		value, want   string
	}{
		{v.At.Where[:1], nil, "country", "AT", "?where=country%3DAT"},
		{v.At.Where[:1], nil, "country", "", "?where=country%3D%22%22%2CAT%2CDE"},
		{v.At.Where[:1], v.At.Where[:1], "country", "AT", "?where=country%3DAT"},
		{v.At.Where[:1], v.At.Where[:1], "country", "CH", "?where=country%3DCH"},
		{[]query.Condition{of("goal", query.Is, "a", "b")}, nil, "goal", "c", "?where=goal%3Da%2Cb&where=goal%3Dc"},
		{[]query.Condition{of("goal", query.Is, "a", "b")}, nil, "goal", "b", "?where=goal%3Db"},
		{[]query.Condition{of("country", query.Is, "AT")}, nil, "country", "AT", ""},
	} {
		if c.want != "" {
			c.want = "/sites/shop" + c.want
		}
		at := links.Address{Site: "shop", Where: c.where, Locked: c.locked}
		if got := at.Adding(c.dimension, c.value); got != c.want {
			t.Errorf("%v under %v, and %s=%s: %s, want %s", c.where, c.locked, c.dimension, c.value, got, c.want)
		}
	}
}

// The form of a new filter suggests values of the page's range. Share links and views under filters suggest none.
func TestFilterSuggestsValues(t *testing.T) {
	v := view("a/b")
	v.At.Values = map[string]string{"period": "2026-05", "tz": "UTC", "pages": "exits"}
	v.At.Where = []query.Condition{of("country", query.Is, "DE")}
	wantAll(t, siteOf(t, v), `data-values="/api/v1/sites/a%2Fb/" data-values-of="limit=100&period=2026-05&tz=UTC"`)
	locked, shared := v, v
	locked.At.Locked, shared.At.Base = v.At.Where, "/share/x"
	for name, view := range map[string]SiteView{"locked": locked, "shared": shared} {
		if page := siteOf(t, view); strings.Contains(page, "data-values") || !strings.Contains(page, `name="value"`) {
			t.Errorf("a %s page suggests values, or has no form", name)
		}
	}
}

// No key does two things, and all ranges have one.
func TestKeysAreUnique(t *testing.T) {
	keys := regexp.MustCompile(`aria-keyshortcuts="([^"]*)"`)
	v := view("shop")
	v.At.Where = []query.Condition{of("country", query.Is, "DE"), of("page", query.Begins, "/a")}
	v.Filtering = &Filtering{Scope: query.ScopeEvents}
	for name, page := range map[string]string{"site": siteOf(t, view("shop")), "filtered": siteOf(t, v)} {
		seen := map[string]bool{"g": true, "?": true} // Of the script.
		for _, m := range keys.FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Errorf("%s: the key %s does two things", name, m[1])
			}
			seen[m[1]] = true
		}
		for _, r := range v.At.Ranges() {
			if !seen[r.Key] {
				t.Errorf("%s: the range %s has no key", name, r.Title)
			}
		}
	}
}

// A value's change is that of its figure. A value that the earlier range lacks is new only if that range has no value without a row.
func TestRowsHaveChanges(t *testing.T) {
	row := func(value string, views int64) query.TopRow {
		return query.TopRow{Value: value, TopCounts: query.TopCounts{PageViews: views}}
	}
	now := query.TopAnswer{Rows: []query.TopRow{row("/a", 30), row("/b", 20), row("/c", 5), row("/d", 5)}}
	before := query.TopAnswer{Rows: []query.TopRow{row("/a", 20), row("/b", 40), row("/d", 5)}}
	s := lists.Section{Dimension: "page", Sort: "pageViews"}
	changes := func(before *query.TopAnswer) string {
		var all []string
		for _, r := range lists.New(now, s, before, links.Address{}).Rows {
			all = append(all, locale.InEnglish(r.Change)+" "+r.Trend)
		}
		return strings.Join(all, ", ")
	}
	if got, want := changes(&before), "+50 % better, −50 % worse, new better, 0 % same"; got != want {
		t.Errorf("changes: %s, want %s", got, want)
	}
	before.AbsentAtMost = 3
	if got, want := changes(&before), "+50 % better, −50 % worse,  , 0 % same"; got != want {
		t.Errorf("changes since a range that lacks values: %s, want %s", got, want)
	}
	if got, want := changes(nil), " ,  ,  ,  "; got != want {
		t.Errorf("changes without an earlier range: %q", got)
	}
}

// The arrows lead to ranges of equal length: months to months, days to days, hours to hours, also where clocks change.
func TestStepsKeepTheLength(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := links.Address{Site: "shop", Values: map[string]string{"period": "month"}}
	for _, c := range []struct{ from, to, earlier, later string }{
		{"2026-03-01T00:00", "2026-04-01T00:00", "from=2026-02-01&to=2026-03-01", "from=2026-04-01&to=2026-05-01"},
		{"2026-01-01T00:00", "2027-01-01T00:00", "from=2025-01-01&to=2026-01-01", ""},
		{"2026-03-25T00:00", "2026-04-01T00:00", "from=2026-03-18&to=2026-03-25", "from=2026-04-01&to=2026-04-08"},
		{"2026-05-10T13:00", "2026-05-10T14:00", "from=2026-05-10T12%3A00%3A00%2B02%3A00&to=2026-05-10T13%3A00%3A00%2B02%3A00",
			"from=2026-05-10T14%3A00%3A00%2B02%3A00&to=2026-05-10T15%3A00%3A00%2B02%3A00"},
		// Until now.
		{"2026-05-26T00:00", "2026-06-01T14:25", "from=2026-05-19&to=2026-05-26", ""},
		{"2026-05-26T00:00", "2026-06-01T15:00", "from=2026-05-19&to=2026-05-26", ""},
	} {
		read := func(s string) time.Time {
			at, err := time.ParseInLocation("2006-01-02T15:04", s, berlin)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		earlier, later := links.Steps(read(c.from), read(c.to), at, read("2026-06-01T14:25"))
		if earlier != "/sites/shop?"+c.earlier || c.later != "" && later != "/sites/shop?"+c.later || c.later == "" && later != "" {
			t.Errorf("[%s, %s): %s and %s, want %s and %s", c.from, c.to, earlier, later, c.earlier, c.later)
		}
	}
}

// What is missing is said before the figures.
func TestMissingDataIsSaidFirst(t *testing.T) {
	v := view("shop")
	v.Stats.Incomplete, v.Stats.Previous.Incomplete, v.Stats.Totals.UniqueVisitors = true, true, nil
	page := siteOf(t, v)
	said := strings.Index(page, "Some hours or days of this range have expired")
	if said < 0 || said > strings.Index(page, `class="tiles"`) {
		t.Errorf("expired data is said at %d", said)
	}
	v.Stats.Warnings = []query.Warning{{Kind: query.WarnParked, Partition: "events/3", OfSite: true, Through: day}}
	wantAll(t, siteOf(t, v), "Partition events/3, which had events of this site lately, has stopped. "+
		"It is counted up to records of 10 May 2026, 00:00:00.")
	wantAll(t, page, "changes are or may be too high", "Visitors are not known")
	v.Stats.Stored = &query.Stored{From: day, To: day.AddDate(0, 1, 0), Expired: true}
	wantAll(t, siteOf(t, v), "has expired.", "The site has data from 10 May 2026 – 9 Jun 2026")
}

func TestNewAndReturningVisitors(t *testing.T) {
	v := view("shop")
	wantAll(t, siteOf(t, v), "The site does not count new visitors. This command has it count them from then on: "+
		"<code>footfall site update shop --new-visitors on</code>")
	v.Stats.Totals.NewVisitors, v.Stats.Totals.ReturningVisitors, v.Stats.Totals.ReturningError = new(int64(300)), visitors(100), 0.01
	wantAll(t, siteOf(t, v), "300 <small>75.0 %", "~100 <small>25.0 % ± 1.0 %")
}

// Commands that a page names can be pasted into a shell.
func TestCommandsAreQuoted(t *testing.T) {
	for id, want := range map[string]string{"shop.example": "shop.example", "a/b@c:1": "a/b@c:1", "my shop": "'my shop'", "it's": `'it'\''s'`,
		"$(x)": "'$(x)'", "~": "'~'", "": "''", "\u00fc": "'\u00fc'"} {
		if got := shellWord(id); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}

// Pages of the whole list search among its values, and say among how many.
func TestWholeListsAreSearched(t *testing.T) {
	v := TopView{At: links.Address{Site: "shop", Values: map[string]string{"search": "GUI", "from": "-7d", "sort": "pageViews"}},
		Answer: query.TopAnswer{Dimension: "page", Sort: "pageViews", Values: 9, Cursor: "more", From: day, To: day.AddDate(0, 0, 1),
			Rows: []query.TopRow{{Value: "/guides/1"}, {Value: "/docs"}, {Value: "/Guides"}}}}
	var b bytes.Buffer
	if err := Top(&b, v); err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(b.String())
	wantAll(t, page, "2 values, among the 3 greatest of 9", ">/guides/1<", ">/Guides<", `name="search"`, `value="GUI"`,
		`href="/sites/shop/top/page?from=-7d&search=GUI&sort=events"`)
	if strings.Contains(page, ">/docs<") || strings.Contains(page, "(others)") {
		t.Error("the page has what was not searched for")
	}
}

// A session is shown event by event.
func TestSessionIsReplayed(t *testing.T) {
	page := html.UnescapeString(pages(t, "plain")["session"])
	wantAll(t, page, "00:00:00 <small>+0.0s", `{"a":1}`, "Sun 10 May 2026, 00:00:00", `href="/sites/plain/sessions?visitor=plain"`)
	if got := pageOf("https://shop.example/a?b=c"); got != "/a?b=c" {
		t.Errorf("page of an address: %s", got)
	}
}

// Days before the site's first data are a gap in the graph, not zeros.
func TestGraphBeginsWithTheData(t *testing.T) {
	v := view("shop")
	previous := *v.Stats.Previous
	previous.DataFrom, previous.ByBucket = new(v.Stats.Buckets[1].Start), true
	v.Stats.Previous = &previous
	v.Stats.Buckets[0].Figures = query.Figures{UniqueVisitors: new(uint64(0))}
	g := chart.Draw(v.Stats, v.At)
	if g.Buckets[0].Value != locale.Unknown || g.Buckets[2].Value != "20" { // The second is not known anyway.
		t.Errorf("the first and the third day are %q and %q, want the first unknown", g.Buckets[0].Value, g.Buckets[2].Value)
	}
	n := float64(len(v.Stats.Buckets))
	if first := fmt.Sprintf("M%.1f ", chart.Width*2.5/n); !strings.HasPrefix(g.Line, first) {
		t.Errorf("the line is %s, want it to begin with %s", g.Line, first)
	}
	if shown := chart.Tiles(v.Stats, v.At)[0].Before; shown != "" {
		t.Errorf("before all data there were %s visitors, want nothing said", shown)
	}
}

// A change of an estimate is good or bad only beyond the error of both.
func TestChangesWithinTheErrorAreNoNews(t *testing.T) {
	v := view("shop")
	now, previous := *v.Stats.Totals, *v.Stats.Previous
	before, changes := *previous.Totals, *previous.Change
	now.VisitorsError, before.VisitorsError = 0.008, 0.008
	v.Stats.Totals, previous.Totals, previous.Change, v.Stats.Previous = &now, &before, &changes, &previous
	for by, want := range map[float64]string{-0.011: "same", 0.011: "same", 0.012: "better", -0.012: "worse"} {
		changes.UniqueVisitors.Relative = &by
		if trend := chart.Tiles(v.Stats, v.At)[0].Trend; trend != want {
			t.Errorf("a change of %v is %s, want %s", by, trend, want)
		}
	}
}

// The figure that a whole list is sorted by comes first, with its share and change: on a phone the others are off the screen.
func TestListsBeginWithTheirFigure(t *testing.T) {
	a := view("shop").Tops[0]
	a.Sort = "events"
	var b bytes.Buffer
	if err := Top(&b, TopView{At: links.Address{Site: "shop"}, Answer: a, Before: &a}); err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(b.String())
	var heads []string
	for _, m := range regexp.MustCompile(`<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]*)`).FindAllStringSubmatch(page, -1) {
		heads = append(heads, strings.TrimSpace(m[1]))
	}
	if got := strings.Join(heads[:5], " | "); got != "Value | Events | Share | Change | Visitors" {
		t.Errorf("the list begins with %s", got)
	}
	wantAll(t, page, "<td>50</td><td>50.0 %</td><td><span class=\"same\">0 %</span></td><td>30</td>")
}
