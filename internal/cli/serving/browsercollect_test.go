package serving

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/collect"
	"github.com/footfall/footfall/query"
)

// answered are the answers of a collector, by the type of the event.
type answered struct {
	http.Handler
	t *testing.T

	mu    sync.Mutex                 // covers all below
	taken map[string]map[string]bool // ids: an event may come more than once, also by the browser itself
	lost  int                        // answers that were to be, and were not passed on
}

// ServeHTTP passes requests on. The answers to the first event of each type are lost on their way, once each.
func (a *answered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		a.Handler.ServeHTTP(w, r)
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	answer := httptest.NewRecorder()
	a.Handler.ServeHTTP(answer, r)
	field := func(name string) string {
		_, value, _ := strings.Cut(string(body), `"`+name+`":"`)
		value, _, _ = strings.Cut(value, `"`)
		return value
	}
	kind := field("type")
	if kind == "engagement" { // With each page, as more than one may have been read.
		kind += " " + strings.TrimPrefix(field("url"), r.Header.Get("Origin"))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if answer.Code != http.StatusAccepted {
		a.t.Errorf("%s was answered with %d %s", body, answer.Code, answer.Body)
	}
	if ids, again := a.taken[kind]; again {
		ids[field("id")] = true
		w.WriteHeader(answer.Code)
		return
	}
	a.taken[kind] = make(map[string]bool)
	a.lost++
	panic(http.ErrAbortHandler)
}

// has reports whether n events of a type were taken, and their senders know.
func (a *answered) has(kind string, n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.taken[kind]) >= n
}

// TestPageOfASiteIsCounted: a page of another origin loads the collector's script in a browser, and what its visitor does is in the
// numbers, once each, although the first answer to each type of event is lost.
func TestPageOfASiteIsCounted(t *testing.T) {
	f := footfalltest.Start(t, footfalltest.Options{})
	c := config.Default()
	c.Kafka.Topic = f.Topic()
	events, queue, err := LocalCollector(c, []kgo.Opt{kgo.SeedBrokers(f.Brokers()...)}, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(queue.Close)
	a := &answered{Handler: events, t: t, taken: make(map[string]map[string]bool)}
	collector := serverFor(t, a)
	site := serverFor(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!DOCTYPE html><title>Kettles</title>", collect.ScriptTag(collector.URL, "my.site"), `<div style="height:5000px">text</div>
			<a id="out" href="https://elsewhere.example/" onclick="event.preventDefault()">out</a>
			<a id="pdf" href="/manual.pdf" onclick="event.preventDefault()">manual</a>`)
	}))
	b := openBrowser(t, site.URL)
	b.open(t, "/kettles?utm_source=newsletter")
	b.until(t, "window.footfall")
	b.do(t, chromedp.Evaluate(`history.pushState({}, '', '/kettles/blue');
		footfall('signup', {name: 'newsletter', value: 39.9, properties: {plan: 'pro'}});
		document.getElementById('out').click(); document.getElementById('pdf').click(); scrollTo(0, 5000)`, nil))
	ctx := t.Context()
	await := func(kind string, n int) {
		t.Helper()
		for !a.has(kind, n) {
			b.until(t, "true")
			if ctx.Err() != nil {
				t.Fatalf("no %s", kind)
			}
		}
	}
	b.until(t, "scrollY > 1000")
	await("page_view", 2)
	await("signup", 1)
	await("outbound", 1)
	await("download", 1)
	b.open(t, "/teapots") // What was read of the page before is sent as it is left.
	await("page_view", 3)
	await("engagement /kettles/blue", 1)
	b.open(t, "/kettles/blue")
	await("page_view", 4)

	f.Settle(t)
	from := time.Now().Add(-2 * time.Hour)
	stats, err := f.Query().Stats(ctx, query.StatsParams{Site: "my.site", From: from})
	if err != nil {
		t.Fatal(err)
	}
	if got := stats.Totals; got.PageViews != 4 || got.ValueSum != "39.9" || got.Sessions != 1 || *got.UniqueVisitors != 1 {
		t.Errorf("%d page views, value %s, %d sessions, %d visitors; want 4, 39.9, 1, 1", got.PageViews, got.ValueSum, got.Sessions,
			*got.UniqueVisitors)
	}
	pages, err := f.Query().Top(ctx, query.TopParams{Site: "my.site", Dimension: "page", From: from})
	if err != nil {
		t.Fatal(err)
	}
	views := make(map[string]int64)
	for _, r := range pages.Rows {
		views[r.Value] = r.PageViews
		if r.Value == "/kettles/blue" && r.ScrolledPageViews == 0 {
			t.Errorf("nothing says how far %s was scrolled: %+v", r.Value, r)
		}
	}
	if views["/kettles"] != 1 || views["/kettles/blue"] != 2 || views["/teapots"] != 1 {
		t.Errorf("page views %v", views)
	}
	if totals := f.Totals(t); len(totals.Rejected) > 0 || totals.Duplicates < int64(a.lost) || a.lost < 4 {
		t.Errorf("totals %+v, %d answers were lost", totals, a.lost)
	}
	if cookies := b.value(t, "document.cookie + localStorage.length + sessionStorage.length"); cookies != "00" {
		t.Errorf("cookies and storage: %q", cookies)
	}
}

// TestScriptCountsWhatIsShown: what calls of history lead to, in a page whose clock and network the test has.
func TestScriptCountsWhatIsShown(t *testing.T) {
	collector := serverFor(t, http.StripPrefix("/cdn.json", collect.New(collect.Options{})))
	site := serverFor(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><script>
			sent = []; late = []; clock = 0; shown = false
			performance.now = () => clock
			setTimeout = (f, ms, ...args) => late.push(() => f(...args))
			fetch = (to, {body}) => {
				const {type, url, value = ''} = JSON.parse(body)
				sent.push(type + ' ' + new URL(url).pathname + new URL(url).hash + ' ' + (new URL(to).pathname + ' ' + value).trim())
				return {then: (_, failed) => failed()}
			}
			Object.defineProperty(document, 'prerendering', {get: () => !shown})
			</script><script defer src="`, collector.URL, `/cdn.json/hello.js?v=1"></script>`)
	}))
	b := openBrowser(t, site.URL)
	b.open(t, "/")
	for _, step := range []struct{ what, does, sends string }{
		{"a prerendered page has changed its address", "history.replaceState(0, '', '/app#part')", ""},
		{"it is shown", "shown = true; document.dispatchEvent(new Event('prerenderingchange'))", "page_view /app /cdn.json/hello"},
		{"another part of it", "history.pushState(0, '', '#other')", ""},
		{"a page of an application that routes by #", "history.pushState(0, '', '#/route')", "page_view /app#/route /cdn.json/hello"},
		{"a sum, as text", "footfall('buy', {value: String(0.1 + 0.2)}); late.pop()", "buy /app#/route /cdn.json/hello 0.3"},
		{"the network fails for ten minutes", "clock = 6e5; late.shift()()", "page_view /app /cdn.json/hello"},
		{"it fails for longer", "clock = 6e5 + 1; late.shift()(); late.shift()()", ""},
	} {
		if got := b.value(t, "(() => { sent = []; "+step.does+"; return sent.join(', ') })()"); got != step.sends {
			t.Errorf("%s: sent %q, want %q", step.what, got, step.sends)
		}
	}
}
