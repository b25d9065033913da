package finding_test

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/verify/finding"
)

// TestLastLineSaysWhatNoDifferencesMean: a reader may look at the last line alone.
func TestLastLineSaysWhatNoDifferencesMean(t *testing.T) {
	for want, r := range map[string]finding.Report{
		"0 differences": {ComparedCount: 2},
		"3 differences": {ComparedCount: 2, DifferenceCount: 3, UnsettledCount: 1},
		"0 differences, as nothing that was asked for could be compared (exit code 3)": {},
		"0 differences in what could be compared: partitions are behind or items did not settle, so verify again (exit code 4)": {
			ComparedCount: 2, UnsettledCount: 1},
		"0 differences in what could be compared: more than a tenth was left out (exit code 5)": {
			ComparedCount: 2, LeftOut: map[string]int64{finding.BecauseLog: 1}},
	} {
		var b strings.Builder
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("%+v ends with\n%s\nwant\n%s", r, got, want)
		}
	}
}
