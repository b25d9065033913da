package serving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/slow"
)

// requireBrowser has tests fail that find no browser or no axe, and would be skipped otherwise.
const requireBrowser = "FOOTFALL_TEST_REQUIRE_BROWSER"

// absentHere skips a test for lack of something, or fails it where it must run.
func absentHere(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(requireBrowser) == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// axe is the source of axe-core.
func axe(t testing.TB) string {
	t.Helper()
	source, err := os.ReadFile(os.Getenv("FOOTFALL_TEST_AXE")) //nolint:gosec // The caller names it.
	if err != nil {
		absentHere(t, "no axe-core: FOOTFALL_TEST_AXE=FILE, which scripts/axe FILE fetches")
	}
	return string(source)
}

// A browser shows the pages of a server, and keeps what it asked for and complained about.
type browser struct {
	ctx  context.Context
	base string

	mu         sync.Mutex // covers the rest
	requests   []string
	complaints []string
}

// serverFor serves a handler to a browser, which holds a stream of realtime figures open until the test ends.
func serverFor(t testing.TB, h http.Handler) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.Listener.Close() // The browser opens its stream again.
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// userAgent is that of Chromium with a window: without one it calls itself a bot.
const userAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

// chromium is the process that all tests of the package share. CloseChromium ends it.
var (
	CloseChromium = func() {}
	chromium      = sync.OnceValues(func() (context.Context, error) {
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
			path, err := exec.LookPath(name)
			if err != nil {
				continue
			}
			allocated, _ := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
				chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserAgent(userAgent), chromedp.Flag("disable-dev-shm-usage", true),
				chromedp.WSURLReadTimeout(patience))...)
			ctx, _ := chromedp.NewContext(allocated, chromedp.WithErrorf(func(string, ...any) {})) // Of events that it does not know.
			CloseChromium = func() { chromedp.Cancel(ctx) }
			return ctx, chromedp.Run(ctx)
		}
		return nil, exec.ErrNotFound
	})
)

// openBrowser opens a tab for a test, of an origin of its own.
func openBrowser(t testing.TB, base string) *browser {
	t.Helper()
	slow.Unraced(t)
	process, err := chromium()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		absentHere(t, "no Chromium: apt-get install chromium")
	case err != nil:
		t.Fatalf("Chromium does not start: %v", err)
	}
	ctx, closeTab := chromedp.NewContext(process)
	t.Cleanup(closeTab)
	b := &browser{ctx: ctx, base: base}
	chromedp.ListenTarget(ctx, b.listen)
	b.do(t, network.Enable(), log.Enable())
	return b
}

// listen keeps requests, errors and violations of the Content-Security-Policy.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") { // The browser's own icons of date fields.
			b.requests = append(b.requests, e.Request.URL)
		}
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Error())
	}
}

