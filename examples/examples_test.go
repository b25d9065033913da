// Package examples holds examples of use, which its tests run.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestReaderInAnotherModule: the program that asks, in a module that requires this one, prints what a table holds.
func TestReaderInAnotherModule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "footfall.db")
	table, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	key := sinks.Keys{}.DayStats("shop.example", today.UnixMilli())
	day := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrEntity: sinks.Str(sinks.EntityStats),
		sinks.AttrPageViews: sinks.Int(7), sinks.AttrEvents: sinks.Int(9)}
	if _, err := table.Put(t.Context(), sinks.Put{Item: day}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".", file, "shop.example")
	cmd.Dir = anotherModule(t, "query/main.go")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if want := today.Format(time.DateOnly) + " 7\n{PageViews:7 Events:9"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("query printed %s (%v), want %s...", out, err, want)
	}
}

// anotherModule makes a module of a program, which requires this one as it lies here.
func anotherModule(t *testing.T, program string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const self = "github.com/footfall/footfall"
	mod := strings.Replace(read("../go.mod"), "module "+self, "module example.com/report", 1) +
		"\nrequire " + self + " v0.0.0\n\nreplace " + self + " => " + root + "\n"
	for name, text := range map[string]string{"go.mod": mod, "go.sum": read("../go.sum"), "main.go": read(program)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
