package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
)

// analyzed runs footfall analyze and returns what it prints as JSON.
func analyzed(t *testing.T, args ...string) analysisAnswer {
	t.Helper()
	out, errs, code := asked(t, append([]string{"analyze", "--json"}, args...)...)
	var answer analysisAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 {
		t.Fatalf("analyze %q: exit code %d, %v; printed %q, %q", args, code, err, out, errs)
	}
	return answer
}

// logOf is an access log in the combined format with N visitors, each with two page views a minute apart on a day of May 2026.
func logOf(day, visitors int) string {
	var b strings.Builder
	for minute := range 2 {
		for v := range visitors {
			fmt.Fprintf(&b, "192.0.2.%d - - [%02d/May/2026:12:%02d:%02d +0000] \"GET /page-%d HTTP/1.1\" 200 512 \"-\" \"%s\"\n", v, day, minute, v,
				minute, firefox)
		}
	}
	return b.String()
}

// The figures of a real access log are those of the independent script of the data's expected-totals.json.
func TestAnalyzeCountsARealLog(t *testing.T) {
	file := realdata.Path(t, "access-log/apache_logs.gz")
	answer := analyzed(t, file)
	if answer.Counted != 9999 || answer.Refused != 1 || answer.FirstRefused[0].Error() != file+", line 8899: user agent: no closing quote" {
		t.Errorf("%d counted, %d refused, %v", answer.Counted, answer.Refused, answer.FirstRefused)
	}
	text, err := os.ReadFile(realdata.Path(t, "access-log/expected-totals.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Script struct {
			Days map[string]int64 `json:"events_per_utc_day"`
		} `json:"own_script"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(answer.Sites) != 1 || len(answer.Sites[0].Stats.Buckets) != len(want.Script.Days) {
		t.Fatalf("%d sites, want 1 with %d days", len(answer.Sites), len(want.Script.Days))
	}
	for _, b := range answer.Sites[0].Stats.Buckets {
		day := b.Start.Format("2006-01-02")
		if got := b.Events + b.BotEvents; got != want.Script.Days[day] {
			t.Errorf("%s: %d events, want %d", day, got, want.Script.Days[day])
		}
	}
}

// Files of a folder or a glob are read in the order of their first lines' times, however they are named, and a visitor of several days
// counts once.
func TestAnalyzeReadsSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"access.log": logOf(3, 4), "access.log.1": logOf(2, 5), "access.log.2": logOf(1, 3)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	latest := filepath.Join(dir, "access.log")
	for _, names := range [][]string{{dir}, {filepath.Join(dir, "access*")}, {latest, latest + ".[12]"}} {
		out, errs, code := asked(t, append([]string{"analyze", "--json", "--set", "siteId=www.example.com"}, names...)...)
		var answer analysisAnswer
		if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 || strings.Contains(errs, "warning") {
			t.Fatalf("%q: exit code %d, %v, %q: want no warning that lines step back", names, code, err, errs)
		}
		s := answer.Sites[0]
		if total := s.Stats.Totals; s.SiteID != "www.example.com" || total.PageViews != 24 || total.Sessions != 12 || *total.UniqueVisitors != 5 {
			t.Errorf("%q: site %s, %+v, want 24 page views of 12 sessions and 5 visitors", names, s.SiteID, total)
		}
		if pages := s.Top[0].Rows; len(pages) != 2 || pages[0].PageViews != 12 {
			t.Errorf("%q: top pages %+v, want two of 12 page views", names, pages)
		}
	}
}

// --table keeps the figures for footfall query, in a new file alone.
func TestAnalyzeKeepsATable(t *testing.T) {
	dir := t.TempDir()
	log, table := filepath.Join(dir, "log"), "sqlite://"+filepath.Join(dir, "march.db")
	if err := os.WriteFile(log, []byte(logOf(1, 7)), 0o600); err != nil {
		t.Fatal(err)
	}
	analyzed(t, log, "--table", table)
	out, errs, code := asked(t, "query", "top", "site", "page", "--from", "2026-05-01", "--to", "2026-05-02", "--table", table)
	if code != 0 || !strings.Contains(out, "/page-1") {
		t.Errorf("exit code %d, %q, %q, want the pages", code, out, errs)
	}
	if _, errs, code := asked(t, "analyze", log, "--table", table); code != 1 || !strings.Contains(errs, "the file exists") {
		t.Errorf("a second count into the table: exit code %d, %q, want it refused", code, errs)
	}
}

func TestAnalyzeSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	poem, log, empty := write("poem.txt", "Whose woods these are\nI think I know\n"), write("access.log", logOf(1, 1)), write("empty", "")
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{}, 2, "an argument is missing: write footfall analyze FILE..."},
		{[]string{poem}, 1, `poem.txt: the format is unknown; the first line is "Whose woods these are": choose one of events, ndjson, csv`},
		{[]string{empty}, 1, "there are no lines in it"},
		{[]string{folder}, 1, "the folder has no files"},
		{[]string{filepath.Join(dir, "*.gz")}, 1, "no file has such a name"},
		{[]string{filepath.Join(dir, "none")}, 1, "no such file"},
		{[]string{log, log}, 2, "is named twice"},
		{[]string{log, "--map", "url=a"}, 2, "--map is for --format ndjson, csv or tsv, and the format is combined"},
		{[]string{log, "--format", "common"}, 1, "nothing was sent: all 2 lines were refused: check --format"},
		{[]string{log, "--top", "colour"}, 2, `dimension "colour" is unknown`},
		{[]string{log, "--site", "shop.example"}, 3, "--site shop.example: no line is of this site"},
		{[]string{log, "--table", "dynamodb://footfall"}, 2, "footfall analyze writes a file: sqlite://FILE"},
		{[]string{log, "--brokers", "kafka:9092"}, 2, "footfall produce"},
	} {
		out, errs, code := asked(t, append([]string{"analyze"}, test.args...)...)
		if code != test.code || !strings.Contains(errs, test.want) || out != "" {
			t.Errorf("analyze %q: exit code %d, %q, %q, want %d and %q", test.args, code, out, errs, test.code, test.want)
		}
	}
}
