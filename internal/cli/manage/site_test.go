package manage

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

func TestSiteIsAskedByItsOwnClocks(t *testing.T) {
	url := clitest.TableURL(t)
	if code, _, errs := clitest.Footfall(t, "site", "create", "delhi", "--zone", "Asia/Kolkata", "--table", url); code != 0 {
		t.Fatalf("site create: exit %d, err %q", code, errs)
	}
	for tz, want := range map[string]string{"": "2026-05-12T00:00:00+05:30", "Asia/Kathmandu": ""} {
		args := []string{"query", "uniques", "delhi", "--from", "2026-05-12", "--to", "2026-05-13", "--output", "json", "--table", url}
		if tz != "" {
			args = append(args, "--tz", tz)
		}
		code, out, errs := clitest.Footfall(t, args...)
		var a query.UniquesAnswer
		if want == "" {
			if code != 2 || !strings.Contains(errs, "in the middle of an hour of Asia/Kolkata") {
				t.Errorf("--tz %q: exit %d, err %q; want it refused", tz, code, errs)
			}
			continue
		}
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 || a.From.Format("2006-01-02T15:04:05-07:00") != want {
			t.Errorf("--tz %q: exit %d, %s, %q, %v; want it from %s on", tz, code, out, errs, err, want)
		}
	}
}

// TestDatesAreThoseOfTheSite: whatever is asked about a site, a date is one of its own zone unless --tz names another, and an
// instant is what it is.
func TestDatesAreThoseOfTheSite(t *testing.T) {
	url := clitest.TableURL(t)
	if code, _, errs := clitest.Footfall(t, "site", "create", "delhi", "--zone", "Asia/Kolkata", "--table", url); code != 0 {
		t.Fatalf("site create: exit %d, err %q", code, errs)
	}
	const date, instant = "2026-05-12", "2026-05-12T00:00:00Z"
	const there, here = "2026-05-11T18:30:00Z", "2026-05-12T00:00:00Z"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stats", "delhi", "--from", date, "--to", instant}, there},
		{[]string{"uniques", "delhi", "--from", date, "--to", instant}, there},
		{[]string{"top", "delhi", "page", "--from", date, "--to", instant}, there},
		{[]string{"events", "delhi", "--from", date, "--to", instant}, there},
		{[]string{"events", "delhi", "--from", date, "--to", "2026-05-13", "--tz", "UTC"}, here},
		{[]string{"events", "delhi", "--from", instant, "--to", "2026-05-13"}, here},
		{[]string{"sessions", "delhi", "--from", date, "--to", instant}, there},
		{[]string{"sessions", "delhi", "--visitor", "v", "--from", date}, there},
		{[]string{"sessions", "delhi", "--from", date, "--to", "2026-05-13", "--tz", "UTC"}, here},
		{[]string{"sessions", "delhi", "--from", instant, "--to", "2026-05-13"}, here},
		{[]string{"realtime", "delhi", "--at", date}, "2026-05-11T18:25:00Z"},
		{[]string{"realtime", "delhi", "--at", instant}, "2026-05-11T23:55:00Z"},
	} {
		code, out, errs := clitest.Footfall(t, append(append([]string{"query"}, c.args...), "-o", "json", "--table", url)...)
		var a struct{ From time.Time }
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 || a.From.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("%q: exit %d, from %v, err %q (%v); want it from %s on", c.args, code, a.From, errs, err, c.want)
		}
	}
	if code, _, errs := clitest.Footfall(t, "query", "realtime", "delhi", "--at", "soon", "--table", url); code != 2 ||
		!strings.Contains(errs, "--at: time") {
		t.Errorf("--at soon: exit %d, err %q; want exit 2 and the flag's name", code, errs)
	}
}

