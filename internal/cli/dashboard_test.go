package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// histogramParts are what a histogram adds to its name.
var histogramParts = regexp.MustCompile(`_(bucket|sum|count)$`)

// TestDashboardFitsTheMetrics: every panel asks for metrics that there are. Whether Prometheus has a series for each is shown against a
// real one by scripts/dashboard.
func TestDashboardFitsTheMetrics(t *testing.T) {
	var dashboard struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(clitest.Must(os.ReadFile("../../deploy/helm/files/grafana.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	metrics := make(map[string]bool)
	for _, name := range metricNames(t) {
		name, _, _ = strings.Cut(name, "{")
		metrics[name] = true
	}
	panels := 0
	for _, p := range dashboard.Panels {
		if p.Type == "row" {
			continue
		}
		panels++
		if len(p.Targets) == 0 {
			t.Errorf("panel %q asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			for _, name := range metricInRule.FindAllString(target.Expr, -1) {
				if !metrics[histogramParts.ReplaceAllString(name, "")] && !metrics[name] {
					t.Errorf("panel %q asks for %s, which is no metric", p.Title, name)
				}
			}
		}
	}
	if panels < 10 {
		t.Errorf("%d panels, want the dashboard", panels)
	}
}
