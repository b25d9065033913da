package records

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/pipeline/event"
)

// checkFailedList lists and shows a topic with two entries that lack a site and one that is no JSON.
func checkFailedList(t *testing.T, topic ...string) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		code, out, errs := clitest.Footfall(t, append(append([]string{"failed"}, args...), topic...)...)
		if code != 0 || errs != "" {
			t.Fatalf("failed %v: exit code %d, stderr %q", args, code, errs)
		}
		return out
	}
	var l FailedList
	if err := json.Unmarshal([]byte(run("list", "-o", "json")), &l); err != nil || l.Topic != "bad" || l.Entries != 3 || len(l.Newest) != 3 ||
		l.ByReason[event.MissingSite] != 2 || l.ByReason[event.BadJSON] != 1 || l.Newest[0].Headers[event.HeaderTopic] != "events" {
		t.Errorf("list: %+v, %v; want three entries", l, err)
	}
	if out := run("list", "--from", "now"); out != "0 entries on topic bad.\n" {
		t.Errorf("list of nothing:\n%s", out)
	}
	if out := run("list", "--limit", "0"); !strings.HasPrefix(out, "3 entries on topic bad.\n\nREASON        ENTRIES\n") ||
		strings.Contains(out, "DETAIL") {
		t.Errorf("list that only counts:\n%s", out)
	}
	out := run("list", "--reason", "bad_json", "--limit", "1")
	place := regexp.MustCompile(`Z +bad_json +(\d+) +(\d+) +0/2\b`).FindStringSubmatch(out)
	if !strings.HasPrefix(out, "1 entry on topic bad.\n") || place == nil {
		t.Fatalf("list of bad_json:\n%s", out)
	}
	shown := run("show", place[1], place[2])
	for _, want := range []string{"rejected ", "reason            bad_json\n", "source-offset     2\n", "\nvalue, 2 bytes:\n{}\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("show has no %q:\n%s", want, shown)
		}
	}
	var e FailedJSON
	if err := json.Unmarshal([]byte(run("show", place[1], place[2], "-o", "json")), &e); err != nil || e.Value != "{}" ||
		e.Reason != event.BadJSON {
		t.Errorf("show: %+v, %v", e, err)
	}
	for _, c := range []struct{ args, text string }{{place[1] + " 99", "has no entry at offset 99"}, {"7 0", "has no partition 7"}} {
		code, out, errs := clitest.Footfall(t, append(append([]string{"failed", "show"}, strings.Fields(c.args)...), topic...)...)
		if code != 1 || out != "" || !strings.Contains(errs, c.text) {
			t.Errorf("failed show %s: exit code %d, stdout %q, stderr %q; want 1 and %q", c.args, code, out, errs, c.text)
		}
	}
}

func TestFailedUsage(t *testing.T) {
	clitest.Refused(t, "failed",
		clitest.WrongUsage{Args: "list --reason late", Says: "choose from too_large, empty"},
		clitest.WrongUsage{Args: "list --from the-other-day", Says: "--from"},
		clitest.WrongUsage{Args: "list --limit -1", Says: "--limit -1"},
		clitest.WrongUsage{Args: "list -o csv", Says: "choose table, json or ndjson"},
		clitest.WrongUsage{Args: "show 1", Says: "write footfall failed show PARTITION OFFSET"},
		clitest.WrongUsage{Args: "show x 1", Says: "not a partition"},
		clitest.WrongUsage{Args: "show 1 x", Says: "not an offset"},
	)
}
