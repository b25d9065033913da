package serve

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/page/links"
)

// Files of CSV are named for the site, the list and the range; other answers name no file.
func TestCSVFilesAreNamed(t *testing.T) {
	h := handler(t, shopTable(t))
	for address, want := range map[string]string{
		"/sites/shop/stats?period=2026-05&by=day&format=csv":                   "shop-stats-2026-05-01-2026-05-31.csv",
		"/sites/shop/top/page?from=-2d&format=csv":                             "shop-top-page-2026-05-11-2026-05-12.csv",
		"/sites/shop/stats?from=-3h&by=hour&format=csv":                        "shop-stats-2026-05-12T1200-2026-05-12T1500.csv",
		"/sites?format=csv":                                                    "sites.csv",
		"/overview?format=csv":                                                 "overview.csv",
		"/sites/shop/stats?period=2026-05&by=day":                              "",
		"/sites/shop/stats?period=2026-05&by=day&format=ndjson":                "",
		"/sites/shop/stats?period=2026-05&tz=Europe/Berlin&by=hour&format=csv": "shop-stats-2026-05-01-2026-05-31.csv",
	} {
		r, text := ask(t, h, base+address)
		wants(t, address, r, text, http.StatusOK, "")
		if want != "" {
			want = `attachment; filename="` + want + `"`
		}
		if got := r.Header().Get("Content-Disposition"); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// Whatever an id has, the name of a file has safe characters only.
func TestNamesOfFilesAreSafe(t *testing.T) {
	for _, id := range []string{`a"; filename="x`, "../../etc/passwd", "..", "-rf", "\u202egnp", "a/b\\c:d", strings.Repeat("é", 2048),
		"a\r\nb"} {
		u, err := url.Parse(base + links.SitePath(id) + "/top/property:%22x")
		if err != nil {
			t.Fatal(err)
		}
		got := asked{url: u, accept: "text/csv"}.disposition(nil)
		name, ok := strings.CutPrefix(got, `attachment; filename="`)
		name, closed := strings.CutSuffix(name, `-top-property__x.csv"`)
		if !ok || !closed || len(name) > longestName || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz._-") != "" ||
			name[0] == '.' || name[0] == '-' {
			t.Errorf("%.40q is kept as %s", id, got)
		}
	}
}
