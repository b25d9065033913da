package serving

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// costNow is when a site's figures are asked for whose last two years are counted.
var costNow = time.Date(2026, 5, 12, 14, 35, 20, 0, time.UTC)

// costTable has a pipeline count two years of a site of some 100 events a day, and seals what is over.
func costTable(t *testing.T) sinks.Table {
	t.Helper()
	clock := func() time.Time { return costNow }
	f := footfalltest.Start(t, footfalltest.Options{Now: clock, Partitions: 1, Pipeline: func(o *pipeline.Options) {
		o.Settings.RawEvents, o.Settings.Bots.Rate = false, 0
		o.Settings.Retention = checkpoint.Retention{RawDays: 30, SessionDays: 3, HourDays: 1000, DayDays: 1000}
		o.StatsInterval, o.RealtimeInterval = time.Second, time.Second
	}})
	dice := rand.New(rand.NewPCG(19, 4))
	one := func(of ...string) string { return of[dice.IntN(len(of))] }
	var events []footfalltest.Event
	for at, n := costNow.AddDate(0, 0, -735), 0; at.Before(costNow); n++ {
		e := footfalltest.Event{SiteID: "shop", Time: at, ID: fmt.Sprint(n), VisitorID: fmt.Sprint("v", dice.IntN(3000)),
			SessionID: fmt.Sprint("s", n/3), Referrer: one("", "https://news.example/", "https://www.google.com/"), Country: one("DE", "FR", "IN"),
			Region: one("BE", "BY", "HH"), City: one("Berlin", "Munich", "Hamburg"), Device: one("desktop", "mobile"),
			Browser: one("Firefox", "Chrome"), OS: one("Linux", "macOS"),
			URL: "https://shop.example/" + fmt.Sprint(dice.IntN(1+dice.IntN(200))) + one("", "", "?utm_source=letter&utm_campaign=may")}
		events = append(events, e)
		at = at.Add(time.Duration(dice.IntN(2*864)) * time.Second)
	}
	f.Publish(t, events...)
	f.Settle(t)
	table, err := connect.Open(t.Context(), f.TableURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	if err := seal.New(seal.Options{Table: table.Table, Now: clock}).Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	return table.Table
}

// spent is a table that adds up the read units that it is asked for, and may hold reads back until it is opened.
type spent struct {
	sinks.Table
	units chan float64 // has the sum
	open  chan struct{}
}

func newSpent(table sinks.Table) *spent {
	s := &spent{Table: table, units: make(chan float64, 1), open: make(chan struct{})}
	s.units <- 0
	return s
}

// took returns the sum, and begins again.
func (s *spent) took() float64 {
	sum := <-s.units
	s.units <- 0
	return sum
}

func (s *spent) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	<-s.open
	p, err := s.Table.Query(ctx, q)
	s.units <- p.Units + <-s.units
	return p, err
}

func (s *spent) BatchGet(ctx context.Context, b sinks.BatchGet) (sinks.BatchResult, error) {
	<-s.open
	r, err := s.Table.BatchGet(ctx, b)
	s.units <- r.Units + <-s.units
	return r, err
}

