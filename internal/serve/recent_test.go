package serve

import (
	"net/http"
	"testing"
)

// All polls of the realtime figures of a site share a read of the table, whatever their credentials; other questions have reads of their
// own.
func TestPollsOfRealtimeShareARead(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	units := func(path, token string) string {
		t.Helper()
		r, text := g.bearer(path, token)
		if r.Code != http.StatusOK {
			t.Fatalf("%s: %d: %s", path, r.Code, text)
		}
		return r.Header().Get("Footfall-Read-Units")
	}
	const path = "/api/v1/sites/shop/realtime"
	if first := units(path, g.token("shop")); first == "" || first == "0" {
		t.Errorf("the first poll consumes %q read units", first)
	}
	for range 20 {
		if next := units(path+"?at=now&pages=50", g.token("shop")); next != "0" {
			t.Errorf("another poll consumes %s read units", next)
		}
	}
	for _, other := range []string{"?includeBots=true", "?consistent=true", "?at=2026-05-12T10:00:00Z"} {
		if own := units(path+other, g.token("shop")); own == "0" {
			t.Errorf("%s consumes no read units", other)
		}
	}
}
