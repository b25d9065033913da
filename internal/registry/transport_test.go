package registry

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
)

type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A server that never answers is given up, also without a deadline of the caller. If it was not, the bubble would be deadlocked.
func TestRequestsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://registry.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := httpClient(silent{}).Do(r)
		if err == nil {
			response.Body.Close()
		}
		if err := unanswered("http://registry.example", err); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want a timeout", err)
		}
	})
}
