package serve

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A stream of realtime figures begins at once, and a site that is not known has none.
func TestRealtimeIsStreamed(t *testing.T) {
	server := httptest.NewServer(handler(t, shopTable(t)))
	defer server.Close()
	get := func(site string) *http.Response {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+base+"/sites/"+site+"/realtime/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := get("shop")
	defer r.Body.Close()
	line, err := bufio.NewReader(r.Body).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `data: {"siteId":"shop",`) || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%s: %q, %v", r.Status, line, err)
	}
	unknown := get("unknown")
	unknown.Body.Close()
	if unknown.StatusCode != http.StatusNotFound || unknown.Header.Get("Content-Type") != problem.ProblemType {
		t.Errorf("an unknown site: %s", unknown.Status)
	}
}

// A stream, and an answer, have as many pages as they are asked for, of what is read once for all.
func TestStreamsHaveThePagesAskedFor(t *testing.T) {
	table, top := shopTable(t), sketch.NewTop(50)
	for i := range 20 {
		top.Add(fmt.Append(nil, "/", i))
	}
	pages, err := top.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	key := sinks.Keys{}.Realtime("shop", now.Add(-2*time.Minute).Truncate(time.Minute).UnixMilli(), sinks.TP{})
	if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEvents: sinks.Int(20), sinks.AttrPageViews: sinks.Int(20), sinks.AttrPages: sinks.Bytes(pages)}}); err != nil {
		t.Fatal(err)
	}
	h := handler(t, table)
	server := httptest.NewServer(h)
	defer server.Close()
	for asked, want := range map[string]int{"": 10, "?pages=50": 20, "?pages=3": 3} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+base+"/sites/shop/realtime/stream"+asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(r.Body).ReadString('\n')
		r.Body.Close()
		if n := strings.Count(line, `"page":`); n != want || err != nil {
			t.Errorf("stream%s: %d pages, %v, want %d: %s", asked, n, err, want, line)
		}
		if _, text := ask(t, h, "/api/v1/sites/shop/realtime"+asked); strings.Count(text, `"page":`) != want {
			t.Errorf("realtime%s: want %d pages: %s", asked, want, text)
		}
	}
}
