// Package layers holds the import graph to what docs and package comments say about it.
package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/footfall/footfall/"

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir string
	Export          string // the file of its export data
	GoFiles         []string
	Imports         []string
}

// listedPackages are all packages of the module and what they import, compiled.
var listedPackages = sync.OnceValues(func() (all []listed, err error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports", module+"...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

// goList are the listedPackages.
func goList(t *testing.T) []listed {
	t.Helper()
	all, err := listedPackages()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// packages are our packages with their direct imports, tests left out.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for _, p := range goList(t) {
		if name, own := strings.CutPrefix(p.ImportPath, module); own {
			all[name] = p.Imports
		}
	}
	if len(all) < 20 {
		t.Fatalf("go list found %d packages only", len(all))
	}
	return all
}

// reached returns our packages that a package imports, directly or not, with the way to each.
func reached(all map[string][]string, from string) map[string]string {
	ways := make(map[string]string)
	var visit func(name, way string)
	visit = func(name, way string) {
		for _, path := range all[name] {
			own, ok := strings.CutPrefix(path, module)
			if !ok || ways[own] != "" {
				continue
			}
			ways[own] = way + " -> " + own
			visit(own, ways[own])
		}
	}
	visit(from, from)
	return ways
}

// TestLayers: the packages below the engine do not import it, and the recount shares no rule of the fold.
func TestLayers(t *testing.T) {
	all := packages(t)
	for _, c := range []struct {
		from string
		not  []string
	}{
		{"pipeline/event", []string{"pipeline", "pipeline/state", "pipeline/checkpoint", "internal/sites"}},
		{"pipeline/state", []string{"pipeline", "pipeline/checkpoint"}},
		{"pipeline/wire", []string{"pipeline", "pipeline/event", "internal/mapping"}},
		{"pipeline/checkpoint", []string{"pipeline", "pipeline/state"}},
		{"pipeline/aggregate", []string{"pipeline", "sinks/dynamo", "sinks/sqlite", "sinks/memory"}},
		{"pipeline/direct", []string{"pipeline", "pipeline/internal/lanes", "pipeline/internal/inbox", "pipeline/internal/requests"}},
		{"pipeline/internal/lanes", []string{"pipeline", "pipeline/internal/inbox", "pipeline/internal/rulebook"}},
		{"pipeline/internal/streaming", []string{"pipeline", "pipeline/internal/lanes", "pipeline/internal/rulebook"}},
		{"pipeline/internal/inbox", []string{"pipeline", "pipeline/internal/lanes", "pipeline/internal/requests"}},
		{"pipeline/internal/decoding", []string{"pipeline", "pipeline/internal/lanes", "pipeline/internal/inbox",
			"pipeline/internal/requests"}},
		{"pipeline/internal/requests", []string{"pipeline", "pipeline/internal/lanes", "pipeline/internal/decoding"}},
		{"pipeline/internal/duplicates", []string{"pipeline", "pipeline/telemetry", "pipeline/internal/requests"}},
		{"pipeline/telemetry", []string{"pipeline", "pipeline/internal/requests"}},
		{"internal/verify", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/verify/finding", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/verify/repeats", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/verify/count", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/verify/scope", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/verify/recount", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/verify/judge", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/verify/audit", []string{"pipeline", "pipeline/aggregate", "pipeline/aggregate/transition", "internal/seal", "query"}},
		{"internal/erase", []string{"pipeline", "internal/verify"}},
		{"internal/rawlog", []string{"pipeline", "internal/verify", "query"}},
		{"internal/purge", []string{"pipeline", "internal/verify"}},
		{"internal/replay", []string{"pipeline", "internal/verify"}},
		{"query", []string{"pipeline", "internal/verify"}},
		{"query/internal/calendar", []string{"query", "query/internal/sitetable", "pipeline"}},
		{"query/internal/sitetable", []string{"query", "query/internal/rawevents", "pipeline"}},
		{"query/internal/derived", []string{"query", "pipeline"}},
		{"query/internal/funnelcount", []string{"query", "query/internal/derived", "pipeline"}},
		{"query/internal/pathcount", []string{"query", "query/internal/derived", "pipeline"}},
		{"query/internal/cohorts", []string{"query", "pipeline"}},
		{"query/internal/recounts", []string{"query", "query/internal/passing", "query/internal/rawevents", "pipeline"}},
		{"query/internal/sitelist", []string{"query", "query/internal/passing", "query/internal/rawevents", "pipeline"}},
		{"query/internal/passing", []string{"query", "query/internal/derived", "pipeline"}},
		{"query/internal/sessionlists", []string{"query", "query/internal/passing", "query/internal/rawevents", "pipeline"}},
		{"query/internal/breakdowns", []string{"query", "query/internal/passing", "query/internal/rawevents", "pipeline"}},
		{"query/internal/compared", []string{"query", "query/internal/passing", "query/internal/rawevents", "pipeline"}},
		{"query/internal/rawevents", []string{"query", "query/internal/passing", "pipeline"}},
		{"internal/access", []string{"query", "pipeline", "internal/serve"}},
		{"internal/serve", []string{"pipeline", "internal/verify", "internal/capacity"}},
		{"pipeline", []string{"internal/verify", "query", "internal/erase", "internal/replay"}},
		{"sinks", []string{"sketch", "internal/sites", "pipeline"}},
		{"cmd/footfall", []string{"footfalltest", "internal/testenv", "internal/cli/clitest"}},
		{"footfalltest", []string{"footfalltest/containers", "internal/testenv"}},
	} {
		if _, ok := all[c.from]; !ok {
			t.Errorf("there is no package %s", c.from)
		}
		ways := reached(all, c.from)
		for _, not := range c.not {
			if _, ok := all[not]; !ok {
				t.Errorf("there is no package %s", not)
			}
			if way := ways[not]; way != "" {
				t.Errorf("%s must not depend on %s: %s", c.from, not, way)
			}
		}
	}
}

// floors are our packages from the top down, as docs/internals/architecture.md draws them. A package imports only what is on its own floor
// or below.
var floors = [][]string{
	{"cmd/footfall", "internal/bench", "internal/plant", "internal/testrun", "e2e", "examples", "examples/integration",
		"examples/produce", "examples/query", "pipeline/answers", "pipeline/simulation", "internal/longlife", "internal/chart"},
	{"internal/cli"},
	{"internal/cli/analyze", "internal/cli/run", "internal/cli/queries", "internal/cli/records", "internal/cli/manage", "internal/cli/tables",
		"internal/cli/inspect", "internal/cli/clitest"},
	{"internal/cli/serving", "internal/cli/files", "internal/cli/ask"},
	{"internal/cli/connect", "internal/cli/engine", "internal/cli/process"},
	{"internal/cli/command"},
	{"internal/serve", "internal/collect"},
	{"internal/serve/permit"},
	{"internal/serve/reads", "internal/serve/problem"},
	{"internal/page"},
	{"internal/page/filtered"},
	{"internal/page/lists", "internal/page/chart"},
	{"internal/page/links"},
	{"internal/page/locale"},
	{"internal/verify", "internal/replay", "internal/capacity", "internal/schema", "internal/view", "internal/show", "footfalltest",
		"footfalltest/containers", "internal/otlp", "internal/doctor", "internal/testpipeline", "internal/rebuild", "pipeline/live",
		"internal/alerts/watch"},
	{"internal/verify/judge", "internal/verify/audit"},
	{"internal/verify/recount"},
	{"internal/verify/scope"},
	{"internal/verify/count", "internal/verify/finding", "internal/verify/repeats"},
	{"pipeline", "internal/erase", "internal/purge", "internal/move", "internal/quarantine", "internal/upgrade", "internal/adopt",
		"query", "internal/produce", "internal/bucket",
		"internal/embedded", "config", "internal/login", "internal/registry",
		"internal/testenv", "internal/testworld", "internal/realdata", "internal/faultproxy", "internal/cgroup", "internal/golden",
		"internal/layers"},
	{"pipeline/internal/lanes", "pipeline/internal/streaming", "pipeline/direct"},
	{"pipeline/internal/inbox", "pipeline/internal/rulebook", "pipeline/internal/loading", "pipeline/internal/outgoing"},
	{"pipeline/internal/decoding", "pipeline/internal/requests", "pipeline/internal/budget"},
	{"pipeline/internal/duplicates", "pipeline/telemetry", "pipeline/schemas"},
	{"internal/registry"},
	{"pipeline/aggregate", "query/internal/derived", "query/internal/funnelcount", "query/internal/pathcount", "query/internal/cohorts"},
	{"pipeline/aggregate/transition", "pipeline/aggregate/plan", "pipeline/aggregate/damage", "pipeline/aggregate/internal/additions",
		"pipeline/aggregate/internal/arena", "query/internal/passing"},
	{"query/internal/rawevents", "query/internal/sessionlists", "query/internal/breakdowns", "query/internal/compared",
		"query/internal/sitelist", "query/internal/recounts", "query/internal/sitetable", "query/internal/notes", "internal/kept"},
	{"pipeline/checkpoint", "pipeline/state", "pipeline/event", "query/paths", "internal/mapping", "internal/batch", "internal/topiclog",
		"internal/rawlog"},
	{"internal/access", "internal/alerts", "internal/annotations", "internal/entered", "internal/segments", "internal/verified",
		"internal/sites",
		"internal/journal", "internal/pack", "internal/seal", "internal/toprows", "sketch", "query/ranges", "query/noted",
		"query/internal/calendar",
		"query/filters", "query/figures", "query/retention", "query/internal/readable", "query/internal/numbers",
		"internal/classify", "visitorid", "internal/urlquery", "internal/near", "internal/plural", "internal/accesslog",
		"internal/strptime", "internal/eventjson", "pipeline/wire"},
	{"sinks", "sinks/retry", "sinks/dynamo", "sinks/sqlite", "sinks/memory", "sinks/internal/localtable", "sinks/internal/ids",
		"sinks/sinktest", "sinks/int128",
		"sinks/tableid", "sinks/consumed",
		"docs", "internal/changed", "internal/slow", "internal/figures", "internal/awsenv", "internal/secret"},
}

// TestNothingPointsUp: no package imports one of a higher floor, and each has a floor.
func TestNothingPointsUp(t *testing.T) {
	floor := make(map[string]int)
	for n, names := range floors {
		for _, name := range names {
			floor[name] = n
		}
	}
	all := packages(t)
	for name := range floor {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no package %s", name)
		}
	}
	for name, imports := range all {
		own, ok := floor[name]
		if !ok {
			t.Errorf("package %s has no floor: add it to floors and to docs/internals/architecture.md", name)
		}
		for _, path := range imports {
			if to, ours := strings.CutPrefix(path, module); ours && ok && floor[to] < own {
				t.Errorf("%s imports %s, which is on a higher floor", name, to)
			}
		}
	}
}

// TestPipelineIsTestedWithoutQuery: its tests are the longest, and do not run again after a change of what only reads the table.
func TestPipelineIsTestedWithoutQuery(t *testing.T) {
	out, err := exec.Command("go", "list", "-test", "-deps", module+"pipeline").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if slices.Contains(strings.Fields(string(out)), module+"query") {
		t.Error("a test of package pipeline depends on package query: it belongs in pipeline/answers")
	}
}

// TestLeaves: these import nothing of ours.
func TestLeaves(t *testing.T) {
	all := packages(t)
	for _, name := range []string{"sinks/int128", "internal/classify", "internal/changed", "internal/slow", "visitorid", "config",
		"pipeline/wire"} {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no package %s", name)
		}
		for to := range reached(all, name) {
			t.Errorf("%s imports %s", name, to)
		}
	}
}

// TestContainersAreApart: testcontainers, and all that it needs, is imported only by who asks for containers.
func TestContainersAreApart(t *testing.T) {
	for name, imports := range packages(t) {
		for _, path := range imports {
			if strings.HasPrefix(path, "github.com/testcontainers/") && name != "internal/testenv" {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

// TestCommandsChooseImplementations: stores and brokers are opened by commands, and by what tests and measures them.
func TestCommandsChooseImplementations(t *testing.T) {
	chosen := []string{"sinks/dynamo", "sinks/sqlite", "sinks/memory", "internal/embedded"}
	for name, imports := range packages(t) {
		for _, path := range imports {
			own := strings.TrimPrefix(path, module)
			switch {
			case own != path && command(own) && !command(name):
				t.Errorf("%s imports a package of the command line, %s", name, own)
			case slices.Contains(chosen, own) && !command(name) && !strings.HasPrefix(name, "examples/") &&
				name != "internal/bench" && name != "internal/testworld" && name != "footfalltest":
				t.Errorf("%s imports %s", name, own)
			}
		}
	}
}

// command reports whether a package is of the command line, which no other package imports.
func command(name string) bool {
	return strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name+"/", "internal/cli/")
}