func TestSiteUpdateSaysWhatHoldsFromWhen(t *testing.T) {
	url := clitest.TableURL(t)
	if code, _, errs := clitest.Footfall(t, "site", "create", "delhi", "--table", url); code != 0 {
		t.Fatalf("site create: exit %d, err %q", code, errs)
	}
	code, out, errs := clitest.Footfall(t, "site", "update", "delhi", "--shards", "4", "--from", "2999-01-01", "--raw-days", "never",
		"--name", "Shop",
		"--table", url)
	if code != 0 || !strings.Contains(out, "2999-01-01 00:00") || !strings.Contains(out, "Changes of shards and zone") ||
		!strings.Contains(out, "never") {
		t.Errorf("site update: exit %d, err %q, out:\n%s", code, errs, out)
	}
	const replaced = "This replaces what was planned: 4 shards from 2999-01-01T00:00:00Z.\n"
	if code, out, errs := clitest.Footfall(t, "site", "update", "delhi", "--shards", "4", "--from", "2999-02-01", "-o", "csv", "--table",
		url); code != 0 || errs != replaced ||
		!strings.HasPrefix(out, "siteId,") {
		t.Errorf("site update: exit %d, err %q, out %q; want that the plan before is replaced", code, errs, out)
	}
	if _, out, _ := clitest.Footfall(t, "site", "update", "--help"); !strings.Contains(out,
		"A later command replaces the changes planned for its own instant and") {
		t.Errorf("the help does not say what becomes of plans: %s", out)
	}
	for says, args := range map[string][]string{
		"the next instant is": {"--shards", "4", "--from", "2020-01-01"},
		"is not known":        {"--name", "x"},
	} {
		id := "delhi"
		if says == "is not known" {
			id = "nobody"
		}
		if code, out, errs := clitest.Footfall(t, append([]string{"site", "update", id, "--table", url}, args...)...); code != 1 || out != "" ||
			!strings.Contains(errs, says) {
			t.Errorf("%q: exit %d, out %q, err %q; want exit 1 and an error that says so", args, code, out, errs)
		}
	}
}

func TestSiteWarnsOfSessionsThatExpireBeforeTheirHours(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct {
		args []string
		says string // "": nothing
	}{
		{[]string{"create", "delhi", "--raw-days", "1"}, ""},
		{[]string{"update", "delhi", "--session-days", "3"}, "session-days 3d is less than hour-days 90d"},
		{[]string{"update", "delhi", "--hour-days", "3"}, ""},
		{[]string{"update", "delhi", "--hour-days", "never"}, "session-days 3d is less than hour-days never"},
		{[]string{"update", "delhi", "--session-days", "never"}, ""},
		{[]string{"create", "mumbai", "--hour-days", "91"}, "session-days 90d is less than hour-days 91d"},
	} {
		code, _, errs := clitest.Footfall(t, append([]string{"site", "--table", url}, c.args...)...)
		if code != 0 || (c.says == "") != (errs == "") || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit %d, err %q; want exit 0 and %q", c.args, code, errs, c.says)
		}
	}
}

func TestSiteWarnsOfBrowsersThatCountAsBots(t *testing.T) {
	url := clitest.TableURL(t)
	for _, line := range [][]string{{"create", "delhi"}, {"update", "shop"}} {
		code, out, errs := clitest.Footfall(t, append(append([]string{"site"}, line...), "--user-agents",
			"mozilla,applewebkit,chrome,our-probe,safari,firefox", "--table", url)...)
		if code != 0 || strings.Count(errs, "people are counted as bots") != 5 || strings.Contains(errs, "our-probe") ||
			!strings.Contains(out, "our-probe") {
			t.Errorf("%q: exit %d, out %q, err %q; want five warnings, and the list taken", line, code, out, errs)
		}
	}
	for _, list := range []string{"   ", "!!!"} {
		if code, _, errs := clitest.Footfall(t, "site", "update", "shop", "--user-agents", list, "--table", url); code != command.CodeUsage ||
			!strings.Contains(errs, "has no letter or digit") {
			t.Errorf("--user-agents %q: exit %d, err %q; want a usage error", list, code, errs)
		}
	}
}

// A site's sessions must outlast the lateness that is the default, and should outlast the one that is configured.
func TestSiteKeepsSessionsForLateEvents(t *testing.T) {
	url := clitest.TableURL(t)
	c := config.Default()
	least := c.LeastSessionDays()
	for _, days := range []string{(least - 1).String(), "0", ""} {
		for _, line := range [][]string{{"create", "delhi"}, {"update", "shop"}} {
			code, _, errs := clitest.Footfall(t, append(append([]string{"site"}, line...), "--session-days", days, "--table", url)...)
			if code != command.CodeUsage || !strings.Contains(errs, "--session-days") {
				t.Errorf("%q with %q days: exit %d, err %q; want a usage error that names the flag", line, days, code, errs)
			}
		}
	}
	for lateness, says := range map[string]string{"48h": "", "49h": "", "72h": "make it 4", "off": "make it never"} {
		t.Setenv("FOOTFALL_ALLOWED_LATENESS", lateness)
		t.Setenv("FOOTFALL_RETENTION_SESSION", "never")
		code, _, errs := clitest.Footfall(t, "site", "update", "shop", "--session-days", least.String(), "--hour-days", "1", "--table", url)
		if code != 0 || (says == "") != (errs == "") || !strings.Contains(errs, says) {
			t.Errorf("lateness %s: exit %d, err %q; want exit 0 and %q", lateness, code, errs, says)
		}
	}
}
