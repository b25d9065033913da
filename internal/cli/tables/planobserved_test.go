package tables

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// serveMeters serves the metrics of a process that has consumed units for writes of raw events.
func serveMeters(t *testing.T, units float64, more ...prometheus.Collector) (addr string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(more...)
	m := pipeline.NewMetrics(registry)
	m.Units.WithLabelValues(sinks.EntityEvent).Add(units)
	m.Writes.WithLabelValues(sinks.EntityEvent).Add(units)
	m.Records.WithLabelValues("counted").Add(units)
	s := httptest.NewServer(process.NewHandler(t.Context(),
		process.Probed{Ready: func() error { return nil }, Metrics: registry, Heat: capacity.NewHeat(nil), HotKeys: true}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestPlanObserved(t *testing.T) {
	eachTable(t, func(t *testing.T, url string) {
		process := func() prometheus.Collector { return collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}) }
		one, two := serveMeters(t, 1000, process()), serveMeters(t, 500, process())
		args := []string{"plan", "--observed", "--table", url, "--metrics-url", one, "--metrics-url", two}
		if code, _, errs := clitest.Footfall(t, args...); code != 1 || !strings.Contains(errs, "footfall table create --table "+url) {
			t.Errorf("without a table: exit code %d, stderr %q", code, errs)
		}
		if code, _, errs := clitest.Footfall(t, "table", "create", "--table", url); code != 0 {
			t.Fatalf("create: exit code %d, stderr %q", code, errs)
		}
		code, out, errs := clitest.Footfall(t, append(args, "--output", "json")...)
		var p capacity.Plan
		if err := json.Unmarshal([]byte(out), &p); code != 0 || err != nil {
			t.Fatalf("exit code %d, stderr %q, %v in\n%s", code, errs, err, out)
		}
		if p.Workload != nil || p.Observed.Processes != 2 || len(p.Items) != 1 || p.Items[0].Entity != sinks.EntityEvent {
			t.Errorf("plan %+v", p)
		}
		perDay := 1500 * 86_400 / p.Observed.Seconds // Both are this process, and as old.
		if p.Total.Units < 0.9*perDay || p.Total.Units > 1.1*perDay || p.Total.Units != p.Observed.EventsPerDay {
			t.Errorf("%g write units a day, want about %g", p.Total.Units, perDay)
		}
		if code, out, errs := clitest.Footfall(t, append(args, "--over", "1ms")...); code != 0 ||
			!strings.Contains(out, "Measured from 2 processes") {
			t.Errorf("over a while: exit code %d, stdout %q, stderr %q", code, out, errs)
		}
	})
}

func TestPlanObservedRefusesWhatItCannotObserve(t *testing.T) {
	table := "sqlite://" + t.TempDir() + "/t.db"
	if code, _, errs := clitest.Footfall(t, "table", "create", "--table", table); code != 0 {
		t.Fatalf("create: exit code %d, stderr %q", code, errs)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "name its address with --metrics-url", []string{"--observed"}},
		{2, "--sites: describes a load to estimate", []string{"--observed", "--sites", "3"}},
		{2, "--metrics-url: only with --observed", []string{"--metrics-url", "http://localhost:1"}},
		{2, "--over -1s", []string{"--observed", "--over", "-1s"}},
		{1, "it does not report its start time", []string{"--observed", "--metrics-url", serveMeters(t, 1)}},
	} {
		code, out, errs := clitest.Footfall(t, append([]string{"plan", "--table", table}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q, want %d and %q", fmt.Sprint(c.args), code, out, errs, c.code, c.want)
		}
	}
}
