package analyze

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/produce"
)

// The answer has how requests were answered, also those that are left out, and the pages that were not found, by site.
func TestAnalyzeListsPagesNotFound(t *testing.T) {
	var lines strings.Builder
	for _, r := range []struct {
		site, path string
		status     int
	}{{"a", "/", 200}, {"b", "/", 200}, {"b", "/", 304}, {"a", "/old?n=1", 404}, {"a", "/old?n=2", 404}, {"b", "/old", 404},
		{"a", "/gone", 410}, {"b", "/", 301}, {"b", "/", 502}} {
		fmt.Fprintf(&lines, `%s.example:443 192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET %s HTTP/1.1" %d 5 "-" "%s"`+"\n",
			r.site, r.path, r.status, firefox)
	}
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	classes := map[string]int64{"2xx": 2, "3xx": 2, "4xx": 4, "5xx": 1}
	ofA := produce.NotFound{SiteID: "a.example", Page: "/old", Requests: 2}
	ofB := produce.NotFound{SiteID: "b.example", Page: "/old", Requests: 1}
	for _, c := range []struct {
		args []string
		want []produce.NotFound
	}{{nil, []produce.NotFound{ofA, ofB}}, {[]string{"--site", "b.example"}, []produce.NotFound{ofB}},
		{[]string{"--limit", "1"}, []produce.NotFound{ofA}}, {[]string{"--count-assets", "--sort"}, []produce.NotFound{ofA, ofB}}} {
		got, want := analyzed(t, append([]string{log}, c.args...)...).Statuses, produce.Statuses{Classes: classes, NotFound: c.want}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", c.args, got, want)
		}
	}
	_, out, errs := clitest.Footfall(t, "analyze", log)
	if !strings.Contains(out, "       2  a.example /old\n       1  b.example /old\n") ||
		!strings.Contains(errs, "by status: 2xx 2, 3xx 2, 4xx 4, 5xx 1.") {
		t.Errorf("printed %q, %q", out, errs)
	}
	if _, out, _ := clitest.Footfall(t, "analyze", log, "--site", "b.example"); !strings.Contains(out, "       1  /old\n") {
		t.Errorf("of one site: printed %q", out)
	}
}
