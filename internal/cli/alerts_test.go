package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/footfall/footfall/internal/cli/clitest"
)

var (
	metricInRule = regexp.MustCompile(`footfall_[a-z_]+`)
	anchor       = regexp.MustCompile(`\]\(#([a-z0-9-]+)\)`)
)

// TestAlertsFitTheMetricsAndTheRunbook: alerts are about metrics that there are. Each has a section in the runbook, a case that fires and
// one that does not; and each message that ends a process has a section, too. Whether cases come out so is for promtool to say, in CI.
func TestAlertsFitTheMetricsAndTheRunbook(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	var cases struct {
		Tests []struct {
			Name  string
			Cases []struct {
				Alert string      `yaml:"alertname"`
				Fired []yaml.Node `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	for file, into := range map[string]any{"../../deploy/helm/files/alerts.yml": &rules, "../../deploy/alerts_test.yml": &cases} {
		if err := yaml.Unmarshal(clitest.Must(os.ReadFile(file)), into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	runbook := string(clitest.Must(os.ReadFile("../../docs/runbook.md")))
	metrics := make(map[string]bool)
	for _, name := range metricNames(t) {
		name, _, _ = strings.Cut(name, "{")
		metrics[name] = true
	}
	alerts := 0
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			alerts++
			for _, name := range metricInRule.FindAllString(r.Expr, -1) {
				if !metrics[name] {
					t.Errorf("alert %s is about %s, which is no metric", r.Alert, name)
				}
			}
			if !strings.Contains(runbook, "\n### "+r.Alert+"\n") {
				t.Errorf("alert %s has no section in docs/runbook.md", r.Alert)
			}
			fires, silent := false, false
			for _, test := range cases.Tests {
				for _, c := range test.Cases {
					fires = fires || c.Alert == r.Alert && len(c.Fired) > 0
					silent = silent || c.Alert == r.Alert && len(c.Fired) == 0
				}
			}
			if !fires || !silent {
				t.Errorf("alert %s has a case that fires: %v, and one that does not: %v; want both", r.Alert, fires, silent)
			}
		}
	}
	if have := strings.Count(runbook, "\n### Footfall"); alerts == 0 || have != alerts {
		t.Errorf("docs/runbook.md has sections of %d alerts, and there are %d", have, alerts)
	}
	headings := strings.Split(strings.ToLower(runbook), "\n")
	for _, link := range anchor.FindAllStringSubmatch(runbook, -1) {
		if !slices.ContainsFunc(headings, func(line string) bool {
			return strings.HasPrefix(line, "#") && strings.ReplaceAll(strings.TrimLeft(line, "# "), " ", "-") == link[1]
		}) {
			t.Errorf("docs/runbook.md has no heading for #%s", link[1])
		}
	}
}
