package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/sinks"
)

// One credential cannot take the streams of all others: it is refused at its own bound, and told what to do; all are at that of all.
func TestStreamsAreBoundedByCredentialAndInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := shopTable(t)
		h := New(Options{Table: table, Now: time.Now, Log: quiet(t), Limits: reads.Limits{Streams: 3, StreamsEach: 2},
			Keeper: access.NewKeeper(access.KeeperOptions{Table: table, Now: time.Now, Log: quiet(t)})})
		store := &access.Store{Table: table, By: "a test", Now: time.Now}
		token := func() string {
			_, token, err := store.Create(t.Context(), access.Stored{Kind: access.Token, Sites: []string{"shop"},
				Rights: []access.Right{access.Read}, ExpiresAt: time.Now().Add(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		// open opens a stream, and returns its answer so far and what closes it.
		open := func(token string) (*httptest.ResponseRecorder, func()) {
			ctx, stop := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+base+"/sites/shop/realtime/stream", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			go h.ServeHTTP(w, r)
			synctest.Wait()
			return w, func() {
				stop()
				synctest.Wait()
			}
		}
		first, second := token(), token()
		var closing []func()
		for i, c := range []struct {
			token  string
			status int
			says   string
		}{{first, http.StatusOK, "data: "}, {first, http.StatusOK, "data: "},
			{first, http.StatusTooManyRequests, "2 streams are open with this credential, and no more may be: close one"},
			{second, http.StatusOK, "data: "},
			{second, http.StatusServiceUnavailable, "3 streams are open, and no more may be: close one, or ask get-realtime"}} {
			w, end := open(c.token)
			retry := w.Header().Get("Retry-After") == "30"
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || retry != (c.status != http.StatusOK) {
				t.Errorf("stream %d: %d, %v: %s; want %d and %s", i, w.Code, w.Header(), w.Body, c.status, c.says)
			}
			closing = append(closing, end)
		}
		closing[0]()
		if w, _ := open(second); w.Code != http.StatusOK {
			t.Errorf("after one has closed: %d: %s", w.Code, w.Body)
		}
		if w, _ := open(first); w.Code != http.StatusServiceUnavailable {
			t.Errorf("in the place of another: %d: %s", w.Code, w.Body)
		}
	})
}

// stuck is a table whose queries do not end by themselves.
type stuck struct{ sinks.Table }

func (stuck) Query(ctx context.Context, _ sinks.Query) (sinks.Page, error) {
	<-ctx.Done()
	return sinks.Page{}, context.Cause(ctx)
}

// An answer that takes longer than the server allows is given up, and says after what time.
func TestAnswersAreBoundedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{Table: stuck{shopTable(t)}, Now: time.Now, Log: quiet(t), Limits: reads.Limits{Time: 3 * time.Second}})
		for _, path := range []string{base + "/sites/shop/stats", "/sites/shop"} {
			began := time.Now()
			r, text := ask(t, h, path)
			if took := time.Since(began); took != 3*time.Second {
				t.Errorf("%s took %v, want 3s", path, took)
			}
			wants(t, path, r, text, http.StatusUnprocessableEntity, "longer than 3s: ask for a shorter range")
		}
	})
}
