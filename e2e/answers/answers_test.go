//go:build unix

// Package answers holds what the built program answers against a script. It is a package of its own, since it runs for as long as the
// tests of package e2e, and beside them.
package answers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// program is the built footfall.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "footfall-answers-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "footfall")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/footfall").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "answers: build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// Every figure of every answer is what an independent script counts in the same events: real data, and a year in zones with changes
// of clocks.
func TestAnswersAreThoseOfTheScript(t *testing.T) {
	slow.Test(t)
	data := filepath.Dir(realdata.Path(t, "access-log"))
	out, err := exec.CommandContext(t.Context(), realdata.Python(t), "../../scripts/recount-answers", program, data).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("scripts/recount-answers: %v", err)
	}
}

// Filtered figures are what an independent script counts, from breakdowns and from raw events, and the cost is told before.
func TestFilteredAnswersAreThoseOfTheScript(t *testing.T) {
	slow.Test(t)
	out, err := exec.CommandContext(t.Context(), realdata.Python(t), "../../scripts/recount-filters", program).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("scripts/recount-filters: %v", err)
	}
}
