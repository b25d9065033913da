package inspect

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// TestHealth: a process that works is healthy, also while it is not ready; health --ready names why it is not.
func TestHealth(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not ready: partition 3 is not taken over", http.StatusServiceUnavailable)
	})
	server := httptest.NewServer(mux)
	elsewhere := httptest.NewServer(http.RedirectHandler("/login", http.StatusFound))
	defer elsewhere.Close()
	address := server.Listener.Addr().String()
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		output string // a part of it
	}{
		{"works", []string{"--http", address}, 0, "ok"},
		{"not ready", []string{"--http", address, "--ready"}, 1, "partition 3 is not taken over"},
		{"another program", []string{"--http", elsewhere.Listener.Addr().String()}, 1, "302 Found: does footfall run or serve listen there"},
		{"no address", nil, 2, "--http :8080"},
		{"no port", []string{"--http", "localhost"}, 1, "missing port"},
	} {
		code, out, errs := clitest.Footfall(t, append([]string{"health"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errs, c.output) {
			t.Errorf("%s: exit code %d, output %q, want %d and %q", c.name, code, out+errs, c.code, c.output)
		}
	}
	server.Close()
	if code, out, errs := clitest.Footfall(t, "health", "--http", address); code != 1 || out != "" || !strings.Contains(errs, "refused") {
		t.Errorf("without a process: exit code %d, stdout %q, stderr %q, want 1 and a refused connection", code, out, errs)
	}
}
