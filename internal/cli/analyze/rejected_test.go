package analyze

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// Lines whose events a pipeline rejects are refused alone, and listed among those that are no events, in the order of the file.
func TestAnalyzeRefusesWhatAPipelineRejects(t *testing.T) {
	var lines, want []string
	for n := range 1000 {
		line, reason := fmt.Sprintf(`{"siteId":"a","type":"page_view","timestamp":"2026-05-01T12:%02d:%02dZ","visitorId":"v%d"}`, n/60, n%60, n), ""
		switch n % 100 {
		case 10:
			line, reason = strings.Replace(line, "page_view", strings.Repeat("x", 65), 1), "bad_type: type is a string of 65 bytes"
		case 11:
			line, reason = line[1:], "not a JSON object"
		case 12:
			line, reason = strings.Replace(line, "visitorId", "visitor", 1), "missing_visitor: neither visitorId nor sessionId"
		}
		if lines = append(lines, line); reason != "" {
			want = append(want, fmt.Sprintf("line %d: ", n+1)+"\x00"+reason)
		}
	}
	path := filepath.Join(t.TempDir(), "events.ndjson")
	write := func(lines []string) {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(lines)
	answer := analyzed(t, path)
	if answer.Counted != 970 || answer.Refused != 30 || len(answer.FirstRefused) != 20 {
		t.Fatalf("%d counted, %d refused, %d listed, want 970, 30 and 20", answer.Counted, answer.Refused, len(answer.FirstRefused))
	}
	for i, r := range answer.FirstRefused {
		if at, reason, _ := strings.Cut(want[i], "\x00"); !strings.Contains(r.Error(), at) || !strings.Contains(r.Error(), reason) {
			t.Errorf("refused: %v, want %s%s", &r, at, reason)
		}
	}
	if s := answer.Sites[0].Stats.Totals; s.Events != 970 || *s.UniqueVisitors != 970 {
		t.Errorf("%+v, want 970 events of as many visitors", s)
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, strings.Repeat("x", 65)) })
	write(lines)
	code, _, errs := clitest.Footfall(t, "analyze", path)
	if code != 1 || !strings.Contains(errs, "nothing was counted: all 10 lines were refused") {
		t.Errorf("exit code %d, %q, want that all lines were refused", code, errs)
	}
}
