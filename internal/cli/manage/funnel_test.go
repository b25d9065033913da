package manage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/query"
)

// succeeds runs a command line that must succeed and returns what it printed.
func succeeds(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := clitest.Footfall(t, args...)
	if code != 0 {
		t.Fatalf("%q: exit %d, err %q", args, code, errs)
	}
	return out
}

func TestFunnelFromItsCreationToItsEnd(t *testing.T) {
	url := clitest.TableURL(t)
	run := func(args ...string) string {
		return succeeds(t, append(append([]string{"funnel"}, args...), "--table", url)...)
	}
	made := run("create", "shop", "buy", "--name", "Buying", "--step", "page-prefix:/product/", "--step", "event:purchase name:order")
	if !strings.Contains(made, "Buying: within 30m0s, version 1") || !strings.Contains(made, "page-prefix:/product/") {
		t.Errorf("funnel create printed:\n%s", made)
	}
	changed := run("update", "shop", "buy", "--window", "2h", "--strict", "--if-version", "1", "-o", "json")
	var f query.Funnel
	if err := json.Unmarshal([]byte(changed), &f); err != nil || f.Version != 2 || !f.Strict || f.WindowMs != 7_200_000 || len(f.Steps) != 2 ||
		f.Name != "Buying" ||
		!strings.Contains(f.ChangedBy, "@") {
		t.Errorf("funnel update: %s, %v", changed, err)
	}
	if got := run("update", "shop", "buy", "--name", "", "--step", "event:a", "--step", "event:b", "--strict=false", "-o",
		"csv"); got != "step,match\n1,event:a\n2,event:b\n" {
		t.Errorf("funnel update of all that may be emptied printed %q", got)
	}
	report := run("report", "shop", "buy", "--from", "-1h", "-o", "csv")
	if report != "step,match,visitors,shareOfFirst,shareOfPrevious,dropOff,medianMs\n1,event:a,0,,,0,\n2,event:b,0,,,0,\n" {
		t.Errorf("funnel report printed %q", report)
	}
	if got := run("delete", "shop", "buy", "--if-version", "3"); !strings.Contains(got, "event:a") {
		t.Errorf("funnel delete printed:\n%s", got)
	}
	if got := run("list", "shop"); !strings.Contains(got, "None.") {
		t.Errorf("funnel list printed:\n%s", got)
	}
}

func TestFunnelsComeInPages(t *testing.T) {
	url := clitest.TableURL(t)
	for i := range 5 {
		succeeds(t, "funnel", "create", "shop", fmt.Sprint("f", i), "--step", "page:/a", "--step", "page:/b", "--table", url)
	}
	var ids []string
	for cursor := ""; ; {
		var a query.FunnelsAnswer
		out := succeeds(t, "funnel", "list", "shop", "--limit", "2", "--cursor", cursor, "-o", "json", "--table", url)
		if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Funnels) > 2 {
			t.Fatalf("%s, %v", out, err)
		}
		for _, f := range a.Funnels {
			ids = append(ids, f.FunnelID)
		}
		if cursor = a.Cursor; cursor == "" {
			break
		}
	}
	if got := strings.Join(ids, " "); got != "f0 f1 f2 f3 f4" {
		t.Errorf("funnels %s", got)
	}
}

