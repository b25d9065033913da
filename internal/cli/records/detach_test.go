package records

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/sites"
)

func TestDetachedProcessWritesToItsLog(t *testing.T) {
	t.Setenv(clitest.AsFootfall, "1")
	t.Setenv("TMPDIR", t.TempDir())
	pid, log, err := detached([]string{"version"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(text), "footfall ") {
		t.Errorf("%s has %q (%v), want the version", log, text, err)
	}
}

func TestDetachedCommandHasTheSameFlags(t *testing.T) {
	cmd := newErasePersonCommand(&command.App{}, sites.User, "userId")
	if err := cmd.ParseFlags([]string{"--yes", "--detach", "--skip-partition", "events/0,events/1", "-o", "json"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"--output=json", "--skip-partition=events/0", "--skip-partition=events/1", "--yes=true"}
	if have := sameFlags(cmd, map[string]bool{"detach": true}); !slices.Equal(have, want) {
		t.Errorf("flags %q, want %q", have, want)
	}
}
