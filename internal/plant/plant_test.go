package plant_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// build builds the program and returns its bytes.
func build(t *testing.T, flags ...string) []byte {
	t.Helper()
	program := filepath.Join(t.TempDir(), "footfall")
	args := append(append([]string{"build", "-o", program}, flags...), "../../cmd/footfall")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", args, err, out)
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// TestProductHasNoTraceOfBugs looks for the names of bugs, which are those of this package's symbols, in footfall as it
// is shipped; and in one with bugs, so that a look which finds nothing means something.
func TestProductHasNoTraceOfBugs(t *testing.T) {
	names := regexp.MustCompile(`internal/plant\.\w*`)
	if found := names.Find(build(t)); found != nil {
		t.Errorf("the product has a trace of %s", found)
	}
	with := build(t, "-tags", "planted")
	for _, bug := range declared(t) {
		if !bytes.Contains(with, []byte("internal/plant."+bug)) {
			t.Errorf("with the tag planted the program has no trace of %s: it is planted nowhere, or this look finds nothing", bug)
		}
	}
}

// TestEveryBugIsLookedFor keeps a bug from being declared and left out of the list that TestPlantedBugs goes through.
func TestEveryBugIsLookedFor(t *testing.T) {
	list, err := os.ReadFile("planted.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, bug := range declared(t) {
		if !bytes.Contains(list, []byte("&"+bug+"}")) {
			t.Errorf("%s is not among All", bug)
		}
	}
}

// declared are the names of the bugs.
func declared(t *testing.T) (names []string) {
	t.Helper()
	source, err := os.ReadFile("plant.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += false`).FindAllSubmatch(source, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) < 12 {
		t.Fatalf("%d bugs are declared: %q", len(names), names)
	}
	return names
}