func (b *browser) do(t testing.TB, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// open shows a page, and returns what was asked for with it.
func (b *browser) open(t testing.TB, path string) []string {
	t.Helper()
	b.mu.Lock()
	b.requests = nil
	b.mu.Unlock()
	b.do(t, chromedp.Navigate(b.base+path))
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// value is what an expression of JavaScript is in the page.
func (b *browser) value(t testing.TB, expression string) (value string) {
	t.Helper()
	b.do(t, chromedp.Evaluate("String("+expression+")", &value))
	return value
}

// leave does what leads to another page, and returns when that is loaded. selector is of something that only the other page has.
func (b *browser) leave(t *testing.T, action chromedp.Action, selector string) {
	t.Helper()
	b.do(t, action, chromedp.WaitReady(selector, chromedp.ByQuery))
	b.until(t, "true") // The page is loaded.
}

// until waits until the page is loaded, its script has run, and an expression holds.
func (b *browser) until(t testing.TB, expression string) {
	t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	for within := 2 * time.Second; ; within *= 2 {
		holds, err := b.holds(ctx, within, expression)
		switch {
		case holds:
			return
		case ctx.Err() == nil && (err == nil || lost(err)):
			continue
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		t.Fatalf("%s: %v; the browser has asked for %q and complains: %q", expression, errors.Join(err, ctx.Err()), b.requests, b.complaints)
	}
}

// holds waits for a moment until an expression holds in the page that is shown now, and reports whether it does. An expression that
// throws does not hold. Nothing holds before the page is loaded: the script that handles keys has not run yet.
//
// It does not use [chromedp.Poll], which waits in vain in a page that the browser has kept for the way back.
func (b *browser) holds(ctx context.Context, within time.Duration, expression string) (holds bool, err error) {
	ctx, stop := context.WithTimeout(ctx, within) // A page that is left may be kept, and is frozen then with its timers.
	defer stop()
	err = chromedp.Run(ctx, chromedp.Evaluate(`new Promise(done => {
		const end = Date.now() + 500;
		(function look() {
			let holds = false;
			try { holds = document.readyState == "complete" && Boolean(`+expression+`); } catch {}
			if (holds || Date.now() > end) done(holds);
			else setTimeout(look, 10);
		})();
	})`, &holds, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return holds, err
}

// lost reports whether an error says that the page was left while it was asked.
func lost(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	e := new(cdproto.Error)
	return errors.As(err, &e) && (strings.Contains(e.Message, "context") || strings.Contains(e.Message, "navigated") ||
		strings.Contains(e.Message, "Promise was collected"))
}

// patience ends the wait for what does not come.
const patience = 10 * time.Minute

// still has no realtime figures come: pages stay as they were loaded, however long they are looked at.
func (b *browser) still(t testing.TB) {
	t.Helper()
	b.do(t, chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument("window.EventSource = class { close() {} }").Do(ctx)
		return err
	}))
}

// A screen has a colour scheme and a width in pixels.
type screen struct {
	scheme string
	width  int64
}

// showOn shows the page on another screen. The page's script asks for neither scheme nor width, so the page need
// not be loaded again.
// Colours have changed when it returns: axe would take one on its way for what is shown.
func (b *browser) showOn(t testing.TB, s screen) {
	t.Helper()
	b.do(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}}),
		chromedp.EmulateViewport(s.width, 900),
		chromedp.Evaluate("document.getAnimations().filter(a => a instanceof CSSTransition).forEach(a => a.finish())", nil))
}

// fits checks that the page of a path is no wider than the screen and that axe finds nothing, on each screen.
func (b *browser) fits(t *testing.T, path, axe string, screens ...screen) {
	t.Helper()
	b.do(t, chromedp.Evaluate(axe+";0", nil))
	for _, s := range screens {
		b.showOn(t, s)
		name := fmt.Sprintf("%s, %s, %d pixels", path, s.scheme, s.width)
		if over := b.value(t, "document.documentElement.scrollWidth - innerWidth"); over != "0" {
			t.Errorf("%s: %s pixels wider than the screen", name, over)
		}
		b.accessible(t, name)
		b.photograph(t, name)
	}
}

// asked returns what the browser has asked for since a page was opened.
func (b *browser) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// TestPagesInABrowser shows each page in Chromium, wide and at 320 pixels, in light and dark. A page makes three requests, all of them
// here, and one for its icon; it is no wider than the screen, and neither script nor Content-Security-Policy complain.
func TestPagesInABrowser(t *testing.T) {
	source, few := axe(t), slow.Of(t, 1, 4)
	table, day := servedTable(t, footfalltest.Options{})
	server := serverFor(t, served(t, table))
	b := openBrowser(t, server.URL)
	strange := "/sites/" + url.PathEscape(strangeSite)
	from := "?from=" + day.Format("2006-01-02")
	for i, path := range []string{"/", "/sites/shop" + from, strange + from, "/sites/shop?compare=off", "/sites/shop/top/page" + from,
		"/sites/shop/sessions", "/sites/shop/sessions/s-2", "/sites/shop/funnels/checkout" + from, "/sites/shop/funnels/checkout?maxEvents=1",
		"/about/metrics",
		"/sites/shop" + from + "&compare=2026-01&where=country%3DDE&where=" + url.QueryEscape("page!="+strings.Repeat("w", 250)),
		"/sites/shop" + from + "&where=page%3D%2F&where=country!%3DDE&maxEvents=1", "/sites/shop/top/page" + from + "&where=country%3DDE"} {
		screens := []screen{{"light", 1280}, {"light", 320}, {"dark", 1280}, {"dark", 320}}
		screens = slices.Concat(screens[i%len(screens):], screens[:i%len(screens)])[:few]
		b.showOn(t, screens[0])
		b.open(t, path)
		b.fits(t, path, source, screens...)
		requests := slices.DeleteFunc(b.asked(), func(r string) bool {
			return strings.Contains(r, "/assets/icon-") || strings.HasSuffix(r, "/realtime/stream") // Which begins once all is shown.
		})
		if len(requests) != 3 || slices.ContainsFunc(requests, func(r string) bool { return !strings.HasPrefix(r, server.URL+"/") }) {
			t.Errorf("%s: requests %q, want those of the page, a style and a script", path, requests)
		}
	}
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}

