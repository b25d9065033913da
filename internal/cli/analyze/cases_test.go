package analyze

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/realdata"
)

// expectedCase is what must come out of a file that users of other readers of logs have reported.
type expectedCase struct {
	Args       []string
	Site       string
	PageViews  int64
	Sessions   int64
	Bounces    *int64
	Pages      map[string]int64
	Source     map[string]int64 `json:"utm_source"`
	Browsers   map[string]int64
	Referrer   string `json:"source of the session"`
	DurationMs string
	Said       string
}

// Each file of ../shared/cases has the figures that its people know to be right.
func TestAnalyzeReadsWhatPeopleHave(t *testing.T) {
	folder := realdata.Path(t, "../cases")
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]expectedCase
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 6 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			args := append([]string{filepath.Join(folder, name), "--top", "page,utm_source,browser,referrer", "--include-bots"}, want.Args...)
			checkCase(t, analyzed(t, args...), want)
		})
	}
}

func checkCase(t *testing.T, got Answer, want expectedCase) {
	t.Helper()
	if got.Refused != 0 {
		t.Errorf("refused %v", got.FirstRefused)
	}
	if len(got.Sites) != 1 || got.Sites[0].SiteID != want.Site {
		t.Fatalf("sites %+v, want %s alone", got.Sites, want.Site)
	}
	s := got.Sites[0]
	total := s.Stats.Totals
	if total.PageViews != want.PageViews || total.Sessions != want.Sessions || want.Bounces != nil && total.Bounces != *want.Bounces {
		t.Errorf("%d page views, %d sessions, %d bounces, want %+v", total.PageViews, total.Sessions, total.Bounces, want)
	}
	for i, values := range []map[string]int64{want.Pages, want.Source, want.Browsers} {
		if values == nil {
			continue
		}
		for _, row := range s.Top[i].Rows {
			most := row.PageViews
			if i > 0 {
				most = row.Sessions
			}
			if values[row.Value] != most {
				t.Errorf("top %s: %d of %q, want %d", s.Top[i].Dimension, most, row.Value, values[row.Value])
			}
			delete(values, row.Value)
		}
		if len(values) > 0 {
			t.Errorf("top %s: not there: %v", s.Top[i].Dimension, values)
		}
	}
	if rows := s.Top[3].Rows; want.Referrer != "" && (len(rows) == 0 || rows[0].Value != want.Referrer || rows[0].Sessions != total.Sessions) {
		t.Errorf("top referrers %+v, want %s of all sessions", rows, want.Referrer)
	}
	if want.DurationMs != "" && total.DurationMs != 40000 && total.DurationMs != 42144 {
		t.Errorf("sessions of %d ms, want %s", total.DurationMs, want.DurationMs)
	}
}

// What was left out is said, and comes back where that is asked for.
func TestAnalyzeSaysWhatItLeftOut(t *testing.T) {
	file := filepath.Join(realdata.Path(t, "../cases"), "garbage.log")
	code, _, errs := clitest.Footfall(t, "analyze", file)
	if want := "Left out: 2 without a request, 1 asset, 1 error. --count-assets counts them.\n"; code != 0 || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, said %q, want %q", code, errs, want)
	}
	all := analyzed(t, file, "--count-assets", "--include-bots")
	if s := all.Sites[0].Stats.Totals; all.Counted != 5 || s.Sessions != 4 || all.LeftOut.All() != 0 {
		t.Errorf("with assets: %d lines, %d sessions, %+v left out, want 5, 4 and none", all.Counted, s.Sessions, all.LeftOut)
	}
}

// A file whose times have a layout of their own is read, and its format found.
func TestAnalyzeReadsTimesByALayout(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dated.log")
	const line = `192.0.2.1 - - [06.02.24 12:14:14] "GET /a HTTP/1.1" 200 5 "-" "-"`
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	got := analyzed(t, file, "--time-layout", "%d.%m.%y %H:%M:%S", "--time-zone", "Europe/Berlin", "--include-bots")
	if want := time.Date(2024, 2, 6, 11, 14, 14, 0, time.UTC); got.Counted != 1 || !got.FirstEvent.Equal(want) {
		t.Errorf("%d lines, the first of %v, want 1 of %v", got.Counted, got.FirstEvent, want)
	}
}
