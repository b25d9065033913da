package analyze

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/testenv"
)

// imports are the commands of docs/import.md, and what the samples of testdata/import hold, counted by hand. The samples have the columns
// and keys of the tools' own sources: GoatCounter's export.go, version 2; website_event.csv of Umami Cloud; Plausible's
// clickhouse_event_v2.ex; Matomo's developer guide on log data; Google's "BigQuery Export schema".
var imports = []struct {
	heading                    string
	refused                    int64
	pageViews, events          int64
	sessions, bounces          int64
	visitors                   uint64
	pages, sources, of, client map[string]int64 // page views of pages, sessions of referrers, countries and browsers
	durationMs                 int64
}{
	// One row has no session.
	{"GoatCounter", 1, 3, 4, 2, 1, 2, map[string]int64{"/": 2, "/price": 1}, map[string]int64{"google.com": 1},
		map[string]int64{"US": 1, "DE": 1}, map[string]int64{"Chrome 126": 1, "Firefox 140": 1}, 360_000},
	// One row is there twice.
	{"Umami", 0, 3, 4, 2, 1, 2, map[string]int64{"/": 2, "/docs/a b": 1}, map[string]int64{"google.com": 1, "t.co": 1},
		map[string]int64{"DE": 1, "CH": 1}, map[string]int64{"chrome": 1, "ios": 1}, 120_000},
	{"Plausible", 0, 2, 3, 2, 1, 2, map[string]int64{"/": 1, "/blog/a": 1}, map[string]int64{"google.com": 1},
		map[string]int64{"DE": 1}, map[string]int64{"Chrome": 1, "Safari": 1}, 90_000},
	{"Matomo", 0, 3, 5, 2, 0, 2, map[string]int64{"/": 1, "/docs/": 2}, map[string]int64{"google.com": 1},
		map[string]int64{"FR": 1, "XX": 1}, map[string]int64{"Chrome": 1, "Mobile Safari": 1}, 92_000},
	// One row has no visitor.
	{"Google Analytics 4", 1, 4, 5, 3, 2, 2, map[string]int64{"/": 2, "/shop": 2}, map[string]int64{"google.com": 1, "t.co": 1},
		map[string]int64{"Germany": 3}, map[string]int64{"Safari": 3}, 60_000},
}

