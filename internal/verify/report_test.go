package verify_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

var update = flag.Bool("update", false, "write the golden files")

var (
	tokyo  = time.FixedZone("JST", 9*3600)
	begins = time.Date(2026, 5, 12, 0, 0, 0, 0, tokyo)
	ends   = begins.AddDate(0, 0, 1)
)

// full is a report with everything in it.
var full = finding.Report{
	Topic: "events", From: &begins, To: &ends, Zone: "Asia/Tokyo", Records: 1000,
	Compared: map[string]int64{"hour stats": 24, "session": 300}, ComparedCount: 324,
	Differences: []finding.Difference{{Kind: "hour stats", PK: "SITE#shop", SK: "STATS#hour#2026-05-12T14",
		Attribute: "pageViews", Table: "17", Recount: "18"}},
	DifferenceCount: 3,
	LeftOut:         map[string]int64{"its retention has passed": 7},
	LeftOutKinds:    map[string]map[string]int64{"its retention has passed": {"realtime": 5, "session": 2}},
	Unsettled:       []string{"SITE#shop / STATS#day#2026-05-12"}, UnsettledCount: 2,
	Behind: []finding.Behind{{Partition: 2, Lane: "stats", Offset: 90, End: 100}},
	Gaps: []finding.Gap{{Partition: 1, Lane: "stats", Gap: checkpoint.Gap{Cause: checkpoint.GapExpired, Step: 7, UndecidedFrom: 40,
		UndecidedTo: 50,
		UnreadFrom:  50, UnreadTo: 70, TopicID: "aa", Found: "2026-05-12T14:00:00Z"}}},
	Inexact: finding.Inexact{Divided: []finding.Divided{{Site: "shop", Sessions: 3, Visitors: 2}}},
}

func TestReportForPeopleAndPrograms(t *testing.T) {
	var text strings.Builder
	if err := full.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(full, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"report.txt": text.String(), "report.json": string(b) + "\n"} {
		name = filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(golden) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, golden)
		}
	}
}

func TestReportSaysWhichRangeItIsOf(t *testing.T) {
	for want, r := range map[string]finding.Report{
		"range: [2026-05-12T00:00:00+09:00, 2026-05-13T00:00:00+09:00) (Asia/Tokyo)\n": {From: &begins, To: &ends, Zone: "Asia/Tokyo"},
		"range: from 2026-05-12T00:00:00+09:00 on (Asia/Tokyo)\n":                      {From: &begins, Zone: "Asia/Tokyo"},
		"range: before 2026-05-13T00:00:00+09:00 (Asia/Tokyo)\n":                       {To: &ends, Zone: "Asia/Tokyo"},
		"range: all times\n": {Zone: "UTC"},
	} {
		var text strings.Builder
		if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), want) {
			t.Errorf("%v, %q; want that it says %q", err, text.String(), want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	behind := []finding.Behind{{}}
	for _, c := range []struct {
		text string
		r    finding.Report
		code int
	}{
		{"all equal", finding.Report{ComparedCount: 1}, 0},
		{"a difference", finding.Report{ComparedCount: 1, DifferenceCount: 1, UnsettledCount: 1, Behind: behind}, finding.ExitDifferent},
		{"nothing", finding.Report{Behind: behind}, finding.ExitNothing},
		{"an item that did not settle", finding.Report{ComparedCount: 1, UnsettledCount: 1}, finding.ExitUnsettled},
		{"a chain behind", finding.Report{ComparedCount: 1, Behind: behind}, finding.ExitUnsettled},
	} {
		if code := c.r.ExitCode(); code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.text, code, c.code)
		}
	}
}
