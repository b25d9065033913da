package outgoing

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/event"
)

// Once a minute a line says what was rejected and why, if that was more than 1 % of the records.
func TestRejectionsAreLoggedByReason(t *testing.T) {
	var r Rejections
	log, lines := testworld.Spoken()
	now, records := time.Now(), int64(0)
	minute := func(read, late, malformed int64) {
		records += read
		r.Add(event.TooLate, late)
		r.Add(event.BadJSON, malformed)
		for range 60 {
			now = now.Add(time.Second)
			r.Report(now, records, log)
		}
	}
	r.Report(now, 0, log)
	minute(1000, 5, 5) // 1 %
	minute(0, 0, 0)
	minute(1000, 7, 4)
	minute(1_000_000, 11, 0)
	minute(10, 0, 1)
	got := lines()
	if len(got) != 2 {
		t.Fatalf("%d lines, want 2:\n%s", len(got), strings.Join(got, "\n"))
	}
	for i, want := range []string{"rejected=11 records=1000 " + string(event.BadJSON) + "=4 " + string(event.TooLate) + "=7",
		"rejected=1 records=10 " + string(event.BadJSON) + "=1"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("line %d is %q, want %q in it", i, got[i], want)
		}
	}
}