// Each command of docs/import.md, as it is written there, counts the hits of an export.
func TestImportCommandsCountExports(t *testing.T) {
	testenv.RequireTools(t, "sh", "sed", "tr", "gzip", "jq")
	text, err := os.ReadFile("../../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := make(map[string]string)
	for _, m := range regexp.MustCompile("(?s)\n## ([^\n]+)\n[^#]*?```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		commands[m[1]] = m[2]
	}
	if len(commands) != len(imports) {
		t.Errorf("%d commands, want %d", len(commands), len(imports))
	}
	dir := exports(t)
	for _, want := range imports {
		t.Run(want.heading, func(t *testing.T) {
			t.Chdir(dir)
			got := shellAnswer(t, commands[want.heading])
			if got.Refused != want.refused || len(got.Sites) != 1 || got.Sites[0].SiteID != "www.example.com" {
				t.Fatalf("refused %d, %v, of %d sites, want %d of www.example.com", got.Refused, got.FirstRefused, len(got.Sites), want.refused)
			}
			s := got.Sites[0]
			if x := s.Stats.Totals; x.PageViews != want.pageViews || x.Events != want.events || x.Sessions != want.sessions ||
				x.Bounces != want.bounces || *x.UniqueVisitors != want.visitors || x.DurationMs != want.durationMs {
				t.Errorf("%d page views, %d events, %d sessions, %d bounces, %d visitors, %d ms; want %+v", x.PageViews, x.Events, x.Sessions,
					x.Bounces, *x.UniqueVisitors, x.DurationMs, want)
			}
			for i, values := range []map[string]int64{want.pages, want.sources, want.of, want.client} {
				top := s.Top[i]
				for value, count := range values {
					var found int64
					for _, row := range top.Rows {
						if row.Value == value && i == 0 {
							found = row.PageViews
						} else if row.Value == value {
							found = row.Sessions
						}
					}
					if found != count {
						t.Errorf("top %s: %d of %q, want %d", top.Dimension, found, value, count)
					}
				}
			}
		})
	}
}

// exports is a folder with the exports that the commands read.
func exports(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/import")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "goatcounter.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "goatcounter.csv.gz"), packed(t, string(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shellAnswer runs a line of the shell in which footfall is this process.
func shellAnswer(t *testing.T, line string) (answer Answer) {
	t.Helper()
	args := filepath.Join(t.TempDir(), "args")
	sh := exec.CommandContext(t.Context(), "sh", "-c", `footfall() { printf '%s\0' "$@" > "$ARGS"; case "$2" in -) cat;; esac; }`+"\n"+line)
	sh.Env = append(os.Environ(), "ARGS="+args)
	var errs bytes.Buffer
	sh.Stderr = &errs
	piped, err := sh.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%v: %s", err, errs.String())
	}
	text, err := os.ReadFile(args)
	if err != nil {
		t.Fatal(err)
	}
	words := append(strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), "--json", "--include-bots", "--top",
		"page,referrer,country,browser")
	var out, said bytes.Buffer
	code := clitest.Execute(t.Context(), &command.App{In: bytes.NewReader(piped), Out: &out, Err: &said}, words)
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil || code != 0 {
		t.Fatalf("%q: exit code %d, %v: %s%s", words, code, err, out.String(), said.String())
	}
	if strings.Contains(said.String(), "warning") {
		t.Errorf("%q: %s", words, said.String())
	}
	return answer
}

// An export of sums is refused with the reason, with and without a mapping.
func TestSumsAreRefused(t *testing.T) {
	for _, c := range []struct{ of, text, columns string }{
		// Plausible's documentation, "CSV import".
		{"Plausible, visitors", "date,visitors,pageviews,bounces,visits,visit_duration\n2026-05-12,10,25,4,12,600\n",
			"visitors, pageviews, bounces, visits, visit_duration"},
		{"Plausible, pages", `"date","hostname","page","visits","visitors","pageviews"` + "\n" + `"2026-05-12","h","/",1,1,2` + "\n",
			"visits, visitors, pageviews"},
		{"Plausible, events", "date,name,link_url,path,visitors,events\n2026-05-12,Signup,,/a,2,4\n", "visitors, events"},
		// A report of GA4, as "Share this report, download CSV" writes it.
		{"GA4", "# ----------\n# Pages and screens\n# Start date: 20260501\n\n" +
			"Page path and screen class,Views,Active users,Event count\n/,7,5,22\n",
			"Views, Active users, Event count"},
		{"Matomo", "label,nb_uniq_visitors,nb_visits,nb_actions\n/a,4,5,6\n", "nb_uniq_visitors, nb_visits, nb_actions"},
		{"a spreadsheet", "date;name;Unique visitors;Page views\n2026-05-12;/a;4;6\n", "Unique visitors, Page views"},
		{"a report of hits", "date,name,uniques,hits\n2026-05-12,/a,4,6\n", "uniques, hits"},
		// hit_stats.jsonl of GoatCounter's JSON export.
		{"GoatCounter", `{"hour":"2026-05-12T19:00:00Z","path_id":9,"ref_id":1,"count":2}` + "\n", "path_id, count"},
	} {
		t.Run(c.of, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "export")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			mapping := []string{"--format", "csv", "--map", "timestamp=date", "--map", "visitorId=name", "--set", "type=page_view",
				"--set", "siteId=s"}
			for _, args := range [][]string{nil, mapping} {
				if args != nil && strings.HasPrefix(c.text, "{") {
					continue
				}
				code, _, errs := clitest.Footfall(t, append([]string{"analyze", file}, args...)...)
				want := "it has sums, in the columns " + c.columns + ", and no single hits"
				if code != 1 || !strings.Contains(errs, want) || !strings.Contains(errs, file) {
					t.Errorf("%q: exit code %d, %q, want 1, %s and %q", args, code, errs, file, want)
				}
			}
		})
	}
}

// Columns that the user has mapped are no sums, whatever their names.
func TestMappedColumnsAreNoSums(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hits.csv")
	if err := os.WriteFile(file, []byte("date;Users;Page views;Hits\n2026-05-12T10:00:00Z;u-1;/a;1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	answer := analyzed(t, file, "--map", "timestamp=date", "--map", "visitorId=Users", "--map", "url=Page views", "--set", "type=page_view",
		"--set", "siteId=s")
	if page := answer.Sites[0].Top[0].Rows[0].Value; answer.Counted != 1 || page != "/a" {
		t.Errorf("%d lines, page %s, want one of /a", answer.Counted, page)
	}
}
