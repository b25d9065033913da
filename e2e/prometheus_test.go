//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// How long a condition lasts here before its alert fires; deploy/helm/files/alerts.yml says minutes. Members that take partitions over need
// less, even on a busy machine.
const (
	shortFor    = "20s"
	takeoverFor = "1m"
)

var (
	anyFor = regexp.MustCompile(`(?m)^( +for:).*$`)
	ownFor = regexp.MustCompile(`(alert: FootfallPartitionsWithoutOwner\n.*\n +for:).*`)
)

// monitor is a Prometheus that scrapes members every second.
type monitor struct {
	*process
	t   *testing.T
	url string
}

// startMonitor starts a Prometheus with the alerts of deploy/helm/files/alerts.yml, whose times are shorter in a copy.
func startMonitor(t *testing.T, targets ...string) *monitor {
	t.Helper()
	dir, addr := t.TempDir(), freeAddress(t)
	rules, err := os.ReadFile("../deploy/helm/files/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	if !ownFor.Match(rules) {
		t.Fatal("deploy/helm/files/alerts.yml has no FootfallPartitionsWithoutOwner with a time")
	}
	rules = ownFor.ReplaceAll(anyFor.ReplaceAll(rules, []byte("$1 "+shortFor)), []byte("$1 "+takeoverFor))
	config, err := json.Marshal(map[string]any{
		"global":     map[string]string{"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{"alerts.yml"},
		"scrape_configs": []any{map[string]any{"job_name": "footfall",
			"static_configs": []any{map[string]any{"targets": targets}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"alerts.yml": rules, "prometheus.yml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := startCommand(t, "prometheus", exec.Command("prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "tsdb"), "--web.listen-address="+addr))
	m := &monitor{p, t, "http://" + addr}
	poll(t, nowAndThen, "prometheus has scraped every member", func() bool {
		p.running()
		return len(m.query("footfall_build_info")) == len(targets)
	})
	return m
}

// query returns the labels of the series that an expression has now; none while Prometheus does not answer.
func (m *monitor) query(expr string) (series []map[string]string) {
	m.t.Helper()
	resp, err := http.Get(m.url + "/api/v1/query?" + url.Values{"query": {expr}}.Encode())
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusServiceUnavailable {
		return nil // It has just been started.
	}
	var a struct {
		Data struct {
			Result []struct{ Metric map[string]string }
		}
		Error string
	}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		m.t.Fatalf("prometheus: query %s: %v", expr, err)
	}
	if a.Error != "" {
		m.t.Fatalf("prometheus: query %s: %s", expr, a.Error)
	}
	for _, s := range a.Data.Result {
		series = append(series, s.Metric)
	}
	return series
}

// alerts returns the names of alerts, each once, that an expression about ALERTS has.
func (m *monitor) alerts(expr string) []string {
	m.t.Helper()
	names := make(map[string]bool)
	for _, labels := range m.query(expr) {
		names[labels["alertname"]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// fires waits until an alert fires, and fails the test if another one does or has.
func (m *monitor) fires(alert string) {
	m.t.Helper()
	var firing []string
	poll(m.t, nowAndThen, alert+" fires", func() bool {
		firing = m.alerts(`ALERTS{alertstate="firing"}`)
		return len(firing) > 0
	})
	m.only(alert)
}

// resolves waits until no alert fires, and fails the test if another than this one has.
func (m *monitor) resolves(alert string) {
	m.t.Helper()
	poll(m.t, nowAndThen, alert+" is resolved", func() bool {
		return len(m.query("footfall_build_info")) > 0 && len(m.query(`ALERTS{alertstate="firing"}`)) == 0
	})
	m.only(alert)
}

// only fails the test if any alert but this one has fired so far.
func (m *monitor) only(alert string) {
	m.t.Helper()
	if got := m.alerts(`max_over_time(ALERTS{alertstate="firing"}[1h])`); !slices.Equal(got, []string{alert}) {
		m.t.Fatalf("alerts that have fired: %v, want %s alone; conditions that hold: %s", got, alert, fmt.Sprint(m.query("ALERTS")))
	}
}
