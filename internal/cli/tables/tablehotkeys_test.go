package tables

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// serveHot serves what a process does whose writes through the table are counted.
func serveHot(t *testing.T, table sinks.Table) (addr string, watched sinks.Table) {
	t.Helper()
	heat := capacity.NewHeat(nil)
	s := httptest.NewServer(process.NewHandler(t.Context(),
		process.Probed{Ready: func() error { return nil }, Metrics: prometheus.NewRegistry(), Heat: heat, HotKeys: true}))
	t.Cleanup(s.Close)
	return s.URL, heat.Watch(table)
}

func TestTableHotTellsShardsAndKeys(t *testing.T) {
	eachTable(t, func(t *testing.T, tableURL string) {
		for _, args := range [][]string{{"table", "create"}, {"site", "create", "shop.example", "--shards", "32"}} {
			if code, _, errs := clitest.Footfall(t, append(args, "--table", tableURL)...); code != 0 {
				t.Fatalf("%v: exit code %d, stderr %q", args, code, errs)
			}
		}
		table, err := connect.Open(t.Context(), tableURL)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		addr, watched := serveHot(t, retry.Policy{}.Table(table.Table)) // A busy machine may not answer in time.
		for i := range 40 {                                             // Shards 0 to 31, the first eight twice.
			key := sinks.Keys{}.Shard("shop.example", i%32)
			it := sinks.Item{sinks.AttrPK: sinks.Str(key), sinks.AttrSK: sinks.Str(fmt.Sprint("EVENT#", i))}
			if _, err := watched.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Fatal(err)
			}
		}
		hot := func(args ...string) (r capacity.HotReport) {
			t.Helper()
			code, out, errs := clitest.Footfall(t, append([]string{"table", "hot-keys", "--table", tableURL, "--metrics-url", addr,
				"--output", "json"},
				args...)...)
			if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
				t.Fatalf("hot %v: exit code %d, stderr %q, %v in\n%s", args, code, errs, err, out)
			}
			return r
		}
		if r := hot("--limit", "5"); len(r.Keys) != 5 || r.More != 27 || r.Keys[0].PK != "SITE#shop.example#SHARD#00" || len(r.Processes) != 1 {
			t.Errorf("hottest keys %+v, want five of 32", r)
		}
		if r := hot("shop.example"); len(r.Shards) != 32 || r.Unevenness < 1.59 || r.Unevenness > 1.61 { // 2 over 40/32.
			t.Errorf("shards of the site: %+v, want 32, the busiest 1.6 times the mean", r)
		}
		code, out, _ := clitest.Footfall(t, "table", "hot-keys", "shop.example", "--table", tableURL, "--metrics-url", addr)
		if code != 0 || !strings.Contains(out, "The busiest shard has 1.60 times the mean") {
			t.Errorf("exit code %d, stdout\n%s", code, out)
		}
		if code, _, errs := clitest.Footfall(t, "table", "hot-keys", "unknown.example", "--table", tableURL, "--metrics-url", addr); code != 1 ||
			!strings.Contains(errs, "is not known") {
			t.Errorf("an unknown site: exit code %d, stderr %q", code, errs)
		}
	})
}

func TestTableHotNeedsAProcess(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	other := httptest.NewServer(nil) // Serves something else.
	t.Cleanup(other.Close)
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	t.Cleanup(empty.Close)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "name its address with --metrics-url", nil},
		{2, `--metrics-url "localhost:8080": write http://HOST:PORT`, []string{"--metrics-url", "localhost:8080"}},
		{2, "--limit 0: choose 1", []string{"--limit", "0"}},
		{2, `--output "csv"`, []string{"--output", "csv"}},
		{1, "does footfall run of this version serve there", []string{"--metrics-url", gone.URL}},
		{1, "404 Not Found", []string{"--metrics-url", other.URL}},
		{1, "does footfall run of this version serve there", []string{"--metrics-url", empty.URL}},
	} {
		code, out, errs := clitest.Footfall(t, append([]string{"table", "hot-keys"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q, want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

func TestTableHotAsksTheConfiguredAddress(t *testing.T) {
	addr, _ := serveHot(t, nil)
	t.Setenv("FOOTFALL_HTTP", strings.TrimPrefix(addr, "http://"))
	if code, out, errs := clitest.Footfall(t, "table", "hot-keys"); code != 0 || !strings.Contains(out, addr) {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}
