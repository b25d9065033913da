package serving

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/slow"
)

// manyPages has a pipeline count views of 130 pages of a site from two countries: page /p/001 has the most.
func manyPages(t *testing.T) (tableURL string, day time.Time) {
	t.Helper()
	f := footfalltest.Start(t, footfalltest.Options{})
	day = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -2)
	var events []footfalltest.Event
	for page := 1; page <= 130; page++ {
		for i := range 1 + 4/page {
			events = append(events, footfalltest.Event{SiteID: "many.example", Time: day.Add(time.Duration(page) * time.Minute),
				VisitorID: fmt.Sprint("v-", page, "-", i), URL: fmt.Sprintf("https://many.example/p/%03d", page),
				Country: []string{"DE", "IN"}[page%2]})
		}
	}
	f.Publish(t, events...)
	f.Settle(t)
	return f.TableURL(), day
}

// press presses a key as a keyboard does: a character is typed only if the page lets the key pass.
func press(key string) chromedp.Tasks {
	return chromedp.Tasks{input.DispatchKeyEvent(input.KeyDown).WithKey(key).WithText(key), input.DispatchKeyEvent(input.KeyUp).WithKey(key)}
}

// focused is an expression about the element that has the focus.
const focused = "document.activeElement"

// tabTo presses Tab until an expression about the element e that has the focus holds. In make test it begins at the element before.
func (b *browser) tabTo(t *testing.T, expression string) {
	t.Helper()
	holds := "Boolean((e => " + expression + ")(document.activeElement))"
	if slow.Fewer(t) {
		b.do(t, chromedp.Evaluate(`{
			const all = [...document.querySelectorAll("`+usable+`")].filter(e => e.checkVisibility() && e.tabIndex >= 0);
			const at = all.findIndex(e => `+expression+`);
			if (at > 0) all[at - 1].focus();
			else document.activeElement.blur();
		}`, nil))
	}
	for range 300 {
		if b.do(t, chromedp.KeyEvent(kb.Tab)); b.value(t, holds) == "true" {
			return
		}
	}
	t.Fatalf("300 times Tab lead to no element for which %s holds", expression)
}

// A stop is an element that Tab has led to.
type stop struct {
	Says    string `json:"says"`    // its text or label
	Follows bool   `json:"follows"` // it comes after the one before in the document
	Marked  bool   `json:"marked"`  // it can be seen that it has the focus
	Seen    bool   `json:"seen"`    // it has a place on the screen
}

// tabStops presses Tab from the beginning of the page to its end.
func (b *browser) tabStops(t *testing.T) (stops []stop) {
	t.Helper()
	b.do(t, chromedp.Evaluate("document.activeElement.blur(); window.before = document.body; window.reached = new Set(); 0", nil))
	for range 300 {
		b.do(t, chromedp.KeyEvent(kb.Tab))
		var s *stop
		if err := json.Unmarshal([]byte(b.value(t, `(() => {
			const e = document.activeElement;
			if (e == document.body || window.reached.has(e)) return "null";
			const style = getComputedStyle(e), box = e.getBoundingClientRect();
			const bucket = e.querySelector(".bucket"); // Of a point of the graph.
			const follows = Boolean(window.before.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING);
			window.before = e;
			window.reached.add(e);
			return JSON.stringify({says: e.getAttribute("aria-label") ?? e.textContent.trim(), follows, seen: box.width > 0 && box.bottom > 0,
				marked: Boolean(style.outlineStyle != "none" && parseFloat(style.outlineWidth) > 0 ||
					bucket && getComputedStyle(bucket).stroke != "none")});
		})()`)), &s); err != nil {
			t.Fatal(err)
		}
		if s == nil {
			return stops
		}
		stops = append(stops, *s)
	}
	t.Fatal("300 times Tab do not lead to the end of the page")
	return nil
}

// usable selects what a mouse can use.
const usable = "a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']"

