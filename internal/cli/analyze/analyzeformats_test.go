package analyze

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// hit is a line of a log before it is written in some format.
type hit struct {
	time    time.Time
	visitor int
	page    int
}

// formatsWritten write a hit in each format that is read. A format with a header has it as its first element.
var formatsWritten = []struct {
	name, header string
	args         []string
	line         func(h hit) string
}{
	{"events", "", nil, func(h hit) string {
		return fmt.Sprintf(`{"siteId":"shop.example","type":"page_view","timestamp":%d,"visitorId":"v-%d","url":"/page-%d"}`, h.time.UnixMilli(),
			h.visitor, h.page)
	}},
	{"ndjson", "", []string{"--map", "timestamp=at", "--time-unit", "us", "--map", "visitorId=who.ids[1]", "--map", "url=/{page}", "--set",
		"siteId=shop.example", "--set", "type=page_view"}, func(h hit) string {
		return fmt.Sprintf(`{"at":%d,"who":{"ids":[0,"v-%d"]},"page":"page-%d"}`, h.time.UnixMicro(), h.visitor, h.page)
	}},
	{"csv", "at;who;page", []string{"--map", "timestamp=at", "--time-layout", "%d.%m.%Y %H:%M:%S", "--map", "visitorId=who",
		"--map", "url=page", "--set", "siteId=shop.example", "--set", "type=page_view"}, func(h hit) string {
		return fmt.Sprintf(`%s;v-%d;"/page-%d"`, h.time.Format("02.01.2006 15:04:05"), h.visitor, h.page)
	}},
	{"tsv", "at\twho\tpage", []string{"--map", "timestamp=at", "--time-unit", "s", "--map", "visitorId=who", "--map", "url=page",
		"--set", "siteId=shop.example", "--set", "type=page_view"}, func(h hit) string {
		return fmt.Sprintf("%d\tv-%d\t/page-%d", h.time.Unix(), h.visitor, h.page)
	}},
	{"common", "", []string{"--set", "siteId=shop.example"}, func(h hit) string {
		return fmt.Sprintf(`192.0.2.%d - - [%s] "GET /page-%d HTTP/1.1" 200 512`, h.visitor, clf(h.time), h.page)
	}},
	{"combined", "", []string{"--set", "siteId=shop.example"}, func(h hit) string {
		return fmt.Sprintf(`192.0.2.%d - - [%s] "GET /page-%d HTTP/1.1" 200 512 "-" "%s"`, h.visitor, clf(h.time), h.page, firefox)
	}},
	{"vhost_combined", "", nil, func(h hit) string {
		return fmt.Sprintf(`Shop.Example:443 192.0.2.%d - - [%s] "GET /page-%d HTTP/1.1" 200 512 "-" "%s"`, h.visitor, clf(h.time), h.page,
			firefox)
	}},
	{"caddy", "", nil, func(h hit) string {
		return fmt.Sprintf(`{"level":"info","ts":%d.25,"msg":"handled request","request":{"remote_ip":"192.0.2.%d","proto":"HTTP/2.0",`+
			`"method":"GET","host":"shop.example:8443","uri":"/page-%d","headers":{"User-Agent":["%s"]}},"size":512,"status":200}`, h.time.Unix(),
			h.visitor, h.page, firefox)
	}},
	{"nginx", "", nil, func(h hit) string {
		return fmt.Sprintf(`{"time_iso8601":"%s","remote_addr":"192.0.2.%d","request":"GET /page-%d HTTP/1.1","status":"200",`+
			`"body_bytes_sent":"512","http_referer":"","http_user_agent":"%s","host":"shop.example"}`, h.time.Format(time.RFC3339), h.visitor,
			h.page, firefox)
	}},
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0"

func clf(t time.Time) string { return t.Format("02/Jan/2006:15:04:05 -0700") }

// In each format, a file whose every third line is cut in the middle has the figures of the others, counted here from what they were made
// of, and the cut lines are named.
func TestAnalyzeCountsWhatIsWhole(t *testing.T) {
	const lines, gap = 300, 30 * time.Minute
	first := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	for _, format := range formatsWritten {
		t.Run(format.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			text := []string{}
			if format.header != "" {
				text = append(text, format.header)
			}
			last, pages := map[int]time.Time{}, map[string]int64{}
			var whole, sessions int64
			for i := range lines {
				h := hit{first.Add(time.Duration(i) * 45 * time.Second), i * i % 41, i % 7}
				line := format.line(h)
				if (len(text)+1)%3 == 0 {
					text = append(text, line[:len(line)/2])
					continue
				}
				text = append(text, line)
				whole++
				pages[fmt.Sprintf("/page-%d", h.page)]++
				if before, ok := last[h.visitor]; !ok || h.time.Sub(before) > gap {
					sessions++
				}
				last[h.visitor] = h.time
			}
			if err := os.WriteFile(file, []byte(strings.Join(text, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			answer := analyzed(t, append([]string{file, "--include-bots"}, format.args...)...)
			if answer.Counted != whole || answer.Refused != lines-whole || len(answer.FirstRefused) != 20 {
				t.Errorf("%d counted, %d refused, %d named; want %d, %d, 20", answer.Counted, answer.Refused, len(answer.FirstRefused), whole,
					lines-whole)
			}
			for i, r := range answer.FirstRefused {
				if want := fmt.Sprintf("%s, line %d: ", file, 3*(i+1)); !strings.HasPrefix(r.Error(), want) {
					t.Errorf("refused %q, want %s", r.Error(), want)
				}
			}
			if len(answer.Sites) != 1 || answer.Sites[0].SiteID != "shop.example" {
				t.Fatalf("sites %+v, want shop.example alone", answer.Sites)
			}
			s := answer.Sites[0]
			if got := s.Stats.Totals; got.PageViews != whole || got.Sessions != sessions || *got.UniqueVisitors != uint64(len(last)) {
				t.Errorf("%d page views, %d sessions, %d visitors, want %d, %d, %d", got.PageViews, got.Sessions, *got.UniqueVisitors, whole, sessions,
					len(last))
			}
			for _, row := range s.Top[0].Rows {
				if row.PageViews != pages[row.Value] {
					t.Errorf("%s has %d page views, want %d", row.Value, row.PageViews, pages[row.Value])
				}
				delete(pages, row.Value)
			}
			if len(pages) > 0 {
				t.Errorf("not among the top pages: %v", pages)
			}
		})
	}
}

// Files of several formats are counted in one call, each by the format of its own lines. A file that has none of them is refused line by
// line, and stops no other, also if it comes first.
func TestAnalyzeReadsEachFileByItsOwnFormat(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	want, used := int64(0), 0
	write("README", "These are our logs.\n\nPlease keep them.\n")
	for _, format := range formatsWritten {
		if format.args != nil {
			continue // Others have no use for its flags.
		}
		var lines []string
		for i := range 10 {
			lines = append(lines, format.line(hit{first.Add(time.Duration(want) * time.Second), i, i}))
			want++
		}
		used++
		write(format.name, strings.Join(lines, "\n"))
	}
	if used < 3 {
		t.Fatalf("%d formats need no flags", used)
	}
	answer := analyzed(t, dir, "--include-bots")
	if answer.Counted != want || answer.Refused != 2 {
		t.Errorf("%d counted, %d refused, want %d and the 2 lines of README", answer.Counted, answer.Refused, want)
	}
	for _, r := range answer.FirstRefused {
		if !strings.Contains(r.Error(), "README") {
			t.Errorf("refused: %v", r)
		}
	}
}

// A --log-format without a status or a user agent is read, and its reader is warned of what that means.
func TestAnalyzeSaysWhatALogLacks(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("192.0.2.1 [06/Feb/2024:12:14:14 +0000] \"GET /a HTTP/1.1\" https://t.co/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := clitest.Footfall(t, "analyze", log, "--log-format", `$remote_addr [$time_local] "$request" $http_referer`)
	for _, want := range []string{"warning: --log-format has no status: failed requests and redirects count as pages, too\n",
		"warning: --log-format has no user agent: "} {
		if code != 0 || strings.Count(errs, want) != 1 || strings.Contains(errs, "no referrer") {
			t.Errorf("exit code %d, %q, want %q once, and no word of the referrer", code, errs, want)
		}
	}
}
