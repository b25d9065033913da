package serving

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// chips is what the filters of the page are.
const chips = `[...document.querySelectorAll(".chips span")].map(e => e.textContent).join("; ")`

// arrived waits until the page is loaded and has these filters.
func (b *browser) arrived(t *testing.T, filters ...string) {
	t.Helper()
	b.until(t, fmt.Sprintf(`%s == %q`, chips, strings.Join(filters, "; ")))
}

// A filteredState is a page under filters as it was seen first.
type filteredState struct {
	filters []string
	address string
	text    string // all that can be read
}

// seen is the state of the page that is shown.
func (b *browser) seen(t *testing.T, filters []string) filteredState {
	t.Helper()
	b.arrived(t, filters...)
	return filteredState{slices.Clone(filters), strings.TrimPrefix(b.value(t, "location.href"), b.base),
		b.value(t, `document.querySelector("main").innerText`)}
}

// shows checks that a page shows what it did when it was seen first.
func (b *browser) shows(t *testing.T, want filteredState, how string) {
	t.Helper()
	got := b.seen(t, want.filters)
	if got.address != want.address || got.text != want.text {
		t.Errorf("%s at %d filters: %s shows %s\nwant %s, which showed %s", how, len(want.filters), got.address, got.text, want.address,
			want.text)
	}
}

// TestTenFiltersBackAndForward adds ten filters by click, one after the other, and goes back and forward through them: each
// page shows what it did before, as it does when its address is opened again. In make test an address brings some of them at once.
func TestTenFiltersBackAndForward(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	server := serverFor(t, served(t, table))
	b := openBrowser(t, server.URL)
	b.still(t)
	b.open(t, "/sites/shop?from="+day.Format("2006-01-02")+"&to="+day.AddDate(0, 0, 4).Format("2006-01-02"))
	filters := []string{}
	states := []filteredState{b.seen(t, filters)}
	add := func(filter string) {
		t.Helper()
		filters = append(filters, filter)
		states = append(states, b.seen(t, filters))
	}
	for _, row := range []struct{ card, value, filter string }{{"places", "IN", "Country is India"}, {"sources", "news.example",
		"Source is news.example"}} {
		b.do(t, chromedp.Click(fmt.Sprintf(`//section[@id=%q]//a[bdi/@title=%q]`, row.card, row.value), chromedp.BySearch))
		add(row.filter)
	}
	excluded := func(i int) (dimension, filter string) {
		return []string{"page", "type"}[i%2], fmt.Sprintf("%s is not /%d", []string{"Page", "Type"}[i%2], i)
	}
	typed := slow.Of(t, 3, 8)
	if given := 8 - typed; given > 0 { // An address brings the others.
		address := states[2].address
		for i := range given {
			dimension, filter := excluded(i)
			address += "&" + url.Values{"where": {fmt.Sprintf("%s!=/%d", dimension, i)}}.Encode()
			filters = append(filters, filter)
		}
		b.open(t, address)
		states = append(states, b.seen(t, filters))
	}
	for i := 8 - typed; i < 8; i++ {
		dimension, filter := excluded(i)
		b.do(t, chromedp.Click(".filters summary"), chromedp.SetValue(`[name="filter"]`, dimension),
			chromedp.SetValue(`[name="op"]`, "!="), chromedp.SendKeys(`.filters [name="value"]`, fmt.Sprint("/", i)),
			chromedp.Click(".filters button"))
		add(filter)
	}
	if states[1].text == states[0].text || states[2].text == states[1].text {
		t.Error("filters change nothing")
	}
	if b.value(t, `document.querySelector(".filters [name=value]")`) != "null" {
		t.Error("the page offers an eleventh filter")
	}
	last := len(states) - 1
	first := last - slow.Of(t, 2, last)
	for n := last - 1; n >= first; n-- {
		b.do(t, chromedp.Evaluate("history.back()", nil))
		b.shows(t, states[n], "back")
	}
	for n := first + 1; n <= last; n++ {
		b.do(t, chromedp.Evaluate("history.forward()", nil))
		b.shows(t, states[n], "forward")
	}
	for _, link := range []string{`[data-tab="exits"]`, `[aria-keyshortcuts="w"]`, `.choices a[href*="by=hour"]`, `[data-zone]`,
		`a.tile[href*="pageViews"]`} {
		if got := b.value(t, fmt.Sprintf(`new URL(document.querySelector('%s').href).searchParams.getAll("where").length`, link)); got != "10" {
			t.Errorf("the link %s has %s filters, want 10", link, got)
		}
	}
	for _, s := range states[len(states)-slow.Of(t, 1, len(states)):] {
		b.open(t, s.address)
		b.shows(t, s, "its address opened again")
	}
	b.do(t, chromedp.Click(`[aria-label="Remove the filter Country is India"]`))
	b.arrived(t, filters[1:]...)
	b.do(t, chromedp.KeyEvent("c"))
	b.shows(t, states[0], "after all filters were removed,")
	b.do(t, chromedp.Focus(`//section[@id="goals"]//a[bdi="bought"]`, chromedp.BySearch), chromedp.KeyEvent(kb.Enter))
	b.arrived(t, "Goal is bought")
	if got := b.value(t, `document.querySelector("#goals td").textContent`); got != "26" {
		t.Errorf("%s conversions of the sessions that reach the goal, want 26", got)
	}
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}

