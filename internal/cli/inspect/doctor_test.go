package inspect

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/doctor"
)

// TestDoctorsExitCodes: 0 with warnings alone, 1 with an error, 2 for wrong usage, 3 if nothing could be asked; and what mends it is
// printed.
func TestDoctorsExitCodes(t *testing.T) {
	cluster := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
	brokers, table := cluster.ListenAddrs()[0], clitest.NewTable(t)
	missing := "sqlite://" + filepath.Join(t.TempDir(), "missing.db")
	for _, c := range []struct {
		name string
		code int
		says string
		args []string
	}{
		{"warnings alone", 0, "no errors, ", []string{"--brokers", brokers, "--table", table}},
		{"no topic", 1, `topic "other" does not exist`, []string{"--brokers", brokers, "--table", table, "--topic", "other"}},
		{"no table", 1, "run: footfall table create --table " + missing, []string{"--brokers", brokers, "--table", missing}},
		{"no brokers", 1, "no broker answers at 127.0.0.1:1", []string{"--brokers", "127.0.0.1:1", "--table", table}},
		{"nothing", command.CodeUnanswered, "2 errors", []string{"--brokers", "127.0.0.1:1", "--table", missing}},
		{"no certificate", command.CodeUnanswered, "doctor_test.go has no certificate", []string{"--kafka-tls-enabled", "--kafka-tls-ca",
			"doctor_test.go", "--table", missing}},
		{"a role that is none", command.CodeUsage, `--role "root": choose run, query, serve or admin`, []string{"--role", "root"}},
		{"no outage", command.CodeUsage, "--max-outage 0s", []string{"--max-outage", "0s"}},
		{"a faulty configuration", command.CodeUsage, "intervals.stats", []string{"--intervals-stats", "never"}},
	} {
		code, out, errs := clitest.Footfall(t, append([]string{"doctor"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%s: exit code %d, stdout\n%s\nstderr %q; want %d and %q", c.name, code, out, errs, c.code, c.says)
		}
	}
}

// TestDoctorsJSON: the JSON has each finding with its commands, and sums them up.
func TestDoctorsJSON(t *testing.T) {
	cluster := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
	code, out, errs := clitest.Footfall(t, "doctor", "--json", "--brokers", cluster.ListenAddrs()[0], "--table", clitest.NewTable(t))
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v, stderr %q", code, err, errs)
	}
	warnings := 0
	for _, f := range r.Findings {
		if f.Check == "" || f.Found == "" || f.Commands == nil {
			t.Errorf("finding %+v", f)
		}
		if f.Severity == doctor.Warning {
			warnings++
		}
	}
	noMembers := slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool {
		return f.Check == "group" && slices.Equal(f.Commands, []string{"footfall run"})
	})
	if r.Version != doctor.ReportVersion || r.Topic != "events" || r.AskedAt.IsZero() || warnings == 0 || r.Warnings != warnings ||
		!noMembers {
		t.Errorf("report %+v", r)
	}
}

// On a directory of footfall dev, commands are those that act on it.
func TestDoctorOfADirectory(t *testing.T) {
	dir, broker, table := clitest.NewDevDirectory(t)
	defer broker.Close()
	defer table.Close()
	_, out, errs := clitest.Footfall(t, "doctor", "--data", dir)
	if !strings.Contains(out, "run: footfall dev --data "+dir+"\n") || strings.Contains(out, "footfall run") {
		t.Errorf("doctor says %s%s", out, errs)
	}
}
