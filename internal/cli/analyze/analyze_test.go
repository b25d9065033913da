package analyze

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/files"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/query"
)

// analyzed runs footfall analyze and returns what it prints as JSON.
func analyzed(t *testing.T, args ...string) Answer {
	t.Helper()
	code, out, errs := clitest.Footfall(t, append([]string{"analyze", "--json"}, args...)...)
	var answer Answer
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
	slow.Unraced(t)
	file := realdata.Path(t, "access-log/apache_logs.gz")
	answer := analyzed(t, file, "--count-assets")
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
		code, out, errs := clitest.Footfall(t, append([]string{"analyze", "--json", "--set", "siteId=www.example.com"}, names...)...)
		var answer Answer
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

// The same files have the same visitorIds in every run, in whatever way they are named, and so the same estimates.
func TestAnalyzeIsRepeatable(t *testing.T) {
	dir := t.TempDir()
	one, two, both := filepath.Join(dir, "1"), filepath.Join(dir, "2"), logOf(1, 3)+logOf(2, 5)
	for name, text := range map[string]string{one: logOf(1, 3), two: logOf(2, 5)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	visitors := func(keyOf func([]produce.Input) []byte, stdin string, names ...string) (ids string) {
		var p analyzeFlags
		cmd := &cobra.Command{}
		p.addFlags(cmd)
		cmd.SetContext(t.Context())
		file, _, err := p.file.Open(cmd, names, files.Options{Buckets: 1, Site: "site", KeyOf: keyOf,
			Stdin: func(ctx context.Context) produce.Input { return files.EndingInput(ctx, strings.NewReader(stdin)) }})
		if err != nil {
			t.Fatal(err)
		}
		for {
			r, err := file.Next()
			if err != nil {
				return ids
			}
			ids += regexp.MustCompile(`"visitorId":"[^"]*"`).FindString(string(r.Value))
		}
	}
	first := visitors(produce.KeyOf, "", one, two)
	if again := visitors(produce.KeyOf, "", two, one); first == "" || again != first {
		t.Errorf("visitors %s, then %s", first, again)
	}
	if random := visitors(nil, "", one, two); random == first {
		t.Error("a random key made the same visitors")
	}
	var events strings.Builder
	for n := range 3000 { // More than are counted exactly.
		fmt.Fprintf(&events, `{"siteId":"a","type":"page_view","timestamp":%d,"visitorId":"v-%d"}`+"\n", 1_778_000_000_000+n, n)
	}
	many := filepath.Join(dir, "events")
	if err := os.WriteFile(many, []byte(events.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	estimate := func() query.Figures { return *analyzed(t, many).Sites[0].Stats.Totals }
	if a, b := estimate(), estimate(); a.VisitorsError == 0 || *a.UniqueVisitors != *b.UniqueVisitors {
		t.Errorf("%d visitors (error %v), then %d", *a.UniqueVisitors, a.VisitorsError, *b.UniqueVisitors)
	}
	if a, b := visitors(produce.KeyOf, both, "-"), visitors(produce.KeyOf, both, "-"); a == "" || a != b {
		t.Errorf("standard input: visitors %s, then %s", a, b)
	}
}

// Of a file that ends too early, the lines before that count, and so do other files; the error names the file, the line and the byte.
func TestAnalyzeCountsFilesThatEndTooEarly(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(logOf(1, 50))); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // All lines are there, but the end is not.
		t.Fatal(err)
	}
	cut, whole := filepath.Join(dir, "cut.gz"), filepath.Join(dir, "whole")
	for name, text := range map[string][]byte{cut: packed.Bytes(), whole: []byte(logOf(2, 3))} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := range [][]string{nil, {"--sort"}} {
		code, out, errs := clitest.Footfall(t, append([]string{"analyze", "--json", cut, whole}, more...)...)
		var answer Answer
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatalf("%v: printed %q, %q", err, out, errs)
		}
		want := fmt.Sprintf("%s: read after line 100, at byte %d of the file: the file ends too early", cut, packed.Len())
		if code != 1 || answer.Counted != 106 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, %d lines, %q, want 106 and %q", more, code, answer.Counted, errs, want)
		}
		if b := answer.Broken; len(b) != 1 || b[0].File != cut || b[0].Line != 100 || b[0].Offset != int64(packed.Len()) {
			t.Errorf("%q: broken files %+v", more, b)
		}
	}
}

