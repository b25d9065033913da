package manage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

// Alerts are created, listed, tried and deleted, and all of a site go with it.
func TestAlertsOfASite(t *testing.T) {
	dir, broker, table := clitest.NewDevDirectory(t)
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if err := broker.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) (a query.AlertsAnswer) {
		t.Helper()
		code, out, errs := clitest.Footfall(t, append(args, "--data", dir)...)
		if code != want {
			t.Fatalf("%v: exit code %d, want %d: %q", args, code, want, errs)
		}
		if err := json.Unmarshal([]byte(out), &a); err != nil && args[len(args)-1] == "json" {
			t.Fatalf("%v: %v in %q", args, err, out)
		}
		return a
	}
	run(0, "site", "create", "north", "--zone", "Europe/Berlin")
	run(0, "site", "create", "south")
	run(0, "goal", "create", "north", "bought", "--on", "page:/thanks")
	a := run(0, "alert", "create", "north", "--when", "pageViews < 75 % of usual", "--webhook",
		"https://hooks.example/secret", "--output", "json")
	if len(a.Alerts) != 1 || a.Alerts[0].ID != "pageViews drops" || a.Alerts[0].WebhookHost != "hooks.example" {
		t.Errorf("created: %+v", a)
	}
	run(0, "alert", "create", "north", "--when", "pageViews drops", "--webhook", "https://hooks.example/secret") // Again: no effect.
	run(1, "alert", "create", "north", "--when", "pageViews drops")
	run(0, "alert", "create", "north", "checkout", "--when", "goal bought stops")
	run(1, "alert", "create", "north", "--when", "goal sold stops")
	run(1, "alert", "create", "west", "--when", "silence")
	for _, args := range [][]string{{"alert", "try", "west", "--when", "silence"}, {"query", "alerts", "west"}} {
		run(command.CodeUnknown, args...) // A site that is not known.
	}
	run(0, "alert", "create", "south", "--when", "silence")
	if a := run(0, "alert", "list", "north", "--output", "json"); len(a.Alerts) != 2 || len(a.Findings) != 0 {
		t.Errorf("listed: %+v", a)
	}
	for _, when := range []string{"silence", "goal bought stops", "source surges"} {
		if a := run(0, "alert", "try", "north", "--when", when, "--from", "-2d", "--output", "json"); len(a.Findings) != 0 {
			t.Errorf("%s: a site without events has %+v", when, a.Findings)
		}
	}
	_, out, errs := clitest.Footfall(t, "alert", "try", "north", "--when", "silence", "--data", dir)
	if !strings.Contains(out, "would have fired") || strings.Contains(out, "None.") {
		t.Errorf("a condition that is tried for a site with alerts: %s%s", out, errs)
	}
	run(0, "alert", "try", "north", "--when", "source surges") // Its range is shorter.
	run(2, "alert", "try", "north", "--when", "source surges", "--from", "-28d")
	run(0, "query", "alerts", "north")
	run(0, "alert", "delete", "north", "checkout")
	run(1, "alert", "delete", "north", "checkout")
	run(0, "site", "delete", "north", "--yes")
	if a := run(0, "alert", "list", "north", "--output", "json"); len(a.Alerts) != 0 {
		t.Errorf("of a site that was deleted: %+v", a)
	}
	if a := run(0, "query", "alerts", "south", "--output", "json"); len(a.Alerts) != 1 {
		t.Errorf("of another site: %+v", a)
	}
}

func TestAlertUsage(t *testing.T) {
	clitest.Refused(t, "alert create shop --when", clitest.WrongUsage{Args: "bounceRate", Says: "character 1"},
		clitest.WrongUsage{Args: "silence --webhook http://hooks.example/", Says: "write https"},
		clitest.WrongUsage{Args: "silence --webhook https://user:word@hooks.example/", Says: "password"},
		clitest.WrongUsage{Args: "silence --webhook http://169.254.169.254/", Says: "write https"},
		clitest.WrongUsage{Args: "silence --webhook https://169.254.169.254/", Says: "metadata"},
		clitest.WrongUsage{Args: "silence --webhook hooks", Says: "no URL"})
}