// unreached are the elements that a mouse can use and Tab has not led to. Tab leads to one point of the graph; arrow keys lead to others.
const unreached = `JSON.stringify([...document.querySelectorAll("` + usable + `")]
	.filter(e => e.checkVisibility() && e.tabIndex >= 0 && !window.reached.has(e)).map(e => e.outerHTML.slice(0, 120)))`

// TestPageByKeyboardAlone uses a site's page and the list of its pages without a mouse: Tab leads to all, in the order of the document and
// visibly; Enter filters, removes the filter, sorts and opens; keys find, turn pages, list the keys and close the list.
func TestPageByKeyboardAlone(t *testing.T) {
	table, day := manyPages(t)
	server := serverFor(t, served(t, table))
	b := openBrowser(t, server.URL)
	b.still(t)
	b.open(t, "/sites/many.example?from="+day.Format(time.DateOnly))
	stops := b.tabStops(t)
	if len(stops) < 40 || stops[0].Says != "Skip to the figures" {
		t.Errorf("Tab leads to %d elements, first to %+v", len(stops), stops[:1])
	}
	for i, s := range stops {
		if !s.Follows || !s.Marked || !s.Seen || s.Says == "" {
			t.Errorf("stop %d of Tab: %+v", i, s)
		}
	}
	if got := b.value(t, unreached); got != "[]" {
		t.Errorf("Tab does not lead to %s", got)
	}
	b.open(t, "/sites/many.example?from="+day.Format(time.DateOnly))
	b.tabTo(t, `e.matches(".skip")`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.until(t, `location.hash == "#main"`)
	b.tabTo(t, `e.closest("main")`)

	b.do(t, press("?"))
	b.until(t, `document.querySelector("#keys").open && document.querySelector("#keys").contains(document.activeElement)`)
	b.do(t, chromedp.KeyEvent(kb.Enter)) // On "Close", which has the focus.
	b.until(t, `!document.querySelector("#keys").open && `+focused+`.closest("main")`)

	b.tabTo(t, `e.closest("#pages") && e.textContent == "/p/001"`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.arrived(t, "Page is /p/001")
	b.tabTo(t, `e.closest(".chips")`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.arrived(t)

	b.tabTo(t, `e.getAttribute("aria-label") == "All: Views"`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.until(t, `location.pathname.endsWith("/top/page")`)
	b.tabTo(t, `e.closest("th") && e.textContent == "Visitors"`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.until(t, `location.search.includes("sort=uniqueVisitors") && document.querySelector('[aria-sort]').textContent.includes("Visitors")`)
	first := b.value(t, rowsOfList)
	b.do(t, press("?"))
	b.until(t, `document.querySelector("#keys").open && document.querySelector("#keys").textContent.includes("Next page")`)
	b.do(t, chromedp.KeyEvent(kb.Escape))
	b.until(t, `!document.querySelector("#keys").open`)
	b.do(t, chromedp.KeyEvent(kb.ArrowRight))
	b.until(t, `location.search.includes("cursor=")`)
	if second := b.value(t, rowsOfList); second == first ||
		b.value(t, `document.querySelectorAll("#results tbody:first-of-type tr").length`) != "30" {
		t.Errorf("the second page has %s", second)
	}
	b.tabTo(t, `e.textContent == "First page"`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.until(t, `!location.search.includes("cursor=") && `+fmt.Sprintf("%s == %q", rowsOfList, first))
	b.do(t, press("/"))
	b.until(t, focused+`.name == "search" && `+focused+`.value == ""`)
	b.do(t, chromedp.KeyEvent("p/12"))
	b.until(t, `document.querySelectorAll("#results tbody tr").length == 10 && location.search.includes("search=p%2F12")`)
	b.do(t, chromedp.KeyEvent(kb.Tab))
	b.until(t, focused+`.textContent == "Find"`)
	b.do(t, press("u"))
	b.until(t, `location.pathname == "/sites/many.example"`)
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}

// rowsOfList are the values of a list's page.
const rowsOfList = `[...document.querySelectorAll("#results tbody:first-of-type th")].map(e => e.textContent.trim()).join(" ")`
