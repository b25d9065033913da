package login_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/login"
)

// first is what a connection sends first to authenticate.
func first(t *testing.T, m sasl.Mechanism) (string, error) {
	t.Helper()
	_, sent, err := m.Authenticate(t.Context(), "b-1.cluster.abc.c2.kafka.eu-central-1.amazonaws.com:9098")
	return string(sent), err
}

func mechanism(t *testing.T, s config.SASL) sasl.Mechanism {
	t.Helper()
	m, err := login.Mechanism(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSecretsOfFilesAreReadAgain: a secret that was replaced holds from the next connection on. While its file is empty or
// holds no secret, the last one does.
func TestSecretsOfFilesAreReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for _, s := range []config.SASL{
		{Mechanism: "plain", Username: "me", PasswordFile: file},
		{Mechanism: "OAUTHBEARER", OAuth: config.OAuth{TokenFile: file, Extensions: []string{"logicalCluster=lkc-1"}}},
	} {
		t.Run(s.Mechanism, func(t *testing.T) {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if _, err := login.Mechanism(s); err == nil || !strings.Contains(err.Error(), "File: ") {
				t.Errorf("without the file: %v, want the setting", err)
			}
			write(t, file, "\n")
			if _, err := login.Mechanism(s); err == nil || !strings.Contains(err.Error(), "is empty") {
				t.Errorf("an empty file: %v", err)
			}
			for _, text := range []string{"two\nlines", strings.Repeat("x", 1<<20), "a\x01b"} {
				write(t, file, text)
				if _, err := login.Mechanism(s); err == nil || !strings.Contains(err.Error(), "is no secret") {
					t.Errorf("a file with %.12q: %v", text, err)
				}
			}
			write(t, file, "first\n")
			m := mechanism(t, s)
			for _, step := range []struct {
				text, want string
			}{{"first\n", "first"}, {"second\r\n", "second"}, {"", "second"}, {"two\nlines", "second"}, {"third", "third"}} {
				write(t, file, step.text)
				if sent, err := first(t, m); err != nil || !strings.Contains(sent, step.want) {
					t.Errorf("the file has %q: sent %q, %v", step.text, sent, err)
				}
			}
			if sent, _ := first(t, m); len(s.OAuth.Extensions) > 0 && !strings.Contains(sent, "\x01logicalCluster=lkc-1\x01") {
				t.Errorf("sent %q, without the extension", sent)
			}
		})
	}
}

// endpoint grants tokens that are valid for some seconds; 0: it does not say for how long.
type endpoint struct {
	*httptest.Server
	granted atomic.Int64
	seconds atomic.Int64
	status  atomic.Int64 // of the answers; 0: it grants
	form    atomic.Pointer[http.Request]
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	e.form.Store(r)
	w.Header().Set("Content-Type", "application/json")
	if status := e.status.Load(); status > 0 {
		w.WriteHeader(int(status))
		fmt.Fprintf(w, `{"error":"invalid_client","error_description":"the secret of-the-client is wrong"}`)
		return
	}
	answer := map[string]any{"access_token": fmt.Sprint("token-", e.granted.Add(1)), "token_type": "bearer"}
	if s := e.seconds.Load(); s > 0 {
		answer["expires_in"] = s
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := new(endpoint)
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

// TestTokensAreGranted: a token of the endpoint serves until it is about to expire. If its end is unknown, it serves one connection. The
// secret's file is read again for each.
func TestTokensAreGranted(t *testing.T) {
	e, file := newEndpoint(t), filepath.Join(t.TempDir(), "secret")
	write(t, file, "of-the-client")
	m := mechanism(t, config.SASL{Mechanism: "oauthbearer", OAuth: config.OAuth{TokenEndpoint: e.URL + "/token", ClientID: "footfall",
		ClientSecretFile: file, Scope: "kafka read", Audience: "brokers"}})
	want := func(token string) {
		t.Helper()
		if sent, err := first(t, m); err != nil || !strings.Contains(sent, "Bearer "+token+"\x01") {
			t.Errorf("sent %q, %v, want %s", sent, err, token)
		}
	}
	want("token-1")
	want("token-2")
	e.seconds.Store(3)
	want("token-3")
	e.seconds.Store(3600)
	want("token-4")
	want("token-4")
	r := e.form.Load()
	if user, secret, _ := r.BasicAuth(); user != "footfall" || secret != "of-the-client" || r.Form.Get("grant_type") != "client_credentials" ||
		r.Form.Get("scope") != "kafka read" || r.Form.Get("audience") != "brokers" {
		t.Errorf("asked as %s with %v", user, r.Form)
	}
}

// TestWhyThereIsNoToken: the error names the endpoint, the client and what to check, says whether to ask again, and has no secret.
func TestWhyThereIsNoToken(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>of-the-client</html>")
	}))
	defer page.Close()
	absent := httptest.NewServer(http.NotFoundHandler())
	defer absent.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	e := newEndpoint(t)
	elsewhere := newEndpoint(t)
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer moved.Close()
	for _, c := range []struct {
		name, url string
		status    int64
		says      string
		refused   bool
	}{
		{"wrong secret", e.URL, http.StatusUnauthorized, `401 Unauthorized, "invalid_client": check clientId`, true},
		{"bad request", e.URL, http.StatusBadRequest, "400 Bad Request", true},
		{"gateway", e.URL, http.StatusRequestTimeout, "408 Request Timeout", false},
		{"too many", e.URL, http.StatusTooManyRequests, "429", false},
		{"broken", e.URL, http.StatusInternalServerError, "500", false},
		{"moved", moved.URL, 0, "307 Temporary Redirect: check the URL", true},
		{"not found", absent.URL, 0, "404 Not Found: check the URL", true},
		{"another page", page.URL, 0, "the answer has no token", false},
		{"nothing there", gone.URL, 0, "connection refused", false},
		{"nothing there, with a secret in the query", gone.URL + "?key=of-the-client", 0, "connection refused", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e.status.Store(c.status)
			m := mechanism(t, config.SASL{Mechanism: "OAUTHBEARER", OAuth: config.OAuth{TokenEndpoint: c.url, ClientID: "footfall",
				ClientSecret: "of-the-client"}})
			_, err := first(t, m)
			known, ok := errors.AsType[*login.Error](err)
			if !ok || known.Refused() != c.refused || known.Temporary() == c.refused {
				t.Fatalf("error %v, want a refusal: %v", err, c.refused)
			}
			endpoint, _, _ := strings.Cut(c.url, "?")
			for _, part := range []string{"kafka.sasl.oauth.tokenEndpoint " + endpoint + " ", `"footfall"`, c.says} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q, want %q in it", err, part)
				}
			}
			if strings.Contains(err.Error(), "of-the-client") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
	if n := elsewhere.granted.Load(); n > 0 {
		t.Errorf("%d requests followed a redirect, with the secret", n)
	}
}

