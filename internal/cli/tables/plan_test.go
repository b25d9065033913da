package tables

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/slow"
)

// planOf runs plan on a load without breakdowns whose hours all have the same rate and few flushes, so that little is simulated.
func planOf(t *testing.T, eventsPerDay string, args ...string) (code int, out, errs string) {
	t.Helper()
	return clitest.Footfall(t, append([]string{"plan", "--peak", "1", "--breakdowns-rows", "0", "--events-per-day", eventsPerDay,
		"--intervals-stats", "300s", "--intervals-realtime", "60s"}, args...)...)
}

func TestPlanTellsWhatALoadCosts(t *testing.T) {
	slow.Unraced(t)
	code, out, errs := planOf(t, "4320000", "--raw-events=off", "--sites", "6")
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d, stderr %q", code, errs)
	}
	for _, want := range []string{"session", "checkpoint", "on demand", "provisioned, auto scaled", "Write units an event:", "us-east-1",
		"Hottest partition keys", "15m0s in 1.5 MiB of memory a partition, at 50 events a second"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing from\n%s", want, out)
		}
	}
	for _, not := range []string{"event  ", "breakdown"} {
		if strings.Contains(out, not+" ") {
			t.Errorf("%q is off, and planned in\n%s", not, out)
		}
	}
	if strings.Contains(out, "All of duplicates.window") {
		t.Errorf("the window of duplicates has room, and is said to need more in\n%s", out)
	}
}

func TestPlanAsJSON(t *testing.T) {
	slow.Unraced(t)
	plan := func(args ...string) (p struct {
		Workload        struct{ EventsPerDay float64 }
		Items           []struct{ Item, Entity string }
		Total           struct{ WriteUnitsPerDay float64 }
		DollarsPerMonth struct{ OnDemand, Storage float64 }
		Limits          struct{ ShardsNeeded int }
	}) {
		t.Helper()
		code, out, errs := planOf(t, "720000", append([]string{"--output", "json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &p); code != 0 || err != nil {
			t.Fatalf("%v: exit code %d, stderr %q, %v in\n%s", args, code, errs, err, out)
		}
		return p
	}
	once := plan()
	if once.Workload.EventsPerDay != 720_000 || len(once.Items) < 5 || once.Items[0].Entity != "Pack" ||
		once.Total.WriteUnitsPerDay < 360_000 || once.Limits.ShardsNeeded != 1 {
		t.Errorf("plan %+v", once)
	}
	if items := plan("--raw-events=items"); items.Items[0].Entity != "Event" || items.Total.WriteUnitsPerDay <= once.Total.WriteUnitsPerDay {
		t.Errorf("raw events as items: plan %+v, and with packs %+v", items, once)
	}
	if slow := plan("--intervals-stats", "900s", "--intervals-realtime", "300s"); slow.Total.WriteUnitsPerDay >= once.Total.WriteUnitsPerDay {
		t.Errorf("longer intervals: %g write units a day, %g before", slow.Total.WriteUnitsPerDay, once.Total.WriteUnitsPerDay)
	}
	dear, before := plan("--price-writes", "6.25").DollarsPerMonth, once.DollarsPerMonth
	if dear.OnDemand-dear.Storage < 8*(before.OnDemand-before.Storage) {
		t.Errorf("ten times the price of writes: %+v dollars, %+v before", dear, before)
	}
}

// The memory of the window of duplicates, and what it holds, depend on the load of a partition. TestPlanTellsWhatALoadCosts has a load
// for which there is room.
func TestPlanHasTheWindowOfDuplicates(t *testing.T) {
	slow.Unraced(t)
	code, out, errs := planOf(t, "172800000", "--raw-events=off", "--sites", "200")
	for _, want := range []string{"2m6s in 6.0 MiB of memory a partition, at 2,000 events a second",
		"All of duplicates.window needs duplicates.memoryBytes 45000000, or more partitions."} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, stderr %q, want %q in\n%s", code, errs, want, out)
		}
	}
}

func TestPlanPrintsValuesOfTheChart(t *testing.T) {
	slow.Unraced(t)
	code, out, errs := planOf(t, "720000", "--partitions", "12", "--keda")
	comment, values, _ := strings.Cut(out, "\n")
	want := regexp.MustCompile(`^partitions: 12\nautoscaling:\n  enabled: true\n  maxReplicas: 12\n  lagThreshold: [1-9][0-9]+\n$`)
	if code != 0 || errs != "" || !strings.HasPrefix(comment, "# 720,000 events a day ") || !want.MatchString(values) {
		t.Errorf("exit code %d, stderr %q, want %s in\n%s", code, errs, want, out)
	}
}

func TestPlanRefusesWhatItCannotPlan(t *testing.T) {
	for want, args := range map[string][]string{
		"--sites 0: choose 1 to":         {"--sites", "0"},
		"--peak 7: choose 1 to 5.9":      {"--peak", "7"},
		"--price-reads -1: choose":       {"--price-reads", "-1"},
		`--output "csv": choose table`:   {"--output", "csv"},
		"--events-per-day NaN: choose 1": {"--events-per-day", "NaN"},
		"--keda: describes a load":       {"--keda", "--observed"},
		"leave out --output and --json":  {"--keda", "--json"},
	} {
		if code, out, errs := clitest.Footfall(t, append([]string{"plan"}, args...)...); code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q, want 2 and %q", args, code, out, errs, want)
		}
	}
}