// TestShiftPicksSeveralValues clicks rows while Shift is held: the page is filtered by any of their values. The bar removes one at a time,
// and the form adds one.
func TestShiftPicksSeveralValues(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	b := openBrowser(t, serverFor(t, served(t, table)).URL)
	b.open(t, "/sites/shop?from="+day.Format("2006-01-02")+"&"+url.Values{"where": {"page!=/a,b"}}.Encode())
	b.arrived(t, "Page is not /a× or b×")
	b.do(t, chromedp.Evaluate(`for (const row of ["IN", "(none)"]) document.querySelector('[data-panel="countries"] bdi[title="' + row + '"]')
		.dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true, cancelable: true }))`, nil))
	if got := b.value(t, `document.querySelectorAll("tr.picked").length + location.search`); got != "2"+b.value(t, "location.search") {
		t.Errorf("two rows are picked before Shift is released: %s", got)
	}
	b.do(t, chromedp.Evaluate(`document.dispatchEvent(new KeyboardEvent("keyup", { key: "Shift", bubbles: true }))`, nil))
	b.arrived(t, "Page is not /a× or b×", "Country is (none)× or India×")
	if got := b.value(t, `new URLSearchParams(location.search).getAll("where").join(" ")`); got != `page!=/a,b country=IN,""` {
		t.Errorf("the address has the filters %s", got)
	}
	b.do(t, chromedp.Click(`[aria-label="Remove the value (none)"]`))
	b.arrived(t, "Page is not /a× or b×", "Country is India")
	b.do(t, chromedp.Click(".filters summary"), chromedp.SetValue(`[name="filter"]`, "country"),
		chromedp.SendKeys(`.filters [name="value"]`, "Germany"), chromedp.Click(".filters button"))
	b.arrived(t, "Page is not /a× or b×", "Country is Germany× or India×")
	b.do(t, chromedp.Click(`[data-panel="countries"] a:has([title="DE"])`)) // Without Shift, it is this value alone.
	b.arrived(t, "Page is not /a× or b×", "Country is Germany")
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}

// TestFilterFormSuggestsValues opens the form of a new filter: it suggests values of the dimension that is chosen, which are read then, and
// once. A server that does not answer suggests none.
func TestFilterFormSuggestsValues(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h, lists, broken := served(t, table), atomic.Int64{}, atomic.Bool{}
	server := serverFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/api/v1/sites/shop/top/") {
			lists.Add(1)
			if broken.Load() {
				panic(http.ErrAbortHandler)
			}
		}
		h.ServeHTTP(w, r)
	}))
	b := openBrowser(t, server.URL)
	const suggested = `[...document.querySelectorAll("#values option")].map(o => o.value).sort().join(" ")`
	choose := func(dimension string) {
		t.Helper()
		b.do(t, chromedp.Evaluate(fmt.Sprintf(`{ const s = document.querySelector('[name="filter"]'); s.value = %q;
			s.dispatchEvent(new Event("change")); }`, dimension), nil))
	}
	b.open(t, "/sites/shop?from="+day.Format("2006-01-02"))
	if n := lists.Load(); n != 0 {
		t.Errorf("%d lists were read before the form was opened", n)
	}
	b.do(t, chromedp.Click(".filters summary"))
	b.until(t, suggested+`.includes("/kettles")`)
	choose("country")
	b.until(t, suggested+`.split(" ").includes("IN") && !`+suggested+`.includes("/kettles")`)
	if got := b.value(t, `document.querySelector('#values option[value="IN"]').label`); got != "India (IN)" {
		t.Errorf("the form suggests IN as %q, so it cannot be found by its name", got)
	}
	choose("page")
	b.until(t, suggested+`.includes("/kettles")`)
	choose("exit")
	b.until(t, suggested+` != "" && !`+suggested+`.includes("IN")`)
	choose("goal")
	b.until(t, suggested+` == "bought" && document.querySelector('[name="op"] [value="^="]').disabled`)
	choose("type")
	b.until(t, suggested+` == ""`)
	if n := lists.Load(); n != 3 {
		t.Errorf("%d lists were read, want those of page, country and exit", n)
	}
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
	broken.Store(true)
	choose("device")
	b.do(t, chromedp.SendKeys(`.filters [name="value"]`, "desktop"), chromedp.Click(".filters button"))
	b.arrived(t, "Device is desktop")
}

