package serving

import (
	"context"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/footfall/footfall/footfalltest"
)

// watchNumber notes, in a page, when the first figure is there, in milliseconds since navigation began.
const watchNumber = `
	window.numberAt = 0;
	new MutationObserver((_, observer) => {
		const figure = document.querySelector(".tiles strong, .empty-page");
		if (figure && figure.textContent) {
			window.numberAt = performance.now();
			observer.disconnect();
		}
	}).observe(document, {childList: true, subtree: true});`

// BenchmarkFirstNumber says how long after navigation a site's page shows its first number, beside an empty page of the same server in the
// same browser: the median of b.N navigations of each in milliseconds.
//
//	go test ./internal/cli/serving -run '^$' -bench FirstNumber -benchtime 20x
func BenchmarkFirstNumber(b *testing.B) {
	if _, err := exec.LookPath("chromium"); err != nil {
		b.Skip("no Chromium: apt-get install chromium")
	}
	table, day := servedTable(b, footfalltest.Options{})
	handler := served(b, table)
	server := serverFor(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/empty" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write([]byte(`<!doctype html><title>empty</title><link rel="icon" href="data:,"><p class="empty-page">0</p>`))
			return
		}
		handler.ServeHTTP(w, r)
	}))
	browser := openBrowser(b, server.URL)
	browser.do(b, chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(watchNumber).Do(ctx)
		return err
	}))
	took := make(map[string][]float64)
	paths := map[string]string{"page": "/sites/shop?from=" + day.Format("2006-01-02"), "empty": "/empty"}
	for b.Loop() {
		for name, path := range paths {
			browser.open(b, path)
			browser.until(b, "window.numberAt > 0")
			at, err := strconv.ParseFloat(browser.value(b, "window.numberAt"), 64)
			if err != nil {
				b.Fatal(err)
			}
			took[name] = append(took[name], at)
		}
	}
	for name, all := range took {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], name+"-ms")
	}
}
