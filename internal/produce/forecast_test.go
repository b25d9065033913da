package produce

import (
	"fmt"
	"testing"
	"time"
)

// TestForecastRemembersTheNewestIDs: however long a file is, a forecast remembers the newest ids, at least most and at most twice as many.
// It says so once it has forgotten any.
func TestForecastRemembersTheNewestIDs(t *testing.T) {
	const most = 10
	s := &sightings{most: most}
	repeats := func(n int) (int64, bool) {
		rec := Record{SiteID: "s", ID: fmt.Sprint(n)}
		line, ok := s.repeats(rec, sighting{Place{Line: int64(n)}, time.Unix(1_780_000_000, 0)}, Window(time.Hour))
		return line.Line, ok
	}
	for n := range 100 {
		if n == most && s.within() != 0 {
			t.Errorf("after %d ids, the newest %d are remembered, want all", n, s.within())
		}
		if line, ok := repeats(n); ok {
			t.Fatalf("line %d is a duplicate of line %d", n, line)
		}
		if len(s.new)+len(s.old) > 2*most {
			t.Fatalf("%d ids are in memory", len(s.new)+len(s.old))
		}
		if half := n - most/2 + 1; half >= 0 { // Each id comes twice, so that most-2 others have come since.
			if line, ok := repeats(half); !ok || line != int64(half) {
				t.Fatalf("after line %d, line %d is a duplicate of line %d: %v", n, half, line, ok)
			}
		}
	}
	if _, ok := repeats(0); ok || s.within() != most {
		t.Errorf("line 0 is remembered: %v; %d ids are, want %d", ok, s.within(), most)
	}
}
