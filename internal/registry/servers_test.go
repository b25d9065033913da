package registry_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/footfall/footfall/internal/registry"
	"github.com/footfall/footfall/pipeline/wire"
)

// A server that fails, or has no such schema yet, is no obstacle as long as another one has it.
func TestServersAreAskedInTurn(t *testing.T) {
	down := newFake(t, nil)
	down.Close()
	broken := reply{status: 500, body: `{"error_code":50001}`}
	for _, c := range []struct {
		name          string
		first, second reply
		want          class
	}{
		{"the first fails", broken, schema("", text), found},
		{"the first lies", reply{content: "text/html", body: html}, schema("", text), found},
		{"the first lags", reply{status: 404, body: `{"error_code":40403}`}, schema("", text), found},
		{"the second fails, unasked", schema("", text), broken, found},
		{"the first has one that is too large", schema("", strings.Repeat("x", 9<<20)), schema("", text), unusable},
		{"both have none", reply{status: 404, body: `{"error_code":40403}`}, reply{status: 404, body: `{"error_code":40403}`}, unknown},
		{"one has none, one fails", reply{status: 404, body: `{"error_code":40403}`}, broken, unknown},
		{"one fails, one has none", broken, reply{status: 404, body: `{"error_code":40403}`}, unknown},
		{"both fail", broken, broken, unclear},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := newFake(t, map[string]reply{path: c.first}), newFake(t, map[string]reply{path: c.second})
			_, err := newClient(t, registry.Options{URLs: []string{down.URL, first.URL, second.URL}}).Schema(t.Context(), seven)
			if classOf(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if c.want != unclear {
				return
			}
			for _, f := range []*fake{down, first, second} {
				if !strings.Contains(err.Error(), f.URL) {
					t.Errorf("%q does not name %s", err, f.URL)
				}
			}
		})
	}
}

// Requests begin with the server that answered last: one that is down costs time once.
func TestLastServerIsAskedFirst(t *testing.T) {
	broken := newFake(t, map[string]reply{path: {status: 503}})
	f := newFake(t, map[string]reply{path: schema("", text)})
	c := newClient(t, registry.Options{URLs: []string{broken.URL, f.URL}})
	for range 3 {
		if _, err := c.Schema(t.Context(), seven); err != nil {
			t.Fatal(err)
		}
	}
	if asked := len(broken.requests()); asked != 1 {
		t.Errorf("the broken server was asked %d times, want once", asked)
	}
}

func TestClientIsSafeForConcurrentUse(t *testing.T) {
	answers := make(map[string]reply)
	for n := range 20 {
		answers[fmt.Sprint("/schemas/ids/", n)] = schema("", fmt.Sprint(n), reference{"r0", "s0", 1})
	}
	answers[version("s0", 1)] = schema("", text)
	c := newClient(t, registry.Options{URLs: []string{newFake(t, nil).URL, newFake(t, answers).URL}})
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if got, err := c.Schema(t.Context(), wire.Confluent(uint32(n))); err != nil || got.Text != fmt.Sprint(n) || len(got.References) != 1 {
				t.Errorf("schema %d is %+v, %v", n, got, err)
			}
		})
	}
	all.Wait()
}

// A request that is given up says why, and is no clear answer, even if another server had none.
func TestRequestsAreGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("shutdown")
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(cause)
		<-r.Context().Done()
	}))
	t.Cleanup(hangs.Close)
	none := newFake(t, nil)
	_, err := newClient(t, registry.Options{URLs: []string{none.URL, hangs.URL, none.URL}}).Schema(ctx, seven)
	if classOf(err) != unclear || !errors.Is(err, cause) {
		t.Errorf("%v, want %v", err, cause)
	}
	if asked := none.requests(); len(asked) != 1 {
		t.Errorf("the other server was asked for %v, want once", asked)
	}
}
