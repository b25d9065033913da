package manage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/purge"
)

// TestPurgeIsAskedForAndBegun: a purge says what it takes, is not begun without a yes, and ends where it would have to wait for the
// pipeline. Package purge has the rest.
func TestPurgeIsAskedForAndBegun(t *testing.T) {
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	_, sites, _ := clitest.Footfall(t, "query", "sites", "--data", dir, "--output", "csv")
	lines := strings.Split(sites, "\n")
	if len(lines) < 2 {
		t.Fatalf("sites:\n%s", sites)
	}
	site, _, _ := strings.Cut(lines[1], ",")
	command := []string{"site", "purge", site, "--data", dir}
	code, _, errs := clitest.Footfall(t, command...)
	if code != 2 || !strings.Contains(errs, "add --yes") {
		t.Errorf("without --yes: exit code %d, stderr %q", code, errs)
	}
	code, out, errs := clitest.Footfall(t, append(command, "--dry-run")...)
	if code != 0 || !strings.Contains(out, "A purge takes about") || strings.Contains(out, " has 0 items") {
		t.Errorf("--dry-run: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if code, _, errs := clitest.Footfall(t, "site", "purge", "nowhere.example", "--yes", "--data", dir); code == 0 ||
		!strings.Contains(errs, "nowhere.example") {
		t.Errorf("an unknown site: exit code %d, stderr %q", code, errs)
	}
	if _, out, _ := clitest.Footfall(t, "site", "show", site, "--data", dir); strings.Contains(strings.ToLower(out), "deleted") {
		t.Errorf("nothing was begun, and the site is shown as\n%s", out)
	}
	code, out, errs = clitest.Footfall(t, append(command, "--yes", "--no-wait", "--output", "json")...)
	var answer PurgeAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 || answer.Purge == nil {
		t.Fatalf("--no-wait: exit code %d, %v, stdout %q, stderr %q", code, err, out, errs)
	}
	if p := answer.Purge; p.State == purge.Done || p.Revision == 0 || len(p.Waiting) == 0 && p.LastAt == nil {
		t.Errorf("--no-wait: %+v, want a purge that is not done, and why", p)
	}
	if !strings.Contains(errs, "waiting until running members of the consumer group have recorded revision") {
		t.Errorf("--no-wait: stderr %q, want what is waited for", errs)
	}
}
