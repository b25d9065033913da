package produce_test

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/produce"
)

// logOf is an input with a combined log.
func logOf(t *testing.T, lines ...string) produce.Input {
	t.Helper()
	format, err := produce.NewAccessLog(produce.AccessLogConfig{Lines: accesslog.Config{Format: "combined"}, Site: "site"})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(lines, "\n") + "\n"
	return produce.Input{Format: format, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		Head: func() ([]byte, error) { return []byte(text), nil }}
}

func request(target, referrer string) string {
	return fmt.Sprintf(`192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET %s HTTP/1.1" 200 5 %q "-"`, target, referrer)
}

func replaced(lines []string, text, by string) []string {
	return strings.Split(strings.ReplaceAll(strings.Join(lines, "\n"), text, by), "\n")
}

// The own host of a log is the one that most referrers of its pages name, not the one that most visitors come from.
func TestOwnHost(t *testing.T) {
	var own []string
	for n := range 6 {
		own = append(own, request("/", "-"), request("/about", "https://www.shop.example/"), request(fmt.Sprint("/", n, ".css"),
			"https://shop.example/about?from=top"))
	}
	var elsewhere []string
	for n := range 40 {
		elsewhere = append(elsewhere, request("/", fmt.Sprintf("https://www.google.example/search?q=%d", n)))
	}
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"own pages and a search engine":   {append(own, elsewhere...), "shop.example"},
		"a search engine alone":           {elsewhere, ""},
		"too few":                         {own[:4], ""},
		"two hosts with the same path":    {append(replaced(own, "shop.", "copy."), own...), ""},
		"a host without a dot is no site": {replaced(own, "shop.example", "localhost"), ""},
		"no referrers":                    {[]string{request("/", "-"), request("/a", "-")}, ""},
	} {
		inputs := []produce.Input{logOf(t, c.lines...)}
		produce.FindSite(inputs)
		f := produce.NewFiles(inputs)
		r, err := f.Next()
		if err != nil || r.SiteID != cmp.Or(c.want, "site") || f.SiteOfUnnamed() != r.SiteID {
			t.Errorf("%s: site %q, %q of lines that name none, %v, want %q", name, r.SiteID, f.SiteOfUnnamed(), err, c.want)
		}
	}
}

// The own host of a log with #Fields is found, too. The log is one site, also where a later #Fields has hosts, as after a change of a
// server's settings.
func TestOwnHostUnderFields(t *testing.T) {
	const early, late = "#Fields: date time c-ip cs-method cs-uri-stem cs(Referer) sc-status", " cs-host"
	hit := func(referrer string) string { return "2024-06-03 05:14:44 192.0.2.1 GET /about " + referrer + " 200" }
	var lines []string
	for range 6 {
		lines = append(lines, hit("https://www.shop.example/about"))
	}
	of := func(lines ...string) (sites []string) {
		format, err := produce.NewAccessLog(produce.AccessLogConfig{Lines: accesslog.Config{Format: "w3c"}, Site: "site"})
		if err != nil {
			t.Fatal(err)
		}
		in := text("", strings.Join(lines, "\n"))
		in.Format = format
		produce.FindSite([]produce.Input{in})
		f := produce.NewFiles([]produce.Input{in})
		for {
			r, err := f.Next()
			if err == io.EOF {
				return slices.Compact(sites)
			}
			if err != nil {
				t.Fatal(err)
			}
			sites = append(sites, r.SiteID)
		}
	}
	after := []string{early + late, hit("-") + " 10.0.0.7", hit("-") + " shop.example"}
	for _, c := range []struct{ lines, want []string }{
		{append([]string{early}, lines...), []string{"shop.example"}},
		{slices.Concat([]string{early}, lines, after), []string{"shop.example"}},
		{append(after, slices.Concat([]string{early}, lines)...), []string{"10.0.0.7", "shop.example"}},
	} {
		if got := of(c.lines...); !slices.Equal(got, c.want) {
			t.Errorf("%q: sites %q, want %q", c.lines, got, c.want)
		}
	}
}
