package serve

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/serve/problem"
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
