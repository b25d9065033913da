package cli

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/sinks"
)

// TestTableOfALaterReleaseIsLeftToIt: every command refuses a table that was finalized for a later release, and says which to run.
func TestTableOfALaterReleaseIsLeftToIt(t *testing.T) {
	dir, broker, table := clitest.NewDevDirectory(t)
	_, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil)
	if err == nil {
		_, err = table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(), Set: []sinks.Attr{
			{Name: sinks.AttrFormat, Value: sinks.Int(sinks.LastFormat + 1)}, {Name: sinks.AttrRelease, Value: sinks.Str("7.8.9")}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if err := broker.Close(); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"dev --for 1s --listen off --plain", "query sites", "verify", "status", "serve --listen 127.0.0.1:0",
		"site create shop", "table describe"} {
		t.Run(command, func(t *testing.T) {
			code, _, errs := clitest.Footfall(t, append(strings.Fields(command), "--data", dir)...)
			if code == 0 || !strings.Contains(errs, "run 7.8.9 or a later release") {
				t.Errorf("exit code %d, stderr %q; want the release to run", code, errs)
			}
		})
	}
}