func TestLockedPageInABrowser(t *testing.T) { testLockedPage(t, footfalltest.Options{}) }

func TestRealLockedPageInABrowser(t *testing.T) {
	slow.Test(t)
	testLockedPage(t, footfalltest.Options{DynamoDB: testenv.SetAWS(t)})
}

// testLockedPage looks at a page under locked filters: what it says stays, whatever is clicked.
func testLockedPage(t *testing.T, o footfalltest.Options) {
	source := axe(t)
	h, base, table, day := lockedPages(t, o)
	b := openBrowser(t, serverFor(t, h).URL)
	const locked = `document.querySelector(".locked").textContent == "This view is filtered. It is only about what passes Country is India."`
	from := "?from=" + day.Format("2006-01-02")
	b.look(t, []state{{"locked", base + "/sites/shop" + from, locked},
		{"locked with another filter", base + "/sites/shop" + from + "&where=page%3D/", locked},
		{"a locked list", base + "/sites/shop/top/page" + from, locked},
		{"a locked funnel", base + "/sites/shop/funnels/checkout" + from, locked}}, source)
	b.look(t, embeddedStates(t, from), source)
	b.open(t, base+"/sites/shop"+from)
	b.do(t, chromedp.Click(`//section[@id="pages"]//div[not(@hidden)]//a[bdi="/kettles"]`, chromedp.BySearch))
	b.arrived(t, "Page is /kettles")
	b.until(t, locked)
	b.do(t, chromedp.Click(`[aria-label="Remove the filter Page is /kettles"]`))
	b.arrived(t)
	b.until(t, locked+` && !location.search.includes("where")`)
	const parts = `document.querySelectorAll("#goals tbody tr").length + " " + document.querySelectorAll("#funnels").length`
	if got := b.value(t, parts); got != "1 1" {
		t.Errorf("the locked page has %s goals and cards of funnels, want one of each", got)
	}
	says := func(text string) string {
		return fmt.Sprintf(`document.querySelector("main").textContent.includes(%q)`, text)
	}
	b.base = serverFor(t, served(t, table)).URL
	b.look(t, []state{{"a funnel", "/sites/shop/funnels/checkout" + from, says("visitors reached the last step")},
		{"a funnel that is too dear", "/sites/shop/funnels/checkout" + from + "&maxEvents=1", says("would cost about")},
		{"entries of those who reach a goal", "/sites/shop" + from + "&where=goal%3Dbought&pages=entries", says("Goal is bought")},
		{"a list that leads to a goal", "/sites/shop/top/country" + from, says("Raw events say the conversions of a goal:")},
		{"a list of a goal", "/sites/shop/top/referrer" + from + "&where=goal%3Dbought", says("Conversions are of the goal")}}, source)
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}

// TestHostileFiltersAreTexts: filters of markup and the like are shown as texts, nothing of them runs, and forms keep each byte.
func TestHostileFiltersAreTexts(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	server := serverFor(t, served(t, table))
	b := openBrowser(t, server.URL)
	var wheres []string
	for _, value := range []string{`<script>alert(1)</script>`, `"""><img src=x onerror=alert(1)>"`, "' autofocus onfocus='alert(1)",
		"nul\x00tab\tline\r\nend",
		"javascript:alert(1)", "\u202egnp.exe", "a&where=page=/", strings.Repeat("m", 256), "\U0001F600", "{{.Title}}"} {
		wheres = append(wheres, "country!="+value)
	}
	b.open(t, "/sites/shop?from="+day.Format("2006-01-02")+"&"+url.Values{"where": wheres}.Encode())
	if got := b.value(t, `document.querySelectorAll(".chips span").length`); got != fmt.Sprint(len(wheres)) {
		t.Errorf("%s filters, want %d", got, len(wheres))
	}
	if over := b.value(t, "document.documentElement.scrollWidth - innerWidth"); over != "0" {
		t.Errorf("%s pixels wider than the screen", over)
	}
	b.do(t, chromedp.Evaluate(`document.querySelector(".ranges form").requestSubmit()`, nil))
	b.until(t, `location.search.includes("to=")`)
	var kept []string
	b.do(t, chromedp.Evaluate(`new URLSearchParams(location.search).getAll("where")`, &kept))
	if !slices.Equal(kept, wheres) {
		t.Errorf("a form makes %q of %q", kept, wheres)
	}
	if len(b.complaints) > 0 || slices.ContainsFunc(b.requests, func(r string) bool { return !strings.HasPrefix(r, server.URL+"/") }) {
		t.Errorf("the browser complains: %q; it asked for %q", b.complaints, b.requests)
	}
}