// --by hour prints the rows of all pages of the answer.
func TestAnalyzePrintsAllRows(t *testing.T) {
	slow.Unraced(t)
	file := filepath.Join(t.TempDir(), "events")
	var b strings.Builder
	const hours = query.MaxLimit + 5
	begin := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range hours {
		at := begin.Add(time.Duration(n) * time.Hour)
		fmt.Fprintf(&b, `{"siteId":"a","type":"page_view","timestamp":%d,"visitorId":"v"}`+"\n", at.UnixMilli())
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	answer := analyzed(t, file, "--by", "hour", "--top", "none")
	if s := answer.Sites[0].Stats; len(s.Buckets) != hours || s.Cursor != "" || len(s.Warnings) != 0 || s.Totals.Events != hours {
		t.Errorf("%d rows, cursor %q, %d events, want %d", len(s.Buckets), s.Cursor, s.Totals.Events, hours)
	}
}

// footfall analyze counts by the rules of footfall run and dev, but for times and what expires: the same file has the same figures.
func TestAnalyzeCountsAsRunDoes(t *testing.T) {
	c := config.Default()
	if !slices.Contains(c.NonInteractiveEvents, "asset") {
		t.Errorf("nonInteractiveEvents %q: assets of an access log end a bounce", c.NonInteractiveEvents)
	}
	cmd := &cobra.Command{}
	cmd.Flags().String("config", "", "")
	of, err := analysisConfig(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(of.NonInteractiveEvents, c.NonInteractiveEvents) || of.Bots != c.Bots || of.Duplicates != c.Duplicates {
		t.Errorf("analyze counts by %q, %+v, %+v, run by %q, %+v, %+v", of.NonInteractiveEvents, of.Bots, of.Duplicates,
			c.NonInteractiveEvents, c.Bots, c.Duplicates)
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
	code, out, errs := clitest.Footfall(t, "query", "top", "site", "page", "--from", "2026-05-01", "--to", "2026-05-02", "--table", table)
	if code != 0 || !strings.Contains(out, "/page-1") {
		t.Errorf("exit code %d, %q, %q, want the pages", code, out, errs)
	}
	if code, _, errs := clitest.Footfall(t, "analyze", log, "--table", table); code != 1 || !strings.Contains(errs, "the file exists") {
		t.Errorf("a second count into the table: exit code %d, %q, want it refused", code, errs)
	}
}

// Lines that name no site are of their files: titles name these.
func TestAnalyzeNamesItsFiles(t *testing.T) {
	dir := t.TempDir()
	log, second := filepath.Join(dir, "may.log"), filepath.Join(dir, "june.log")
	for _, name := range []string{log, second} {
		if err := os.WriteFile(name, []byte(logOf(1, 7)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hosted := filepath.Join(dir, "hosted.log")
	line, _, _ := strings.Cut(logOf(1, 1), "\n")
	if err := os.WriteFile(hosted, []byte("www.example.com:80 "+line), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{{[]string{log}, "may.log by hour, "}, {[]string{log, hosted}, "lines without a host by hour, "},
		{[]string{log, second}, "2 files by hour, "},
		{[]string{log, "--set", "siteId=www.example.com"}, "Site www.example.com by hour, "},
		{[]string{log, "--top", "page"}, "Top page of may.log by pageViews, "}} {
		if code, out, errs := clitest.Footfall(t, append([]string{"analyze"}, c.args...)...); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("analyze %q: exit code %d, %q, %q, want the title %q", c.args, code, out, errs, c.want)
		}
	}
}

// Tables are at most 100 columns wide, and lack columns that are the same in all rows; --wide shows all.
func TestAnalyzeFitsAPage(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(logOf(1, 9)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, narrow, _ := clitest.Footfall(t, "analyze", log, "--top", "page")
	for line := range strings.Lines(narrow) {
		if n := utf8.RuneCountInString(line); n > mostColumns+1 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	const same = "The same in all rows: Share 50.0 %, Events 9, "
	if _, wide, _ := clitest.Footfall(t, "analyze", log, "--top", "page", "--wide"); !strings.Contains(narrow, same) ||
		strings.Contains(wide, same) || !strings.Contains(wide, "Time on page") {
		t.Errorf("printed %q; with --wide %q", narrow, wide)
	}
}

// --html writes a page that is complete in itself: no script, no form, nothing that is loaded, and no link to another page.
func TestAnalyzeWritesAPage(t *testing.T) {
	dir := t.TempDir()
	log, file := filepath.Join(dir, "log"), filepath.Join(dir, "report.html")
	if err := os.WriteFile(log, []byte(logOf(1, 9)), 0o600); err != nil {
		t.Fatal(err)
	}
	analyzed(t, log, "--html", file, "--set", "siteId=www.example.com")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>www.example.com", "/page-1", "<style>", "<svg"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if got := regexp.MustCompile(`<script|<form|<link rel="stylesheet"| src=| href="[^#d][^"]*"|https?://`).FindAllString(string(text), -1); len(got) > 0 {
		t.Errorf("the page has %q", got)
	}
	if code, _, errs := clitest.Footfall(t, "analyze", log, "--html", filepath.Join(dir, "none", "r.html")); code != 1 ||
		!strings.Contains(errs, "--html: ") {
		t.Errorf("a file in no folder: exit code %d, %q", code, errs)
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
	dated := write("dated.log", `192.0.2.1 - - [06.02.2024 12:14:14] "GET /a HTTP/1.1" 200 5 "-" "-"`)
	assets := write("assets.log", `192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a.css HTTP/1.1" 200 5 "-" "-"`)
	table := write("table.csv", "time,who\n2026-05-12,a\n")
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
		{[]string{dated}, 1, `the nearest format is combined, and column 16 is not of it: time: "06.02.2024 12:14:14" is not a log's`},
		{[]string{dated, "--log-format", "%h %^ %^ [%x] %r"}, 1, `dated.log, line 1: column 16: time: "`},
		{[]string{assets}, 1, "nothing was counted: all lines were left out (1 asset): --count-assets counts them"},
		{[]string{empty}, 1, "there are no lines in it"},
		{[]string{folder}, 1, "the folder has no files"},
		{[]string{filepath.Join(dir, "*.gz")}, 1, "no file has such a name"},
		{[]string{filepath.Join(dir, "none")}, 1, "no such file"},
		{[]string{log, log}, 2, "is named twice"},
		{[]string{log, "--map", "url=a"}, 2, "--map is for --format ndjson, csv or tsv, and the format is combined"},
		{[]string{log, "--format", "common"}, 1, "nothing was counted: all 2 lines were refused: check --format"},
		{[]string{table, "--map", "timestamp=zeit", "--map", "visitorId=who", "--set", "siteId=a", "--set", "type=b"}, 1,
			`table.csv, line 1: header: no column is named "zeit", which the mapping needs: choose from time, who`},
		{[]string{log, "--top", "colour"}, 2, `dimension "colour" is unknown`},
		{[]string{log, "--site", "shop.example"}, 3, "--site shop.example: no line is of this site"},
		{[]string{log, "--table", "dynamodb://footfall"}, 2, "footfall analyze writes a file: sqlite://FILE"},
		{[]string{log, "--brokers", "kafka:9092"}, 2, "footfall produce"},
	} {
		code, out, errs := clitest.Footfall(t, append([]string{"analyze"}, test.args...)...)
		if code != test.code || !strings.Contains(errs, test.want) || out != "" {
			t.Errorf("analyze %q: exit code %d, %q, %q, want %d and %q", test.args, code, out, errs, test.code, test.want)
		}
	}
}

// By default, the pages and downloads of a real access log count, and the others are left out for their reasons, as a script in another
// language with the same lists of extensions has counted them.
func TestAnalyzeLeavesOutWhatIsNoPage(t *testing.T) {
	slow.Unraced(t)
	answer := analyzed(t, realdata.Path(t, "access-log/apache_logs.gz"), "--include-bots", "--top", "none")
	want := produce.LeftOut{Assets: 5575, Errors: 220, Redirects: 164, OtherMethods: 33}
	if answer.Counted != 4007 || answer.Refused != 1 || answer.LeftOut != want {
		t.Errorf("%d counted, %d refused, %+v left out, want 4007, 1 and %+v", answer.Counted, answer.Refused, answer.LeftOut, want)
	}
	if s := answer.Statuses; s.String() != "2xx 9170, 3xx 609, 4xx 217, 5xx 3" || s.NotFound[0].Requests != 61 {
		t.Errorf("statuses %+v, want 9170, 609, 217 and 3, and 61 requests for the first page that was not found", s)
	}
	if s := answer.Sites[0].Stats.Totals; s.Events != 4007 || s.PageViews != 3891 {
		t.Errorf("%+v, want 4007 events, of them 3891 page views", s)
	}
}
