package manage

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// TestChangesSayThatARebuildCountsThem: what counts from now on only says so beside an answer that people read, and how it is counted for
// what came before.
func TestChangesSayThatARebuildCountsThem(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct {
		says bool
		line string
	}{
		{true, "goal create shop bought --on page:/thanks"},
		{false, "goal create shop later --on page:/later --inactive"},
		{false, "goal create shop stayed --duration 3m --output json"},
		{true, "goal update shop bought --on page-prefix:/thanks"},
		{false, "goal update shop bought --name Bought"},
		{true, "site update shop --exclude-paths /admin/*"},
		{true, "site update shop --property plan"},
		{false, "site update shop --name Shop"},
		{false, "site create new"}, // Nothing was counted of it.
		{false, "goal create new bought --on page:/thanks"},
		{false, "site update new --property plan"},
	} {
		code, _, errs := clitest.Footfall(t, append(strings.Fields(c.line), "--table", url)...)
		const hint = "footfall rebuild --settings today applies it to all events that the topic still has."
		if said := strings.Contains(errs, hint); code != 0 || said != c.says {
			t.Errorf("%s: exit code %d, stderr %q; want it to speak of a rebuild: %v", c.line, code, errs, c.says)
		}
	}
}
