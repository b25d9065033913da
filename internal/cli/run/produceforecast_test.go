package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/produce"
)

// TestProduceForesees: each line that would not be counted is named with its fate, before anything is sent and without brokers; what is
// foreseen as rejected is what the pipeline of this configuration rejects.
func TestProduceForesees(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.ndjson")
	const event = `{"siteId":"s","type":"page_view","timestamp":%d,"visitorId":"v","url":"/a"%s}` + "\n"
	const noon = 1_780_000_000_000
	lines := fmt.Sprintf(event, noon, `,"id":"1"`) + fmt.Sprintf(event, noon+1000, `,"id":"1"`) + // A repetition.
		"not JSON\n" + `{"type":"page_view","timestamp":1780000000000}` + "\n" +
		fmt.Sprintf(event, noon+20*60_000, `,"id":"1"`) + // Beyond the window.
		fmt.Sprintf(event, 1_780_000_000, "") + "\n" // Seconds; and a blank line, which is none.
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(code int, args ...string) string {
		t.Helper()
		got, out, errs := clitest.Footfall(t, append([]string{"produce", "--dry-run", "--brokers", "127.0.0.1:1", "--from-file", file},
			args...)...)
		if got != code {
			t.Errorf("%v: exit code %d, stdout\n%s\nstderr %q; want %d", args, got, out, errs, code)
		}
		return out
	}
	var f produce.Forecast
	if err := json.Unmarshal([]byte(run(1, "--output", "json")), &f); err != nil {
		t.Fatal(err)
	}
	var fates []string
	for _, x := range f.Findings {
		fates = append(fates, fmt.Sprintf("%d %s %s", x.Line, x.Fate, x.Reason))
	}
	if have := strings.Join(fates, ", "); f.Counted != 2 || f.Duplicates != 1 || f.Refused+int64(len(f.Rejected)) == 0 ||
		!strings.HasPrefix(have, "2 duplicate , 3 re") || !strings.Contains(have, ", 4 re") || !strings.Contains(have, ", 6 refused") {
		t.Errorf("%d counted, %d duplicates, fates %q, rejected %v", f.Counted, f.Duplicates, have, maps.Collect(maps.All(f.Rejected)))
	}
	out := run(1)
	if !strings.Contains(out, file+", line 2: duplicate: the siteId and id of "+file+", line 1\n") ||
		!strings.Contains(out, "Nothing was sent. Of the lines, 2 would be counted") {
		t.Errorf("printed:\n%s", out)
	}
	// All at one record time: the event beyond the window is early, and one of a month ago late.
	out = run(1, "--record-time", "2026-07-01T00:00:00Z")
	if !strings.Contains(out, "rejected as too_late: the event is of ") {
		t.Errorf("at a later record time:\n%s", out)
	}
	if out = run(1, "--record-time", "9000-01-01T00:00:00Z"); !strings.Contains(out,
		"rejected as bad_record_time: the record is of 9000-01-01T") {
		t.Errorf("at a record time that is not believed:\n%s", out)
	}
	if err := os.WriteFile(file, []byte(fmt.Sprintf(event, noon, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(0); !strings.Contains(out, "1 would be counted, 0 are duplicates within the file, 0 would be refused.") {
		t.Errorf("of a good line:\n%s", out)
	}
}
