package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/sinks"
)

// heldTable holds the reads of a table back until it is opened.
type heldTable struct {
	*unitTable
	open chan struct{}
}

func (g heldTable) wait(ctx context.Context) error {
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g heldTable) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if err := g.wait(ctx); err != nil {
		return sinks.Page{}, err
	}
	return g.unitTable.Query(ctx, q)
}

func (g heldTable) BatchGet(ctx context.Context, b sinks.BatchGet) (sinks.BatchResult, error) {
	if err := g.wait(ctx); err != nil {
		return sinks.BatchResult{}, err
	}
	return g.unitTable.BatchGet(ctx, b)
}

// Identical questions at the same time cost one read, in whatever formats, and one that is cancelled does not cancel the others.
func TestIdenticalQuestionsShareARead(t *testing.T) {
	table := shopTable(t)
	synctest.Test(t, func(t *testing.T) {
		once := &unitTable{Table: table}
		ask(t, handler(t, once), "/api/v1/sites/shop/stats?from=-7d")
		held := heldTable{&unitTable{Table: table}, make(chan struct{})}
		h := handler(t, held)
		answers := make([]*httptest.ResponseRecorder, 50)
		contexts := make([]context.CancelFunc, len(answers))
		done := make(chan int)
		for i := range answers {
			answers[i] = httptest.NewRecorder()
			address := "/api/v1/sites/shop/stats?from=-7d" + []string{"", "&format=csv", "&format=ndjson"}[i%3]
			ctx, cancel := context.WithCancel(t.Context())
			contexts[i] = cancel
			go func() {
				h.ServeHTTP(answers[i], httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+address, nil))
				done <- i
			}()
			synctest.Wait()
		}
		contexts[0]() // The first began the read.
		contexts[7]()
		synctest.Wait()
		if first, second := <-done, <-done; first+second != 7 || answers[0].Code == http.StatusOK || answers[7].Code == http.StatusOK {
			t.Fatalf("%d and %d have ended, with %d and %d; want those that were cancelled", first, second, answers[0].Code, answers[7].Code)
		}
		close(held.open)
		for range len(answers) - 2 {
			i := <-done
			if answers[i].Code != http.StatusOK || answers[i].Header().Get("Footfall-Read-Units") == "" {
				t.Errorf("answer %d: %d: %s", i, answers[i].Code, answers[i].Body)
			}
			contexts[i]()
		}
		if held.requests != once.requests {
			t.Errorf("%d questions took %d requests of the table, one takes %d", len(answers), held.requests, once.requests)
		}
	})
}

// An answer above a limit is refused as a whole, with a hint, and reading ends there.
func TestAnswersAboveTheirLimitAreRefused(t *testing.T) {
	for _, c := range []struct {
		limits reads.Limits
		says   string
	}{{reads.Limits{ReadUnits: 4}, "more than 4 read units: ask for a shorter range"}, {reads.Limits{Items: 3},
		"more than 3 items: ask for a shorter range"}} {
		counted := &unitTable{Table: shopTable(t)}
		h := New(Options{Table: counted, Now: func() time.Time { return now }, Log: quiet(t), Limits: c.limits})
		for _, format := range []string{"json", "csv", "ndjson"} {
			counted.requests = 0
			r, text := ask(t, h, "/api/v1/sites/shop/stats?from=-90d&by=hour&format="+format)
			if wants(t, format, r, text, http.StatusUnprocessableEntity, c.says); counted.requests > 20 {
				t.Errorf("%d requests after the limit was reached", counted.requests)
			}
		}
	}
}

