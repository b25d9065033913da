package inspect

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

// named is a table with an id.
type named struct{ sinks.Table }

func (named) Identity(context.Context) (tableid.Identity, error) {
	return tableid.Identity{ID: "copy"}, nil
}

// TestCommandsRefuseACopy: until a copy of a table is counted again, commands refuse it, but for those that look at it, which warn. The
// command that they name makes it usable.
func TestCommandsRefuseACopy(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	table, err := connect.Open(t.Context(), "sqlite://"+filepath.Join(dir, "footfall.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rebuild.Take(t.Context(), named{table}, 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	const names = "footfall table resume-restored"
	for _, c := range []struct {
		line string
		code int
		says string
	}{
		{"site list", 1, names}, {"site create new", 1, names}, {"rebuild", 1, names}, {"rebuild drop", 1, names},
		{"rebuild status", 0, names}, {"status", 0, names}, {"verify", 0, names}, {"doctor", 1, names},
		{"table resume-restored --dry-run", 0, "A rebuild takes"},
		{"table resume-restored --intervals-stats 1s --intervals-realtime 1s", 0, "is live"},
		{"verify", 0, "0 differences"}, {"site list", 0, ""}, {"rebuild back", 1, "no former generation is kept"},
		{"table resume-restored", 1, "nothing to resume"},
	} {
		code, out, errs := clitest.Footfall(t, append(strings.Fields(c.line), "--data", dir)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want %d and %q", c.line, code, out, errs, c.code, c.says)
		}
	}
}
