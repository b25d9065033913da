//go:build unix

// Package answers holds what the built program answers against a script. It is a package of its own, since it runs for as long as the
// tests of package e2e, and beside them.
package answers

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
)

// Every figure of every answer is what an independent script counts in the same events: real data, and a year in zones with changes
// of clocks.
func TestAnswersAreThoseOfTheScript(t *testing.T) {
	data := filepath.Dir(realdata.Path(t, "access-log"))
	program := filepath.Join(t.TempDir(), "footfall")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/footfall").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), realdata.Python(t), "../../scripts/recount-answers", program, data).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("scripts/recount-answers: %v", err)
	}
}

// Filtered figures are what an independent script counts, from breakdowns and from raw events, and the cost is told before.
func TestFilteredAnswersAreThoseOfTheScript(t *testing.T) {
	program := filepath.Join(t.TempDir(), "footfall")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/footfall").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), realdata.Python(t), "../../scripts/recount-filters", program).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("scripts/recount-filters: %v", err)
	}
}
