package inspect

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/query"
)

// TestVerifyFindsTheDirectorysParts verifies a directory that nobody runs, then one whose broker is running.
func TestVerifyFindsTheDirectorysParts(t *testing.T) {
	dir, broker, table := clitest.NewDevDirectory(t)
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	check := func(state string) {
		t.Helper()
		code, out, errs := clitest.Footfall(t, "verify", "--data", dir, "--output", "json")
		var r verify.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%s: %v in %q, stderr %q", state, err, out, errs)
		}
		if code != finding.ExitNothing || r.Topic != command.DevTopic || r.Note == "" ||
			!strings.HasPrefix(errs, "verify: about to read up to 0 records and some 0 items") {
			t.Errorf("%s: exit code %d, report %+v, stderr %q; want that nothing could be compared", state, code, r, errs)
		}
	}
	check("a running broker")
	if err := broker.Close(); err != nil {
		t.Fatal(err)
	}
	check("a directory at rest")
}

// Dates are those of the site, of --tz where that is given, and of UTC where neither says whose they are.
func TestVerifyTakesDatesOfItsSite(t *testing.T) {
	dir, broker, table := clitest.NewDevDirectory(t)
	if err := errors.Join(table.Close(), broker.Close()); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := clitest.Footfall(t, "site", "create", "south", "--zone", "Australia/Adelaide", "--data", dir); code != 0 {
		t.Fatalf("site create: exit code %d, stderr %q", code, errs)
	}
	for _, c := range []struct{ args, from, to, zone string }{
		{"--site south --from 2026-10-04 --to 2026-10-05", "2026-10-04T00:00:00+09:30", "2026-10-05T00:00:00+10:30", "Australia/Adelaide"},
		{"--site south --tz Asia/Tokyo --from 2026-10-04", "2026-10-04T00:00:00+09:00", "", "Asia/Tokyo"},
		{"--site other --to 2026-10-04", "", "2026-10-04T00:00:00Z", "UTC"},
		{"--from 2026-10-04", "2026-10-04T00:00:00Z", "", "UTC"},
		{"", "", "", "UTC"},
		// Empty by UTC, but not where the site's day has begun before.
		{"--site south --from 2026-10-04 --to 2026-10-03T23:00:00Z", "2026-10-04T00:00:00+09:30", "2026-10-04T09:30:00+10:30",
			"Australia/Adelaide"},
	} {
		args := append([]string{"verify", "--data", dir}, strings.Fields(c.args)...)
		code, out, errs := clitest.Footfall(t, append(args, "--output", "json")...)
		var r verify.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != finding.ExitNothing {
			t.Fatalf("%s: exit code %d, %v in %q, stderr %q", c.args, code, err, out, errs)
		}
		spell := func(at *time.Time) string {
			if at == nil {
				return ""
			}
			return at.Format(time.RFC3339)
		}
		if from, to := spell(r.From), spell(r.To); from != c.from || to != c.to || r.Zone != c.zone {
			t.Errorf("%s: range [%s, %s) in %s, want [%s, %s) in %s", c.args, from, to, r.Zone, c.from, c.to, c.zone)
		}
	}
	code, out, errs := clitest.Footfall(t, "verify", "--data", dir, "--site", "south", "--from", "2026-10-05", "--to", "2026-10-04")
	if code != command.CodeUsage || out != "" || !strings.Contains(errs, "the range is empty") {
		t.Errorf("exit code %d, stdout %q, stderr %q; want that the range is empty", code, out, errs)
	}
}

func TestVerifyUsage(t *testing.T) {
	clitest.Refused(t, "verify",
		clitest.WrongUsage{Args: "--output csv", Says: "choose table or json"},
		clitest.WrongUsage{Args: "--site a\xff", Says: `--site "a\xff" is not valid UTF-8: every id must be`},
		clitest.WrongUsage{Args: "--wait -1s", Says: "--wait"},
		clitest.WrongUsage{Args: "--sample-sites 0%", Says: `--sample-sites "0%": write a share`},
		clitest.WrongUsage{Args: "--sample-sites 1% --site shop", Says: "choose one"},
		clitest.WrongUsage{Args: "--sample-sites 1% --record", Says: "a sample says nothing of a site"},
		clitest.WrongUsage{Args: "--memory 1MB", Says: `--memory "1MB": write a number of bytes`},
		clitest.WrongUsage{Args: "--from the-other-day", Says: "--from"},
		clitest.WrongUsage{Args: "--from 0001-01-01", Says: `--from: time "0001-01-01": outside the years 1970 to 9999`},
		clitest.WrongUsage{Args: "--to 0001-01-01", Says: "--to"},
		clitest.WrongUsage{Args: "--tz Europe/Bärlin", Says: "not a time zone"},
		clitest.WrongUsage{Args: "--from 2026-05-13 --to 2026-05-12", Says: "the range is empty"},
		clitest.WrongUsage{Args: "shop.example", Says: "unexpected argument"},
	)
	clitest.NoDevDirectory(t, "verify")
}

// The result of verify --record is what footfall query verified answers.
func TestVerifyKeepsItsResult(t *testing.T) {
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	var list query.SitesAnswer
	if _, out, _ := clitest.Footfall(t, "site", "list", "--data", dir, "--output", "json"); json.Unmarshal([]byte(out), &list) != nil ||
		len(list.Sites) == 0 {
		t.Fatalf("sites: %q", out)
	}
	site := list.Sites[0].SiteID
	verified := func(args ...string) (a query.VerifiedAnswer) {
		t.Helper()
		code, out, errs := clitest.Footfall(t, append([]string{"query", "verified", site, "--data", dir, "--output", "json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v, stderr %q", code, err, errs)
		}
		return a
	}
	if a := verified(); a.LastVerified != nil || a.Reason != query.NotVerified {
		t.Errorf("before any recount: %+v", a)
	}
	for _, args := range [][]string{{"--site", site, "--from", "2026-01-01"}, {"--site", "nowhere"}, {}} {
		code, out, errs := clitest.Footfall(t, append([]string{"verify", "--data", dir, "--output", "json", "--record"}, args...)...)
		var r verify.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.DifferenceCount > 0 || code != 0 && !r.UnknownSite {
			t.Fatalf("%v: exit code %d, %v, %q, stderr %q", args, code, err, out, errs)
		}
		a := verified("--period", "2025")
		if v := a.LastVerified; r.UnknownSite {
			continue
		} else if v == nil || !v.VerifiedAt.Equal(r.StartedAt) || v.AllSites != (len(args) == 0) ||
			v.Counts.Records != r.Records || v.DifferenceCount != 0 {
			t.Errorf("%v: %+v of the report %+v", args, v, r)
		}
	}
	for _, c := range []struct {
		args []string
		says string
	}{{nil, "yes                         0"}, {[]string{"--to", "now"}, "may have changed these figures"}} {
		code, out, errs := clitest.Footfall(t, append([]string{"query", "verified", site, "--data", dir}, c.args...)...)
		if code != 0 || !strings.Contains(out, "Recounted at") || !strings.Contains(out, c.says) {
			t.Errorf("%v: exit code %d, %q, stderr %q; want %q", c.args, code, out, errs, c.says)
		}
	}
}