// TestHowTheSecretIsSentIsRemembered: an endpoint wants the secret in the form. It refuses it in a header once, not before each token.
func TestHowTheSecretIsSentIsRemembered(t *testing.T) {
	e := newEndpoint(t)
	var refused int
	formOnly := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			refused++
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		e.ServeHTTP(w, r)
	}))
	defer formOnly.Close()
	m := mechanism(t, config.SASL{Mechanism: "OAUTHBEARER", OAuth: config.OAuth{TokenEndpoint: formOnly.URL, ClientID: "footfall",
		ClientSecret: "of-the-client"}})
	for range 3 {
		if _, err := first(t, m); err != nil {
			t.Fatal(err)
		}
	}
	if refused != 1 || e.granted.Load() != 3 {
		t.Errorf("refused %d times for %d tokens, want 1 for 3", refused, e.granted.Load())
	}
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestConnectionsShareAFailure: an endpoint does not answer. Connections that begin at once wait for it together, but for one that is given
// up. The next one asks again.
func TestConnectionsShareAFailure(t *testing.T) {
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		http.DefaultTransport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Context().Err() == nil { // The library asks twice, with the secret elsewhere.
				asked.Add(1)
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		m := mechanism(t, config.SASL{Mechanism: "OAUTHBEARER", OAuth: config.OAuth{TokenEndpoint: "https://login.example.com/token?key=s3cret",
			ClientID: "footfall", ClientSecret: "s"}})
		begun := time.Now()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				_, err := first(t, m)
				if err == nil || !strings.HasSuffix(err.Error(), "no answer in 8s") || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("error %v, want that there is no answer, and no secret", err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		shutdown := errors.New("shutting down")
		cancel(shutdown)
		if _, _, err := m.Authenticate(ctx, "broker:9092"); !errors.Is(err, shutdown) || time.Since(begun) > 0 {
			t.Errorf("given up: %v after %v, want its cause at once", err, time.Since(begun))
		}
		all.Wait()
		if n, waited := asked.Load(), time.Since(begun); n != 1 || waited != 8*time.Second {
			t.Errorf("%d requests took %v, want one, of 8s", n, waited)
		}
		if _, err := first(t, m); err == nil || asked.Load() != 2 {
			t.Errorf("the next connection: %v after %d requests, want 2", err, asked.Load())
		}
	})
}

// TestMSKIsAnsweredAsByAmazonsLibrary: for these credentials at this instant software.amazon.msk:aws-msk-iam-auth 2.2.0 sends the same, but
// for the name of the client, if it signs for 300 seconds, too, and not for 900.
func TestMSKIsAnsweredAsByAmazonsLibrary(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
	t.Setenv("AWS_SESSION_TOKEN", "session/token+of==")
	text, err := os.ReadFile("testdata/msk.json")
	if err != nil {
		t.Fatal(err)
	}
	m := mechanism(t, config.SASL{Mechanism: "aws_msk_iam"})
	synctest.Test(t, func(t *testing.T) { // It is 2000-01-01 00:00:00 UTC.
		_, sent, err := m.Authenticate(context.Background(), "b-1.cluster.abc.c2.kafka.eu-central-1.amazonaws.com:9098")
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]string
		if err := errors.Join(json.Unmarshal(sent, &got), json.Unmarshal(text, &want)); err != nil {
			t.Fatal(err)
		}
		delete(got, "user-agent")
		delete(want, "user-agent")
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s is %q, want %q", name, got[name], want[name])
			}
		}
		if len(got) != len(want) {
			t.Errorf("sent %v, want the fields of %v", got, want)
		}
	})
}
