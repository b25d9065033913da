package tables

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/rebuild"
)

// TestRebuildNamesWhatHasNoRawEvent: with the comparison, before it is asked whether to flip.
func TestRebuildNamesWhatHasNoRawEvent(t *testing.T) {
	var out strings.Builder
	c := rebuild.Comparison{Figures: 9, Sites: 1, Raw: &rebuild.RawPart{Read: 100, Counted: 7, Duplicate: 3, Rejected: 2, Other: 1}}
	if err := printComparison(&out, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"9 figures of 1 site compared: 0 differ", "raw events had 100 records", "7 that were counted: erased",
		"3 duplicates", "2 rejected", "1 others"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestRebuildRefusesFlags: an error names the flag, its value and what to write.
func TestRebuildRefusesFlags(t *testing.T) {
	for _, flags := range [][3]string{{"--from", "kafka", "write topic or raw"}, {"--settings", "then", "write recorded or today"},
		{"--keep-before", "May", "write a date"}} {
		code, _, errs := clitest.Footfall(t, "rebuild", flags[0], flags[1])
		if code != 2 || !strings.Contains(errs, flags[0]+` "`+flags[1]+`": `+flags[2]) {
			t.Errorf("%v: exit code %d, stderr %q", flags, code, errs)
		}
	}
}
