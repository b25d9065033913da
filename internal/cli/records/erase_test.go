package records

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/query"
)

// TestPersonIsErased erases a visitor of what footfall dev has counted, over a restart: the first command ends where it would have
// to wait for the pipeline, another goes on.
func TestPersonIsErased(t *testing.T) {
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	site, visitor := someVisitor(t, dir)
	command := []string{"erase", "visitor", site, visitor, "--data", dir}

	if code, _, errs := clitest.Footfall(t, command...); code != 2 || !strings.Contains(errs, "--yes") {
		t.Errorf("without --yes: exit code %d, stderr %q", code, errs)
	}
	code, out, errs := clitest.Footfall(t, append(command, "--dry-run")...)
	if code != 0 || !strings.Contains(out, "Would change: ") || !strings.Contains(out, "raw events") {
		t.Errorf("--dry-run: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	code, out, errs = clitest.Footfall(t, append(command, "--dry-run", "--include-breakdowns")...)
	if code != 0 || !strings.Contains(out, erase.Rows) {
		t.Errorf("--dry-run --include-breakdowns: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	code, _, errs = clitest.Footfall(t, append(command, "--yes", "--no-wait", "--skip-partition", "none/0")...)
	if code != 1 || !strings.Contains(errs, "none/0") {
		t.Errorf("--skip-partition none/0: exit code %d, stderr %q", code, errs)
	}
	if _, listed, _ := clitest.Footfall(t, "erase", "list", "--data", dir); strings.Contains(listed, site) {
		t.Errorf("a dry run, or a chain that is not there, has begun an erasure:\n%s", listed)
	}
	exported := func() string {
		t.Helper()
		code, out, errs := clitest.Footfall(t, "export", "visitor", site, visitor, "--data", dir)
		if code != 0 || !strings.Contains(errs, "Lines by kind") {
			t.Fatalf("export: exit code %d, stderr %q", code, errs)
		}
		return out
	}
	if lines := exported(); !strings.Contains(lines, `"kind":"event"`) || !strings.Contains(lines, `"kind":"session"`) ||
		!strings.Contains(lines, visitor) {
		t.Errorf("export writes\n%s", lines)
	}
	code, out, errs = clitest.Footfall(t, append(command, "--yes", "--no-wait", "--output", "json")...)
	var report erase.Report
	if !strings.Contains(out, `"open": []`) {
		t.Errorf("--no-wait: want an empty list of open chains, stdout %s", out)
	}
	if err := json.Unmarshal([]byte(out), &report); code != 0 || err != nil || report.State != erase.Swept || len(report.Waiting) == 0 ||
		report.Touched[erase.Events] == 0 {
		t.Fatalf("--no-wait: exit code %d, %v, stdout %s, stderr %q", code, err, out, errs)
	}
	code, listed, errs := clitest.Footfall(t, "erase", "list", site, "--data", dir)
	if code != 0 || !strings.Contains(listed, "swept") || strings.Contains(listed, visitor) {
		t.Errorf("list: exit code %d, stderr %q, stdout\n%s", code, errs, listed)
	}
	if code, out, errs := clitest.Footfall(t, "verify", "--data", dir); code != 0 ||
		!strings.Contains(out, "of a person whose data are being erased, or have been") {
		t.Errorf("verify: exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
	for line := range strings.Lines(exported()) { // Where the visitor was new has neither id nor name, and goes with the last sweep.
		if !strings.Contains(line, `"kind":"arrival"`) {
			t.Errorf("left after the first sweep: %s", line)
		}
	}
	_, events, _ := clitest.Footfall(t, "query", "events", site, "--data", dir, "--output", "json", "--limit", "1000")
	if strings.Contains(events, `"`+visitor+`"`) {
		t.Errorf("query events still knows %s", visitor)
	}
	skip := []string{"--yes", "--no-wait", "--output", "json"}
	for _, chain := range report.Waiting {
		skip = append(skip, "--skip-partition", chain.Name())
	}
	code, out, errs = clitest.Footfall(t, append(command, skip...)...)
	if err := json.Unmarshal([]byte(out), &report); code != 0 || err != nil || report.State != erase.Recorded || report.Revision == 0 {
		t.Errorf("--skip-partition: exit code %d, %v, stdout %s, stderr %q", code, err, out, errs)
	}
	if _, out, _ := clitest.Footfall(t, append(command, "--dry-run", "--output", "json")...); !strings.Contains(out, `"waiting": [],`) ||
		!strings.Contains(out, `"open": []`) {
		t.Errorf("--dry-run: want empty lists, stdout %s", out)
	}
	if code, _, errs := clitest.Footfall(t, "erase", "visitor", "unknown.example", "v", "--yes", "--data", dir); code != 1 ||
		!strings.Contains(errs, "not known") {
		t.Errorf("of an unknown site: exit code %d, stderr %q", code, errs)
	}
	if code, _, errs := clitest.Footfall(t, "erase", "user", site, "", "--yes", "--data", dir); code != 2 ||
		!strings.Contains(errs, "1 to 256") {
		t.Errorf("without an id: exit code %d, stderr %q", code, errs)
	}
	if code, _, errs := clitest.Footfall(t, "erase", "user", site, "\xff", "--yes", "--data", dir); code != 2 ||
		!strings.Contains(errs, "UTF-8") {
		t.Errorf("of an id that no event has: exit code %d, stderr %q", code, errs)
	}
	if code, _, errs := clitest.Footfall(t, "erase", "list", "", "--data", dir); code != 2 || !strings.Contains(errs, "empty") {
		t.Errorf("list of an empty site: exit code %d, stderr %q", code, errs)
	}
	odd := "odd\x1b[31m\t"
	for _, args := range [][]string{{"site", "create", odd}, {"erase", "user", odd, "u", "--yes", "--no-wait"}} {
		if code, _, errs := clitest.Footfall(t, append(args, "--data", dir)...); code != 0 {
			t.Fatalf("%q: exit code %d, stderr %q", args, code, errs)
		}
	}
	if _, out, _ := clitest.Footfall(t, "erase", "list", "--data", dir); strings.ContainsAny(out, "\x1b\t") ||
		!strings.Contains(out, `odd\x1b[31m\t`) {
		t.Errorf("list with a site that moves the cursor: %q", out)
	}
}

// someVisitor returns a site of footfall dev, and a visitor all of whose events have a sessionId: the state of visits, which an export
// shows, stays until the last sweep.
func someVisitor(t *testing.T, dir string) (site, visitor string) {
	t.Helper()
	_, out, errs := clitest.Footfall(t, "query", "sites", "--data", dir, "--output", "json")
	var sites query.SitesAnswer
	if err := json.Unmarshal([]byte(out), &sites); err != nil || len(sites.Sites) == 0 {
		t.Fatalf("query sites: %v, %s%s", err, out, errs)
	}
	site = sites.Sites[0].SiteID
	_, out, errs = clitest.Footfall(t, "query", "events", site, "--data", dir, "--output", "json", "--limit", "1000")
	var events struct {
		Events []struct{ VisitorID, SessionID string }
	}
	if err := json.Unmarshal([]byte(out), &events); err != nil {
		t.Fatalf("query events: %v, %s%s", err, out, errs)
	}
	visits := make(map[string]bool) // visitors with events that have no sessionId
	for _, e := range events.Events {
		visits[e.VisitorID] = visits[e.VisitorID] || !strings.HasPrefix(e.SessionID, "s-")
	}
	for _, e := range events.Events {
		if e.VisitorID != "" && !visits[e.VisitorID] {
			return site, e.VisitorID
		}
	}
	t.Fatalf("all of the visitors in %d events have visits", len(events.Events))
	return "", ""
}
