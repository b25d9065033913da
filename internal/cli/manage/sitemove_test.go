package manage

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// TestSiteIsMoved: a site of footfall dev moves to an empty table, where it has the same figures. Package move has the rest.
func TestSiteIsMoved(t *testing.T) {
	t.Parallel()
	dir, to := clitest.CountedDirectory(t), clitest.NewTable(t)
	_, sites, _ := clitest.Footfall(t, "query", "sites", "--data", dir, "--output", "csv")
	lines := strings.Split(sites, "\n")
	if len(lines) < 2 {
		t.Fatalf("sites:\n%s", sites)
	}
	site, _, _ := strings.Cut(lines[1], ",")
	stats := func(on ...string) string {
		code, out, errs := clitest.Footfall(t, append([]string{"query", "stats", site, "--from", "-7d", "--by", "day", "-o", "csv"}, on...)...)
		if code != 0 {
			t.Errorf("query stats: exit code %d, stderr %q", code, errs)
		}
		before, _, _ := strings.Cut(out, "Z,false,true") // After it comes how far the members of the table have counted.
		return before
	}
	want := stats("--data", dir)
	for _, c := range []struct {
		line string
		code int
		says string
	}{
		{"site move SITE", 2, "--to-table is missing"},
		{"site move SITE --to-table sqlite:///nowhere/at/all.db", 1, "nowhere"},
		{"site move SITE --dry-run --to-table " + to, 0, "A move takes about"},
		{"site move SITE --to-table " + to, 1, "footfall site delete " + site},
		{"site move nowhere --to-table " + to, 1, "not known"},
	} {
		line := append(strings.Fields(strings.ReplaceAll(c.line, "SITE", site)), "--data", dir)
		if code, out, errs := clitest.Footfall(t, line...); code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want %d and %q", c.line, code, out, errs, c.code, c.says)
		}
	}
	if code, _, errs := clitest.Footfall(t, "site", "delete", site, "--yes", "--data", dir); code != 0 {
		t.Fatalf("site delete: exit code %d, stderr %q", code, errs)
	}
	running := clitest.StartChild(t, "dev", "--data", dir, "--rate", "0", "--plain") // Its checkpoints record that.
	for _, says := range []string{"Copied: ", "nothing was changed"} {
		code, out, errs := clitest.Footfall(t, "site", "move", site, "--to-table", to, "--data", dir)
		if code != 0 || !strings.Contains(out, says) {
			t.Fatalf("site move: exit code %d, stdout %q, stderr %q; want %q", code, out, errs, says)
		}
	}
	running.Interrupt(t)
	if have := stats("--table", to); have != want || !strings.Contains(have, "\n") {
		t.Errorf("the new table has\n%s\nwant\n%s", have, want)
	}
}