func TestFunnelFailuresSayWhatToDo(t *testing.T) {
	url := clitest.TableURL(t)
	steps := []string{"--step", "page:/a", "--step", "page:/b"}
	succeeds(t, append([]string{"funnel", "create", "shop", "f", "--table", url}, steps...)...)
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"another of that id", append([]string{"create", "shop", "f", "--window", "1h"}, steps...), 1, "window is 30m0s, not 1h0m0s"},
		{"the same again", append([]string{"create", "shop", "f"}, steps...), 0, ""},
		{"a site that nobody knows", append([]string{"create", "shp", "f"}, steps...), 1, `site "shp" is not known`},
		{"one step", []string{"create", "shop", "g", "--step", "page:/a"}, 2, "1 steps: a funnel has 2 to 10"},
		{"a step that is none", []string{"create", "shop", "g", "--step", "/a"}, 2, `--step pattern "/a": write it as page:/path`},
		{"a bad regular expression", []string{"create", "shop", "g", "--step", "page-regexp:(", "--step", "page:/b"}, 2, "missing closing )"},
		{"an id that cannot be", append([]string{"create", "shop", "g h"}, steps...), 2, `funnel "g h"`},
		{"a window that cannot be", append([]string{"create", "shop", "g", "--window", "0"}, steps...), 2, "window 0s"},
		{"another version", []string{"update", "shop", "f", "--strict", "--if-version", "2"}, 1, "is in version 1, made by "},
		{"a version that cannot be", []string{"update", "shop", "f", "--strict", "--if-version", "-1"}, 2, "--if-version -1"},
		{"nothing to change", []string{"update", "shop", "f"}, 2, "there is nothing to change"},
		{"update of none", []string{"update", "shop", "g", "--strict"}, 1, "`footfall funnel list` lists its funnels"},
		{"delete of none", []string{"delete", "shop", "g"}, 1, `has no funnel "g"`},
		{"delete of another version", []string{"delete", "shop", "f", "--if-version", "2"}, 1, "and not in version 2"},
		{"show of none", []string{"show", "shop", "g"}, 1, `has no funnel "g"`},
		{"report of none", []string{"report", "shop", "g"}, 1, `has no funnel "g"`},
		{"a range that is empty", []string{"report", "shop", "f", "--from", "-1h", "--to", "-2h"}, 2, "must begin before its end"},
		{"no events to read", []string{"report", "shop", "f", "--max-events", "0"}, 2, "--max-events 0"},
		{"more events than may be read", []string{"report", "shop", "f", "--from", "-2d", "--to", "+1h", "--max-events", "40"}, 2,
			`max-events "40": the range has more raw events`},
		{"another format", []string{"show", "shop", "f", "-o", "xml"}, 2, "table, json, ndjson or csv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, errs := clitest.Footfall(t, append(append([]string{"funnel"}, c.args...), "--table", url)...)
			if code != c.code || !strings.Contains(errs, c.says) {
				t.Errorf("%q: exit %d, err %q; want exit %d and %q", c.args, code, errs, c.code, c.says)
			}
		})
	}
	if got := succeeds(t, "funnel", "show", "shop", "f", "--table", url); !strings.Contains(got, "version 1") {
		t.Errorf("a failure has changed the funnel:\n%s", got)
	}
}

// TestDatesOfFunnelsAndExportsAreThoseOfTheSite: as wherever a site is asked about.
func TestDatesOfFunnelsAndExportsAreThoseOfTheSite(t *testing.T) {
	url := clitest.TableURL(t)
	succeeds(t, "site", "create", "delhi", "--zone", "Asia/Kolkata", "--table", url)
	succeeds(t, "funnel", "create", "delhi", "f", "--step", "page:/a", "--step", "page:/b", "--table", url)
	for tz, want := range map[string]string{"": "[2026-05-11T18:30:00Z, 2026-05-12T18:30:00Z)",
		"UTC": "[2026-05-12T00:00:00Z, 2026-05-13T00:00:00Z)"} {
		args := []string{"--from", "2026-05-12", "--to", "2026-05-13", "--table", url}
		if tz != "" {
			args = append(args, "--tz", tz)
		}
		if out := succeeds(t, append([]string{"funnel", "report", "delhi", "f"}, args...)...); !strings.Contains(out, want) {
			t.Errorf("--tz %q: funnel report is not of %s:\n%s", tz, want, out)
		}
		if code, _, errs := clitest.Footfall(t, append([]string{"export", "events", "delhi"}, args...)...); code != 0 ||
			!strings.Contains(errs, want) {
			t.Errorf("--tz %q: export is not of %s: exit %d, %q", tz, want, code, errs)
		}
	}
}