// handlerAt answers questions about a table at costNow, and later as the clock of the test goes on.
func handlerAt(t *testing.T, table sinks.Table) http.Handler {
	began := time.Now()
	return serve.New(serve.Options{Table: table, Now: func() time.Time { return costNow.Add(time.Since(began)) },
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
}

// costOf is what an answer consumes of a server that has answered nothing before, which has read how far partitions are counted.
func costOf(t *testing.T, table sinks.Table, address string) float64 {
	t.Helper()
	s := newSpent(table)
	close(s.open)
	h := handlerAt(t, s)
	got(t, h, "/api/v1/sites/shop/stats?period=today")
	s.took()
	if r := got(t, h, address); r.Code != http.StatusOK {
		t.Fatalf("%s: %d: %s", address, r.Code, r.Body)
	}
	return s.took()
}

// TestReadUnitsOfThePage says what the page and its lists cost, which docs/serve.md has: it depends on days, not on viewers.
func TestReadUnitsOfThePage(t *testing.T) {
	slow.Test(t)
	table := costTable(t)
	var rows strings.Builder
	fmt.Fprintf(&rows, "| | 1 day | 30 days | 365 days |\n|---|---|---|---|\n")
	ranges := []string{"?period=2026-05-11", "?from=-30d&to=now", "?from=-365d&to=now"}
	row := func(name, path, more string) (units []float64) {
		fmt.Fprintf(&rows, "| %s |", name)
		for _, r := range ranges {
			units = append(units, costOf(t, table, path+r+more))
			fmt.Fprintf(&rows, " %g |", units[len(units)-1])
		}
		fmt.Fprintln(&rows)
		return units
	}
	view := row("the page of a site, compared", "/sites/shop", "")
	row("the page, not compared", "/sites/shop", "&compare=off")
	stats := row("`stats`", "/api/v1/sites/shop/stats", "&by=day&limit=400")
	top := row("`top` by any dimension", "/api/v1/sites/shop/top/page", "")
	for _, dimension := range []string{"referrer", "channel", "utm_campaign", "country", "city", "device", "browser", "os", "event"} {
		for i, r := range ranges {
			if units := costOf(t, table, "/api/v1/sites/shop/top/"+dimension+r); units != top[i] {
				t.Errorf("top by %s costs %g read units for %s, and by page %g", dimension, units, r, top[i])
			}
		}
	}
	one := view[1]
	together := costOfViewers(t, table, 100, "/sites/shop"+ranges[1])
	hour := costOfRealtime(t, table)
	fmt.Fprintf(&rows, "| the page for 100 viewers at once | | %g | |\n", together)
	fmt.Fprintf(&rows, "| an hour of realtime, for any number of listeners | %g | | |\n", hour)
	t.Logf("read units of a site of 100 events a day\n%s", &rows)
	switch {
	case together > 2*one:
		t.Errorf("100 viewers at once cost %g read units, and one %g", together, one)
	case view[2] > 10*view[1] || view[1] > 31*view[0]:
		t.Errorf("the page costs %v read units for 1, 30 and 365 days", view)
	case top[2] > 5*top[1]:
		t.Errorf("values cost %v read units for 1, 30 and 365 days: sealed months are not used", top)
	case stats[2] > view[2]:
		t.Errorf("stats alone cost %v read units, and the page %v", stats, view)
	}
	checkCosts(t, rows.String())
}

// costOfViewers is how many read units viewers consume that ask for a page before the table has answered any.
func costOfViewers(t *testing.T, table sinks.Table, viewers int, address string) (units float64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSpent(table)
		h := handlerAt(t, s)
		done := make(chan int)
		for range viewers {
			go func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+address, nil)
				r.Header.Set("Accept", "text/html")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				done <- w.Code
			}()
		}
		synctest.Wait()
		close(s.open)
		for range viewers {
			if code := <-done; code != http.StatusOK {
				t.Errorf("a viewer gets %d", code)
			}
		}
		units = s.took()
	})
	return units
}

// costOfRealtime is what an hour of the event stream of a site consumes, which 20 listen to.
func costOfRealtime(t *testing.T, table sinks.Table) (units float64) {
	t.Helper()
	const listeners = 20
	synctest.Test(t, func(t *testing.T) {
		s := newSpent(table)
		close(s.open)
		h := handlerAt(t, s)
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		bodies := make(chan int)
		for range listeners {
			go func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/api/v1/sites/shop/realtime/stream", nil))
				bodies <- strings.Count(w.Body.String(), "data: ")
			}()
		}
		for range listeners {
			if events := <-bodies; events < 700 {
				t.Errorf("a listener has got %d events in an hour, want one every five seconds", events)
			}
		}
		synctest.Wait()
		if units = s.took(); units > 720*3 {
			t.Errorf("an hour of realtime for %d listeners consumes %g read units: more than one poll every five seconds", listeners, units)
		}
	})
	return units
}

const (
	costsBegin = "<!-- written by FOOTFALL_TEST_ALL=1 go test ./internal/cli/serving -run TestReadUnitsOfThePage -update -->\n\n"
	costsEnd   = "\n\n<!-- end -->"
)

// checkCosts compares the table with that of docs/serve.md, or writes it there. Marks of flushes have more or fewer digits from run to run,
// which makes an item larger or smaller by some bytes, so a twentieth more or less is no difference.
func checkCosts(t *testing.T, rows string) {
	t.Helper()
	const file = "../../../docs/serve.md"
	text := string(clitest.Must(os.ReadFile(file)))
	before, rest, begins := strings.Cut(text, costsBegin)
	written, after, ends := strings.Cut(rest, costsEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the costs: %s ... %s", file, costsBegin, costsEnd)
	}
	if golden.Updating() {
		text = before + costsBegin + strings.TrimSpace(rows) + costsEnd + after
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil { //nolint:gosec // It is documentation.
			t.Fatal(err)
		}
		return
	}
	figure := regexp.MustCompile(`\d+(\.\d+)? \|`)
	rows = strings.TrimSpace(rows)
	have, want := figure.FindAllString(rows, -1), figure.FindAllString(written, -1)
	same := figure.ReplaceAllString(rows, "") == figure.ReplaceAllString(written, "") && len(have) == len(want)
	for i := range min(len(have), len(want)) {
		x, _ := strconv.ParseFloat(strings.TrimSuffix(have[i], " |"), 64)
		y, _ := strconv.ParseFloat(strings.TrimSuffix(want[i], " |"), 64)
		same = same && x <= y*1.05+0.5 && x >= y*0.95-0.5
	}
	if !same {
		t.Errorf("%s has other costs: review the change, then run this test with -update\n%s", file, written)
	}
}
