package serve

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// Callers within a while share one read; failures and what is not worth it are not remembered, and old results are forgotten.
func TestRecentResultsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, reads := recent[int]{keep: 6 * time.Second}, 0
		ask := func(name string, fails error) (int, error) {
			return r.get(t.Context(), name, func(context.Context) (int, error) {
				reads++
				return reads, fails
			}, func(int) bool { return name != "made up" })
		}
		expect := func(name string, fails error, want, wantReads int) {
			t.Helper()
			if got, err := ask(name, fails); !errors.Is(err, fails) || fails == nil && got != want || reads != wantReads {
				t.Errorf("%s: %d, %v after %d reads; want %d after %d", name, got, err, reads, want, wantReads)
			}
		}
		failure := errors.New("throttled")
		expect("shop", failure, 0, 1)
		expect("shop", nil, 2, 2)
		expect("shop", nil, 2, 2)
		expect("blog", nil, 3, 3)
		expect("made up", nil, 4, 4)
		expect("made up", nil, 5, 5)
		<-time.After(5 * time.Second)
		r.put("shop", 40)
		<-time.After(time.Second)
		expect("blog", nil, 6, 6)
		expect("shop", nil, 40, 6)
		<-time.After(5 * time.Second)
		expect("shop", nil, 7, 7)
		if len(r.kept) != 2 {
			t.Errorf("%d results are kept, want those of two sites", len(r.kept))
		}
	})
}

// Whoever polls the realtime figures of a site shares a read of the table with all others, whatever their credentials; other questions
// are answered by their own.
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
		if next := units(path+"?at=now", g.token("shop")); next != "0" {
			t.Errorf("another poll consumes %s read units", next)
		}
	}
	for _, other := range []string{"?pages=50", "?includeBots=true", "?consistent=true", "?at=2026-05-12T10:00:00Z"} {
		if own := units(path+other, g.token("shop")); own == "0" {
			t.Errorf("%s consumes no read units", other)
		}
	}
}
