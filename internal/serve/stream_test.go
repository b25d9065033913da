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
)

// A stream ends within a minute of the end of its credential, and goes on as long as that is valid.
func TestStreamsEndWithTheirCredential(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context, store *access.Store, id string) error{
		"revoked": func(ctx context.Context, store *access.Store, id string) error {
			return store.Revoke(ctx, access.Token, id)
		},
		"expired": func(context.Context, *access.Store, string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table := shopTable(t)
				h := New(Options{Table: table, Now: time.Now, Log: quiet(t),
					Keeper: access.NewKeeper(access.KeeperOptions{Table: table, Now: time.Now, Log: quiet(t)})})
				store := &access.Store{Table: table, By: "a test", Now: time.Now}
				const valid = 10 * time.Minute
				created, token, err := store.Create(t.Context(), access.Stored{Kind: access.Token, Sites: []string{"shop"},
					Rights: []access.Right{access.Read}, ExpiresAt: time.Now().Add(valid)})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+base+"/sites/shop/realtime/stream", nil)
				r.Header.Set("Authorization", "Bearer "+token)
				w, began, ended := httptest.NewRecorder(), time.Now(), make(chan time.Time, 1)
				go func() {
					h.ServeHTTP(w, r)
					ended <- time.Now()
				}()
				last := began.Add(valid)
				if name == "revoked" {
					last = began.Add(valid / 2)
					<-time.After(valid / 2)
					if err := end(t.Context(), store, created.ID); err != nil {
						t.Error(err)
					}
				}
				if at := <-ended; at.Before(last) || at.Sub(last) > time.Minute {
					t.Errorf("the stream ended %v after its credential", at.Sub(last))
				}
				if n := strings.Count(w.Body.String(), "data: "); n < 10 {
					t.Errorf("%d events: %s", n, w.Body)
				}
				synctest.Wait()
			})
		})
	}
}