// Answers have an ETag, which changes with them, and say how they may be cached.
func TestAnswersCanBeCached(t *testing.T) {
	table := shopTable(t)
	final := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, "stats")
	if _, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := sinks.EnsureTopic(t.Context(), table, sinks.Keys{}, "events"); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(final.PK), sinks.AttrSK: sinks.Str(final.SK),
		"k": sinks.Int(1), "d": sinks.Int(0), "thr": sinks.Int(now.UnixMilli()), "at": sinks.Int(now.UnixMilli()),
		"ver": sinks.Str(`{"lateMs":0}`)}}); err != nil {
		t.Fatal(err)
	}
	h := handler(t, table)
	saved := segments.Store{Table: table, Now: time.Now}
	if _, err := saved.Create(t.Context(), "shop", "de", []string{"country=DE"}); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"/sites/shop/stats?period=2026-05-11&where=country%3DDE":            cacheSealed,
		"/sites/shop/stats?period=2026-05-11&segment=de":                    cacheAsk,
		"/sites/shop/stats?from=2026-05-12&to=2026-05-12T14:00:00Z&by=hour": cacheSealed,
		"/sites/shop/stats?from=2026-05-12&to=2026-05-12T15:00:00Z&by=hour": cacheAsk,
		"/sites/shop/stats?from=-1d&to=2026-05-12T14:00:00Z&by=hour":        cacheAsk,
		"/sites/shop/stats?period=yesterday":                                cacheAsk,
		"/sites/shop/stats?period=2026-05-11&compare=2026-05-01":            cacheSealed,
		"/sites/shop/stats?period=2026-05-11&compare=-9d..-8d":              cacheAsk,
		"/sites/shop/top/page?period=2026-05-11":                            cacheSealed,
		"/sites/shop/sessions":                                              cacheNever,
		"/sites/shop/realtime":                                              cacheAsk,
		"/overview":                                                         cacheAsk,
	} {
		r, text := ask(t, h, base+address)
		etag := r.Header().Get("ETag")
		if wants(t, address, r, text, http.StatusOK, ""); r.Header().Get("Cache-Control") != want || (etag == "") != (want == cacheNever) {
			t.Errorf("%s: Cache-Control %q, ETag %q; want %q", address, r.Header().Get("Cache-Control"), etag, want)
		}
		if etag == "" {
			continue
		}
		if r, text := ask(t, h, base+address, "If-None-Match", `"other", W/`+etag); r.Code != http.StatusNotModified || text != "" ||
			r.Header().Get("ETag") != etag {
			t.Errorf("%s, if not %s: %d, ETag %s: %s", address, etag, r.Code, r.Header().Get("ETag"), text)
		}
		if r, _ := ask(t, h, base+address, "If-None-Match", etag, "Accept", "text/csv"); r.Code != http.StatusOK ||
			r.Header().Get("ETag") == etag {
			t.Errorf("%s as CSV: %d, ETag %s, which JSON has", address, r.Code, r.Header().Get("ETag"))
		}
	}
	key := sinks.Keys{}.HourStats("shop", now.Truncate(time.Hour).UnixMilli())
	address := base + "/sites/shop/stats?by=hour"
	before, _ := ask(t, h, address)
	if _, err := table.Update(t.Context(), sinks.Update{Key: key, Add: []sinks.Attr{{Name: sinks.AttrEvents,
		Value: sinks.Int(1)}}}); err != nil {
		t.Fatal(err)
	}
	if r, text := ask(t, h, address, "If-None-Match", before.Header().Get("ETag")); r.Code != http.StatusOK {
		t.Errorf("after another event: %d: %s", r.Code, text)
	}
}

// Many sites come site after site, in pages, with the figures that each has alone.
func TestFiguresOfManySites(t *testing.T) {
	h := handler(t, shopTable(t))
	r, text := ask(t, h, base+"/stats?sites=*&by=hour&from=-24h&format=ndjson&limit=1")
	wants(t, "all sites", r, text, http.StatusOK, "")
	var events []int64
	for line := range strings.Lines(text) {
		var row struct {
			SiteID string
			Events int64
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.SiteID != "shop" {
			t.Fatalf("%s: %v", line, err)
		}
		events = append(events, row.Events)
	}
	if len(events) != 3 || events[0] != 12 || events[2] != 10 || r.Header().Get("Footfall-Read-Units") == "" {
		t.Errorf("events %v, want 12, 11, 10; read units %q", events, r.Header().Get("Footfall-Read-Units"))
	}
	for address, says := range map[string]string{"/stats": "sites", "/stats?sites=shop": "choose *",
		"/stats?sites=*&by=hour&from=2000-01-01&to=2026-01-01": "ask for fewer sites"} {
		r, text := ask(t, h, base+address)
		wants(t, address, r, text, http.StatusUnprocessableEntity, says)
	}
	if r, text := ask(t, h, base+"/stats?sites=*&by=hour&from=-24h&format=csv"); strings.Count(text, "\nshop,") != 3 {
		t.Errorf("as CSV: %d: %s", r.Code, text)
	}
}
