package serving

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/pipeline"
)

// TestRealtimeInABrowser: the page shows visitors as they come, from the stream, and by polls where there is no stream to be had. It is not
// loaded again, and what producers send stays text.
func TestRealtimeInABrowser(t *testing.T) {
	t.Parallel()
	now := time.Now() // for all: an event of a later minute would not be among those of a server whose clock does not move
	f := footfalltest.Start(t, footfalltest.Options{Now: func() time.Time { return now },
		Pipeline: func(o *pipeline.Options) { o.RealtimeInterval = time.Second }})
	n := 0
	visit := func(path string, visitors int) {
		t.Helper()
		for range visitors {
			n++
			f.Publish(t, footfalltest.Event{SiteID: "live.example", VisitorID: fmt.Sprint("v-", n),
				URL: "https://live.example" + path})
		}
		f.Settle(t)
	}
	visit("/first", 1)
	handler := servedAt(t, f.TableURL(), now)
	for name, c := range map[string]struct {
		handler http.Handler
		asks    string // what the page asks for again and again
		never   string
	}{
		"stream": {handler, "/realtime/stream", "/realtime"},
		"polls": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/stream") {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			handler.ServeHTTP(w, r)
		}), "/realtime", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := openBrowser(t, serverFor(t, c.handler).URL)
			b.do(t, chromedp.ActionFunc(func(ctx context.Context) error { // Half a minute passes in a third of a second.
				_, err := page.AddScriptToEvaluateOnNewDocument(`const every = setInterval; setInterval = (f, ms) => every(f, ms / 100);`).Do(ctx)
				return err
			}))
			b.open(t, "/sites/live.example")
			b.until(t, fmt.Sprintf(`document.querySelector("[data-realtime]").textContent == "%d"`, n))
			b.do(t, chromedp.Evaluate("window.same = true", nil))
			path := "/" + name + "<img src=x onerror=alert(1)>\u202e"
			visit(path, 3)
			b.until(t, fmt.Sprintf(`window.same && document.querySelector("[data-realtime]").textContent == "%d" &&
				document.querySelector("#now .against").textContent.startsWith("last 5 minutes: %[1]d visitors, ")`, n))
			b.until(t, fmt.Sprintf(`[...document.querySelectorAll("#now tbody tr")].some(r => r.querySelector("a").textContent.startsWith("/%s") &&
				r.children[1].textContent == "3" && new URL(r.querySelector("a").href).searchParams.get("where").startsWith("page=/%[1]s"))`, name))
			if got := b.value(t, `[...document.querySelectorAll("#now .minutes rect")].filter(r => r.getAttribute("height") > 0).length > 0`); got !=
				"true" {
				t.Error("no minute has views")
			}
			b.photograph(t, "realtime")
			if got := b.value(t, `[...document.querySelectorAll("#now tbody:not([hidden]) tr")].reduce((sum, r) =>
				sum + Number(r.children[1].textContent), 0) ==
				document.querySelector("#now .against").textContent.match(/(\d+) page views/)[1]`); got != "true" {
				t.Errorf("rows of now do not add up to all page views")
			}
			b.do(t, chromedp.Evaluate(`fetch("/sites/live.example/now").then(r => r.text()).then(text => window.now = text); 0`, nil))
			b.until(t, fmt.Sprintf(`window.now.includes("%d visitors, ") && window.now.includes("/first</bdi>")`, n))
			b.mu.Lock()
			defer b.mu.Unlock()
			asked := func(path string) bool {
				return slices.ContainsFunc(b.requests, func(r string) bool { return strings.HasSuffix(r, path) })
			}
			if !asked(c.asks) || c.never != "" && asked(c.never) {
				t.Errorf("the page asks for %q", b.requests)
			}
			if name == "stream" && len(b.complaints) > 0 {
				t.Errorf("the browser complains: %q", b.complaints)
			}
		})
	}
}