// accessible has axe-core, which the page has been given, look at the page.
func (b *browser) accessible(t *testing.T, name string) {
	t.Helper()
	var found string
	b.do(t, chromedp.Evaluate(
		`axe.run().then(r => JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes[0].html.slice(0, 200))))`, &found,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	var violations []string
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		t.Fatalf("%s: axe: %v in %q", name, err, found)
	}
	for _, v := range violations {
		t.Errorf("%s: %s", name, v)
	}
}

// TestPageByKeysAndHistory goes through a site's page: tabs, back and forward, keys, an hour of the graph, and the search of sites.
func TestPageByKeysAndHistory(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	server := serverFor(t, served(t, table))
	b := openBrowser(t, server.URL)
	date := day.AddDate(0, 0, 1).Format("2006-01-02")
	b.open(t, "/sites/shop?period="+date)
	shown := func(panel string) string {
		return fmt.Sprintf(`!document.querySelector('[data-panel="%s"]').hidden`, panel)
	}
	b.do(t, chromedp.Click(`[data-tab="exits"]`))
	b.until(t, shown("exits"))
	if got := b.value(t, "location.search"); !strings.Contains(got, "pages=exits") || b.value(t, shown("pages")) != "false" {
		t.Errorf("a click on a tab leads to %s", got)
	}
	if got := b.value(t, `document.querySelector('[aria-keyshortcuts="y"]').getAttribute("href")`); !strings.Contains(got, "pages=exits") {
		t.Errorf("a link to another range loses the tab: %s", got)
	}
	b.do(t, chromedp.NavigateBack())
	b.until(t, shown("pages"))
	b.do(t, chromedp.NavigateForward())
	b.until(t, shown("exits"))
	b.do(t, chromedp.Reload())
	b.until(t, shown("exits"))
	b.do(t, chromedp.Evaluate(`navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; 0`, nil),
		chromedp.Click(".link button"))
	b.until(t, `document.querySelector(".link button").textContent == "The link is copied" && document.querySelector(".link a").hidden`)
	if got := b.value(t, "window.copied"); !strings.HasPrefix(got, server.URL+"/sites/shop?") ||
		!strings.Contains(got, "pages=exits&period="+date) {
		t.Errorf("the button copies %s", got)
	}
	b.do(t, chromedp.KeyEvent("?"))
	b.until(t, `document.querySelector("#keys").open && document.querySelectorAll("#keys dt").length > 8`)
	b.do(t, chromedp.KeyEvent(kb.Escape))
	b.until(t, `!document.querySelector("#keys").open`)
	b.do(t, chromedp.KeyEvent("g"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
	if got := b.value(t, `document.activeElement.getAttribute("aria-label")`); !strings.Contains(got, "01:00: ") {
		t.Errorf("Home and an arrow lead to %q, want the second hour", got)
	}
	b.leave(t, chromedp.KeyEvent(kb.Enter), `.step[href*="T00"]`)
	b.until(t, `location.search.includes("T01") && document.querySelector("#totals").textContent.includes("01:00")`)
	b.leave(t, chromedp.KeyEvent("o"), "table.sites")
	b.until(t, `location.pathname == "/" && document.querySelectorAll(".sites tbody tr").length == 2`)
	// As a keyboard does: the character is typed only if the page lets the key pass.
	b.do(t, input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithText("/"), input.DispatchKeyEvent(input.KeyUp).WithKey("/"))
	b.until(t, `document.activeElement.name == "search"`)
	b.do(t, chromedp.SendKeys(`[name="search"]`, "SHO"))
	b.until(t, `document.querySelectorAll(".sites tbody tr").length == 1 && location.search.includes("search=SHO")`)
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}
