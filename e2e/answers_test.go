//go:build unix

package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// Every figure of every answer is what an independent script counts in the same events: real data, and a year in zones with changes
// of clocks.
func TestAnswersAreThoseOfTheScript(t *testing.T) {
	slow.Test(t)
	data := filepath.Dir(realdata.Path(t, "access-log"))
	out, err := exec.CommandContext(t.Context(), realdata.Python(t), "../scripts/recount-answers", program, data).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("scripts/recount-answers: %v", err)
	}
}

// Filtered figures are what an independent script counts, from breakdowns and from raw events, and the cost is told before.
func TestFilteredAnswersAreThoseOfTheScript(t *testing.T) {
	slow.Test(t)
	out, err := exec.CommandContext(t.Context(), realdata.Python(t), "../scripts/recount-filters", program).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("scripts/recount-filters: %v", err)
	}
}
