// Package examples holds examples of use, which its tests run.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// goRun runs a program of this folder and returns what it prints.
func goRun(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"run", "./" + program}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
	return string(out)
}

func TestConfigurationIsValid(t *testing.T) {
	c, err := config.Load(config.Sources{File: "footfall.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Table != "sqlite:///data/footfall.db" {
		t.Errorf("table = %q", c.Table)
	}
}

func TestComposeFileIsValid(t *testing.T) {
	if err := exec.Command("docker", "compose", "version").Run(); err != nil {
		if os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") == "1" {
			t.Fatalf("docker compose: %v", err)
		}
		t.Skip("there is no docker compose")
	}
	out, err := exec.CommandContext(t.Context(), "docker", "compose", "--file", "compose.yaml", "config", "--quiet").CombinedOutput()
	if err != nil {
		t.Errorf("docker compose config: %v: %s", err, out)
	}
}

func TestProducerPublishes(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	out := goRun(t, "produce", "-brokers", strings.Join(cluster.ListenAddrs(), ","))
	if out != "partition 0, offset 0\n" {
		t.Errorf("produce printed %q", out)
	}
}

func TestReaderPrintsTotals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "footfall.db")
	table, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	if out := goRun(t, "query", "-table", file); !regexp.MustCompile(`(?m)^total  0 page views, 0 events$`).MatchString(out) {
		t.Errorf("query printed %q", out)
	}
}
