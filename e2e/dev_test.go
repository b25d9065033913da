//go:build unix

package e2e

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

// headline is the line of footfall dev --plain that sums up all sites.
var headline = regexp.MustCompile(`sites: ([0-9]+) events`)

// eventsShown returns the events of the last headline that a footfall dev has printed, 0 before the first.
func eventsShown(p *process) (n int64) {
	if all := headline.FindAllStringSubmatch(p.out.String(), -1); all != nil {
		n, _ = strconv.ParseInt(all[len(all)-1][1], 10, 64) // It is digits.
	}
	return n
}

// recount verifies a directory and fails the test when there is any difference. It returns how many records the log
// holds. Where something was killed just now, the chains may be behind the log: that is exit code 4.
func recount(t *testing.T, dir string, codes ...int) int64 {
	t.Helper()
	p := start(t, "verify", nil, "verify", "--data", dir, "--output", "json")
	p.wait(codes...)
	var v verified
	if err := json.Unmarshal([]byte(p.out.String()), &v); err != nil {
		t.Fatalf("verify: %v in\n%s", err, p.out.String())
	}
	if v.DifferenceCount != 0 || v.UnsettledCount != 0 || v.ComparedCount == 0 {
		t.Fatalf("verify: %+v", v)
	}
	return v.Records
}

// One command shows numbers, Ctrl-C ends it, and another start goes on where the first ended.
func TestDevGoesOnWhereItEnded(t *testing.T) {
	slow.Test(t)
	dir := t.TempDir()
	first := start(t, "first dev", nil, "dev", "--data", dir, "--plain", "--rate", "300", "--sites", "5")
	eventually(t, "numbers appear", func() bool { first.running(); return eventsShown(first) > 0 })
	first.drain()
	shown := eventsShown(first)
	if records := recount(t, dir, 0); records != shown {
		t.Errorf("the log holds %d records, and dev showed %d events at its end", records, shown)
	}

	second := start(t, "second dev", nil, "dev", "--data", dir, "--plain", "--rate", "300", "--sites", "5", "--for", "3s")
	second.wait(0)
	more := eventsShown(second)
	if more <= shown {
		t.Errorf("the second start showed %d events at its end, the first %d", more, shown)
	}
	if records := recount(t, dir, 0); records != more {
		t.Errorf("the log holds %d records, and dev showed %d events at its end", records, more)
	}
	if !strings.Contains(second.out.String(), "footfall verify --data "+dir) {
		t.Errorf("dev does not say how to verify:\n%s", second.out.String())
	}
}

// kill -9 loses nothing and counts nothing twice, however often. What was open is done again by the next start.
func TestDevSurvivesKills(t *testing.T) {
	dir, kills := t.TempDir(), slow.Of(t, 2, 6)
	var counted int64
	for range kills {
		p := start(t, "dev to be killed", nil, "dev", "--data", dir, "--plain", "--rate", "1000", "--sites", "20")
		eventually(t, "more is counted than before", func() bool { p.running(); return eventsShown(p) > counted })
		p.kill()
		counted = eventsShown(p)
		if records := recount(t, dir, 0, 4); records < counted {
			t.Fatalf("the log holds %d records, and %d events were shown", records, counted)
		}
	}
	last := start(t, "last dev", nil, "dev", "--data", dir, "--plain", "--rate", "0", "--for", "1s")
	last.wait(0)
	if records := recount(t, dir, 0); records != eventsShown(last) {
		t.Errorf("the log holds %d records, and dev showed %d events at its end", records, eventsShown(last))
	}
}
