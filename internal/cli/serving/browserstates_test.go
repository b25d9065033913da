package serving

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// extremeTable has a pipeline count a site with many paths, one whose hours have expired, and one of a partition that then stops; and
// lists a hundredth as many sites more. One of them is empty.
func extremeTable(t *testing.T, o footfalltest.Options, paths int) (tableURL string, day time.Time) {
	t.Helper()
	var earlier atomic.Int64 // how long before now the clock is
	day = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	o.Now = func() time.Time { return time.Now().Add(-time.Duration(earlier.Load())) }
	o.Partitions = 1
	o.Pipeline = func(o *pipeline.Options) {
		o.Settings.RawEvents, o.Settings.Bots.Rate, o.Settings.Retention.HourDays = false, 0, 3
		o.StatsInterval, o.RealtimeInterval = time.Second, time.Second
	}
	f := footfalltest.Start(t, o)
	earlier.Store(int64(10 * 24 * time.Hour))
	for i := range 40 {
		f.Publish(t, footfalltest.Event{SiteID: "expired.example", Time: day.AddDate(0, 0, -12).Add(time.Duration(i) * time.Hour),
			VisitorID: fmt.Sprint("v", i%7), SessionID: fmt.Sprint("s", i), URL: "https://expired.example/"})
	}
	f.Settle(t)
	earlier.Store(0)
	for first := 0; first < paths; first += 50_000 {
		var records []*kgo.Record
		for i := first; i < min(paths, first+50_000); i++ {
			at := day.Add(time.Duration(i) * (20 * time.Hour / time.Duration(paths)))
			records = append(records, &kgo.Record{Key: []byte("paths.example"), Timestamp: at, Value: fmt.Appendf(nil,
				`{"siteId":"paths.example","type":"page_view","id":"%d","timestamp":%d,"visitorId":"v%d","url":"https://paths.example/p/%d"}`,
				i, at.UnixMilli(), i%5000, i)})
		}
		f.PublishRecords(t, records...)
	}
	for i := range 30 {
		f.Publish(t, footfalltest.Event{SiteID: "paths.example", Time: day.Add(20 * time.Hour), URL: "https://paths.example/popular",
			VisitorID: fmt.Sprint("popular-", i)})
	}
	f.Settle(t)
	if got := f.Totals(t); got.Counted != int64(paths+70) {
		t.Errorf("%+v: want %d counted", got, paths+70)
	}
	table, err := connect.Open(t.Context(), f.TableURL())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var group errgroup.Group
	group.SetLimit(32)
	for i := range paths / 100 {
		group.Go(func() error {
			_, err := sinks.EnsureSiteEntry(t.Context(), retry.Policy{}.Table(table.Table), sinks.Keys{}, fmt.Sprintf("site-%05d.example", i))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return f.TableURL(), day
}

// park has a partition wait for an operator, as its owner would.
func park(t *testing.T, tableURL string) {
	t.Helper()
	table, err := connect.Open(t.Context(), tableURL)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	why := `{"reason":"table","detail":"a test","since":"2026-05-12T10:00:00Z"}`
	for _, lane := range []string{"stats", "realtime"} {
		if _, err := table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane),
			Set: []sinks.Attr{{Name: "park", Value: sinks.Str(why)}}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExtremeStatesInABrowser(t *testing.T) { testExtremeStates(t, footfalltest.Options{}) }

func TestRealExtremeStatesInABrowser(t *testing.T) {
	slow.Test(t)
	testExtremeStates(t, footfalltest.Options{DynamoDB: testenv.SetAWS(t)})
}

// A state is a page of which something must be seen.
type state struct {
	name, path string
	holds      string // an expression of JavaScript
}

func testExtremeStates(t *testing.T, o footfalltest.Options) {
	source, paths := axe(t), slow.Of(t, 20_000, 1_000_000)
	tableURL, day := extremeTable(t, o, paths)
	server := serverFor(t, served(t, tableURL))
	b := openBrowser(t, server.URL)
	date, week := "?period="+day.Format(time.DateOnly), "?period="+day.AddDate(0, 0, -12).Format(time.DateOnly)
	says := func(text string) string {
		return fmt.Sprintf("document.querySelector('main').textContent.includes(%q)", text)
	}
	var stats query.StatsAnswer
	clitest.AskedJSON(t, &stats, "query", "stats", "paths.example", "--period", day.Format(time.DateOnly), "--table", tableURL)
	views := int(stats.Totals.PageViews)
	if views != paths+30 {
		t.Errorf("the site of many paths has %d page views, want %d", views, paths+30)
	}
	states := []state{
		{"an empty site", "/sites/site-00007.example", says("No events in this range.")},
		{"many paths", "/sites/paths.example" + date,
			`document.querySelectorAll('[data-panel="pages"] tbody tr').length == 9 && ` + says("(others)")},
		{"all of many paths", "/sites/paths.example/top/page" + date, `document.querySelectorAll("#results tbody tr").length >= 101`},
		{"many sites", "/", `document.querySelectorAll(".sites tbody tr").length == 25`},
		{"expired data", "/sites/expired.example" + week, `document.querySelector(".alerts").textContent.includes("expired")`},
	}
	b.look(t, states, source)
	b.addsUp(t, "/sites/paths.example/top/page"+date, views)
	b.findSite(t)
	b.findPath(t, date)
	park(t, tableURL)
	restarted := serverFor(t, served(t, tableURL)) // A server looks at checkpoints every ten seconds.
	b.base = restarted.URL
	b.look(t, []state{{"a parked partition", "/sites/paths.example" + date,
		`document.querySelector(".alerts").textContent.includes("has stopped")`}}, source)
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}

// look shows states wide and light, or narrow and dark. All requests are to the server, and axe finds nothing.
func (b *browser) look(t *testing.T, states []state, axe string) {
	t.Helper()
	screens := []screen{{"light", 1280}, {"dark", 320}}
	few := slow.Of(t, 1, len(screens))
	for i, s := range states {
		b.open(t, s.path)
		if b.value(t, s.holds) != "true" {
			t.Errorf("%s: it does not hold that %s: %s", s.name, s.holds, b.value(t, "document.querySelector('main').textContent.slice(0, 500)"))
		}
		b.fits(t, s.name, axe, slices.Concat(screens[i%2:], screens[:i%2])[:few]...)
		if requests := b.asked(); slices.ContainsFunc(requests, func(r string) bool { return !strings.HasPrefix(r, b.base+"/") }) {
			t.Errorf("%s: requests %q leave the origin", s.name, requests)
		}
	}
}

// photograph keeps what is shown for people to look at: FOOTFALL_TEST_SCREENSHOTS names the folder.
func (b *browser) photograph(t *testing.T, name string) {
	t.Helper()
	folder := os.Getenv("FOOTFALL_TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	var png []byte
	b.do(t, chromedp.FullScreenshot(&png, 100))
	name = strings.NewReplacer(", ", "-", " ", "-", "/", "-").Replace(t.Name() + " " + name)
	file := filepath.Join(folder, name[:min(len(name), 200)]+".png")
	if err := os.WriteFile(file, png, 0o600); err != nil {
		t.Fatal(err)
	}
}

// addsUp checks that the views of a list's rows, others and (none) are all.
func (b *browser) addsUp(t *testing.T, path string, views int) {
	t.Helper()
	b.open(t, path)
	sum := b.value(t, `(() => {
		const column = [...document.querySelectorAll("#results thead th")].findIndex(th => th.textContent.includes("Page views"));
		return [...document.querySelectorAll("#results tbody tr")].reduce((sum, row) =>
			sum + (Number(row.children[column].textContent.replaceAll(",", "")) || 0), 0);
	})()`)
	if sum != fmt.Sprint(views) {
		t.Errorf("%s: rows and others have %s page views, want %d", path, sum, views)
	}
}

// findSite finds one of many sites by typing a part of its id, and goes there.
func (b *browser) findSite(t *testing.T) {
	t.Helper()
	b.open(t, "/")
	b.do(t, chromedp.SendKeys(`[name="search"]`, "te-00123"))
	b.until(t, `document.querySelectorAll(".sites tbody tr").length == 1 &&
		document.querySelector(".sites bdi").title == "site-00123.example"`)
	b.photograph(t, "found a site")
	b.leave(t, chromedp.Click(".sites tbody a"), "#totals")
	b.until(t, `location.pathname == "/sites/site-00123.example"`)
}

// findPath finds a path that many visitors have seen, among many.
func (b *browser) findPath(t *testing.T, params string) {
	t.Helper()
	b.open(t, "/sites/paths.example/top/page"+params)
	b.do(t, chromedp.SendKeys(`[name="search"]`, "popul"))
	b.until(t, `document.querySelectorAll("#results tbody tr").length == 1 &&
		document.querySelector("#results bdi[title]").title == "/popular"`)
}
