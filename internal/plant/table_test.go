package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

func TestTableFitsTheSource(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	bugs, err := readTable("bugs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeOverlay(root, dir, bugs); err != nil {
		t.Fatal(err)
	}
	slow.Test(t)                                                                          // The overlay is compiled whenever bugs are planted.
	build := exec.Command("go", "list", "-export", "-overlay", overlayFile(dir), "./...") // It compiles all packages, and links none.
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNamedTestsExist keeps a renamed test from being named by the table.
func TestNamedTestsExist(t *testing.T) {
	bugs, err := readTable("bugs")
	if err != nil {
		t.Fatal(err)
	}
	sources := make(map[string]string) // by package
	for _, b := range bugs {
		for _, c := range b.by {
			if sources[c.pkg] == "" {
				sources[c.pkg] = testsOf(t, c.pkg)
			}
			function, _, _ := strings.Cut(c.test, "/") // A subtest that is renamed runs nothing, and catches nothing.
			if !strings.Contains(sources[c.pkg], "func "+function+"(t *testing.T) {") {
				t.Errorf("%s: no test %s in package %s", b.where, c.test, c.pkg)
			}
		}
	}
}

// testsOf returns the source of a package's tests.
func testsOf(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func TestEntriesThatSayTooLittle(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"stray\n", "t:1: want # TITLE or ## BUG"},
		{"## b\n\nWhat.\n\ncaught by: TestX\n", "t:5: want caught by: simulation"},
		{"## b\n\nWhat.\n\ncaught by: simulation, seed 0\n", "t:5: no such seed"},
		{"## b\n\nWhat.\n\ncaught by: simulation\n", "an edit"},
		{"## b\n\nWhat.\n\n--- f.go F\n-x()\n", "caught by"},
		{"## b\n\ncaught by: simulation\n\n--- f.go F\n-x()\n", "an explanation"},
		{"## b\n\nWhat.\n\n--- f.go\n", "want --- FILE FUNCTION"},
		{"## b\n\nWhat.\n\n--- f.go F\nx()\n", "a line of a diff"},
	} {
		if bugs, err := parseTable("t", c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %+v, %v; want %q", c.text, bugs, err, c.says)
		}
	}
}

// TestSeedsAreNamed: a seed is written where the simulation is named, and is read again.
func TestSeedsAreNamed(t *testing.T) {
	const text = "## a\n\nWhat.\n\ncaught by: simulation\ncaught by: p TestX\n\n--- f.go F\n-x()\n\n" +
		"## b\n\nWhat.\n\ncaught by: simulation, seed 7\n\n--- f.go F\n-y()\n\n" +
		"## c\n\nWhat.\n\ncaught by: simulation, seed 5\n\n--- f.go F\n-z()\n"
	bugs, err := parseTable("t", withSeeds(text, map[string]int{"a": 12, "b": 3}))
	if err != nil {
		t.Fatal(err)
	}
	var seeds []int
	for _, b := range bugs {
		for _, c := range b.by {
			seeds = append(seeds, c.seed)
		}
	}
	if want := []int{12, 0, 3, 5}; !slices.Equal(seeds, want) {
		t.Errorf("seeds %v, want %v", seeds, want)
	}
	if !bugs[0].by[0].simulates() || bugs[0].by[1].simulates() {
		t.Errorf("%+v is not the simulation, or %+v is", bugs[0].by[0], bugs[0].by[1])
	}
}

// TestProductDoesNotMentionBugs: what chooses a bug is in the overlay alone.
func TestProductDoesNotMentionBugs(t *testing.T) {
	files := exec.Command("git", "grep", "-nIE", "plantedBug|"+chooses+"|footfall/internal/plant", "--", "*.go", ":!*_test.go",
		":!internal/plant")
	files.Dir = filepath.Join("..", "..")
	if out, _ := files.Output(); len(out) > 0 {
		t.Errorf("the product mentions planted bugs:\n%s", out)
	}
}
