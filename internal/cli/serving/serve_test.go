package serving

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/query"
)

// got asks a handler for an address on this machine.
func got(t *testing.T, h http.Handler, address string) *httptest.ResponseRecorder {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8787"+address, nil)
	if !strings.HasPrefix(address, "/api/") { // As a browser does.
		r.Header.Set("Accept", "text/html")
	}
	h.ServeHTTP(w, r)
	return w
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestServedAnswersAreThoseOfQuery asks the API and the command line the same questions. Their JSON documents are equal, with every figure
// in them, and so are the rows of their CSV.
func TestServedAnswersAreThoseOfQuery(t *testing.T) {
	testServedAnswers(t, footfalltest.Options{})
}

func TestRealServedAnswersAreThoseOfQuery(t *testing.T) {
	slow.Test(t)
	testServedAnswers(t, footfalltest.Options{DynamoDB: testenv.SetAWS(t)})
}

func testServedAnswers(t *testing.T, o footfalltest.Options) {
	table, day := servedTable(t, o)
	h := served(t, table)
	date := func(days int) string { return day.AddDate(0, 0, days).Format(time.DateOnly) }
	span := []string{"--from", date(0), "--to", date(3)}
	params := "?from=" + date(0) + "&to=" + date(3)
	figures := 0
	for _, site := range []string{"shop", strangeSite} {
		path := "/api/v1/sites/" + url.PathEscape(site)
		for _, c := range []struct {
			args    []string
			address string
		}{
			{[]string{"site", "list"}, "/api/v1/sites?deleted=true"},
			{append([]string{"query", "sites", "--search", site[:2]}, span...),
				"/api/v1/overview" + params + "&search=" + url.QueryEscape(site[:2])},
			{[]string{"query", "site", site}, path},
			{append([]string{"query", "stats", site}, span...), path + "/stats" + params},
			{append([]string{"query", "stats", site, "--by", "day", "--compare"}, span...), path + "/stats" + params + "&by=day&compare=previous"},
			{append([]string{"query", "stats", site, "--by", "hour", "--limit", "10", "--desc"}, span...),
				path + "/stats" + params + "&by=hour&limit=10&desc=true"},
			{append([]string{"query", "stats", site, "--fill", "--include-bots", "--tz", "Australia/Eucla", "--by", "month"}, span...), ""},
			{[]string{"query", "stats", site, "--period", date(1), "--compare", "--align", "weekday", "--fill"},
				path + "/stats?period=" + date(1) + "&compare=previous&align=weekday&fill=true"},
			{append([]string{"query", "uniques", site}, span...), path + "/uniques" + params},
			{append([]string{"query", "top", site, "page"}, span...), path + "/top/page" + params},
			{append([]string{"query", "top", site, "referrer", "--sort", "bounces", "--limit", "1"}, span...),
				path + "/top/referrer" + params + "&sort=bounces&limit=1"},
			{append([]string{"query", "top", site, "event", "--include-bots"}, span...), path + "/top/event" + params + "&includeBots=true"},
			{append([]string{"query", "top", site, "page", "--sort", "bounceRate", "--min-count", "2"}, span...),
				path + "/top/page" + params + "&sort=bounceRate&minCount=2"},
			{append([]string{"query", "top", site, "country", "--sort", "bounceRate", "--min-count", "2", "--where", "country!=XX"}, span...),
				path + "/top/country" + params + "&sort=bounceRate&minCount=2&where=country!%3DXX"},
			{append([]string{"query", "goals", site}, span...), path + "/goals" + params},
			{[]string{"query", "realtime", site, "--at", date(1)}, path + "/realtime?at=" + date(1)},
			{append([]string{"query", "sessions", site, "--visitor", "v-1"}, span...), path + "/sessions" + params + "&visitor=v-1"},
			{[]string{"query", "session", "shop", "s-2"}, "/api/v1/sites/shop/sessions/s-2"},
			{[]string{"query", "events", "shop", "--session", "s-2"}, "/api/v1/sites/shop/sessions/s-2/events"},
			{append([]string{"query", "conversions", "shop", "bought"}, span...), "/api/v1/sites/shop/goals/bought/conversions" + params},
			{[]string{"funnel", "list", "shop"}, "/api/v1/sites/shop/funnels"},
		} {
			if c.address == "" { // Eucla is a quarter of an hour off: refused in both.
				if code, _, errs := clitest.Footfall(t, append(c.args, "--table", table)...); code != command.CodeUsage ||
					!strings.Contains(errs, "tz") {
					t.Errorf("%v: exit %d, err %q", c.args, code, errs)
				}
				r := got(t, h, path+"/stats"+params+"&by=month&tz=Australia/Eucla")
				if text := r.Body.String(); r.Code != http.StatusUnprocessableEntity || !strings.Contains(text, `"query.tz"`) {
					t.Errorf("a zone that hours do not fit: %d: %s", r.Code, text)
				}
				continue
			}
			code, out, errs := clitest.Footfall(t, append(c.args, "--output", "json", "--table", table)...)
			r := got(t, h, c.address)
			text := r.Body.String()
			var want, have any
			if err := json.Unmarshal([]byte(out), &want); err != nil || code != 0 {
				t.Fatalf("%v: exit %d, %v: out %s, err %s", c.args, code, err, out, errs)
			}
			if err := json.Unmarshal([]byte(text), &have); err != nil || r.Code != http.StatusOK || !reflect.DeepEqual(have, want) {
				t.Errorf("%s: %d (%v)\n%s\nwant what %v prints\n%s", c.address, r.Code, err, text, c.args, out)
			}
			figures += numbers(want)
			sep := "?"
			if strings.Contains(c.address, "?") {
				sep = "&"
			}
			_, out, _ = clitest.Footfall(t, append(c.args, "--output", "csv", "--table", table)...)
			if text := got(t, h, c.address+sep+"format=csv").Body.String(); text != out {
				t.Errorf("%s as CSV:\n%s\nwant what %v prints\n%s", c.address, text, c.args, out)
			}
		}
	}
	if figures < 1000 {
		t.Errorf("%d figures were compared", figures)
	}
}

// TestServeEndsAfterItsAnswers starts the command, asks it, and has it end as Ctrl-C does.
func TestServeEndsAfterItsAnswers(t *testing.T) {
	url := clitest.TableURL(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, lines := io.Pipe()
	code := make(chan int, 1)
	go func() {
		a := &command.App{In: strings.NewReader(""), Out: lines, Err: t.Output()}
		code <- clitest.Execute(ctx, a, []string{"serve", "--table", url, "--listen", "localhost:0"})
		lines.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, address, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if !ok || !strings.Contains(line, url) {
		t.Fatalf("it prints %q, want the table and the address", line)
	}
	r, err := http.Get(address + "api/v1/sites")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text := body(t, r); r.StatusCode != http.StatusOK || !strings.Contains(text, `"siteId": "shop"`) {
		t.Errorf("%s: %s", r.Status, text)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d, want 0", got)
	}
}

func TestServeIsRefusedBeforeItListens(t *testing.T) {
	for _, c := range []struct {
		says string
		args []string
	}{
		{"no access control", []string{"--listen", "0.0.0.0:8787", "--table", clitest.TableURL(t)}},
		{"HOST:PORT", []string{"--listen", "8787", "--table", clitest.TableURL(t)}},
		{"HOST:PORT", []string{"--require-token", "--listen", "8787", "--table", clitest.TableURL(t)}},
		{"--public-url", []string{"--require-token", "--listen", "0.0.0.0:8787", "--table", clitest.TableURL(t)}},
		{"add --require-token", []string{"--embed-keys", "keys.yml", "--table", clitest.TableURL(t)}},
		{"add --require-token", []string{"--public-url", "https://stats.example", "--table", clitest.TableURL(t)}},
		{"as in https://stats.example", []string{"--require-token", "--public-url", "stats.example", "--table", clitest.TableURL(t)}},
		{"name both", []string{"--tls-cert", "cert.pem", "--table", clitest.TableURL(t)}},
		{"keys.yml", []string{"--require-token", "--embed-keys", "keys.yml", "--table", clitest.TableURL(t)}},
		{"1 or more", []string{"--require-token", "--max-requests-per-minute", "-1", "--table", clitest.TableURL(t)}},
		{"2 or more", []string{"--max-connections", "1", "--table", clitest.TableURL(t)}},
		{"less than --max-connections, which is 20", []string{"--max-connections", "20", "--max-streams", "20", "--table", clitest.TableURL(t)}},
		{"1 or more, or 0 = half", []string{"--max-streams", "-1", "--table", clitest.TableURL(t)}},
		{"at most --max-streams, which is 10", []string{"--max-connections", "20", "--max-streams-per-credential", "11",
			"--table", clitest.TableURL(t)}},
		{"--max-streams-per-credential -1", []string{"--max-streams-per-credential", "-1", "--table", clitest.TableURL(t)}},
		{"--max-items-per-request 0", []string{"--max-items-per-request", "0", "--table", clitest.TableURL(t)}},
		{"--max-read-units-per-request NaN", []string{"--max-read-units-per-request", "nan", "--table", clitest.TableURL(t)}},
		{"1s to 10m", []string{"--max-time-per-request", "11m", "--table", clitest.TableURL(t)}},
		{"footfall table create", []string{"--listen", "127.0.0.1:0", "--table", "sqlite://" + filepath.Join(t.TempDir(), "none.db")}},
	} {
		if code, out, errs := clitest.Footfall(t, append([]string{"serve"}, c.args...)...); code == 0 || out != "" ||
			!strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d, out %q, err %q; want %s", c.args, code, out, errs, c.says)
		}
	}
}

// numbers counts the numbers of a document that are not 0.
func numbers(document any) (n int) {
	switch d := document.(type) {
	case float64:
		if d != 0 {
			n = 1
		}
	case []any:
		for _, x := range d {
			n += numbers(x)
		}
	case map[string]any:
		for _, x := range d {
			n += numbers(x)
		}
	}
	return n
}

var (
	tile    = regexp.MustCompile(`<span class="title">([^<]*)(?: <small>[^<]*</small>)?</span>\s*<strong>([^<]*)</strong>`)
	listRow = regexp.MustCompile(`<bdi title="[^"]*">([^<]*)</bdi>(?:</a>)?</th>\s*<td>([\d,]*)`)
)

// TestServedPageHasTheFiguresOfQuery compares the tiles and the list of pages of a site's page with what the command line prints.
func TestServedPageHasTheFiguresOfQuery(t *testing.T) {
	table, day := servedTable(t, footfalltest.Options{})
	h := served(t, table)
	from, to := day.Format(time.DateOnly), day.AddDate(0, 0, 3).Format(time.DateOnly)
	for _, site := range []string{"shop", strangeSite} {
		r := got(t, h, "/sites/"+url.PathEscape(site)+"?from="+from+"&to="+to)
		page := html.UnescapeString(r.Body.String())
		if r.Code != http.StatusOK || !strings.Contains(page, "<bdi>"+site+"</bdi>") {
			t.Fatalf("%s: %d: %s", site, r.Code, page)
		}
		var stats query.StatsAnswer
		clitest.AskedJSON(t, &stats, "query", "stats", site, "--from", from, "--to", to, "--table", table)
		of := stats.Totals
		want := map[string]string{"Visitors": fmt.Sprint(*of.UniqueVisitors), "Page views": fmt.Sprint(of.PageViews),
			"Sessions":    fmt.Sprint(of.Sessions),
			"Bounce rate": fmt.Sprintf("%.1f %%", 100**of.BounceRate), "Pages per session": fmt.Sprintf("%.2f", *of.PagesPerSession)}
		if of.Values > 0 {
			want["Value"] = locale.InEnglish(locale.Decimal(of.ValueSum))
		}
		tiles := map[string]string{}
		for _, m := range tile.FindAllStringSubmatch(page, -1) {
			tiles[m[1]] = m[2]
		}
		for title, figure := range want {
			if tiles[title] != figure {
				t.Errorf("%s: %s is %q, want %s", site, title, tiles[title], figure)
			}
		}
		if _, ok := tiles["Value"]; ok != (site == "shop") {
			t.Errorf("%s: the page has the sum of values: %v; only the shop has values", site, ok)
		}
		var top query.TopAnswer
		clitest.AskedJSON(t, &top, "query", "top", site, "page", "--from", from, "--to", to, "--table", table)
		_, card, _ := strings.Cut(page, `data-panel="pages"`)
		card, _, _ = strings.Cut(card, "data-panel=")
		var rows, wanted []string
		for _, m := range listRow.FindAllStringSubmatch(card, -1) {
			rows = append(rows, m[1]+" "+m[2])
		}
		sum := int64(0)
		for _, row := range top.Rows {
			wanted, sum = append(wanted, fmt.Sprint(row.Value, " ", row.PageViews)), sum+row.PageViews
		}
		if !slices.Equal(rows, wanted) || len(rows) != 3 || sum != of.PageViews {
			t.Errorf("%s: pages %q, want %q, with %d page views", site, rows, wanted, of.PageViews)
		}
	}
}

func TestServedPagesRefuseAndFind(t *testing.T) {
	h := served(t, clitest.TableURL(t))
	for _, c := range []struct {
		address, says string
		status        int
	}{
		{"/", `href="/sites/shop"`, http.StatusSeeOther}, // The only one.
		{"/?search=SHO", `href="/sites/shop"`, http.StatusOK},
		{"/?search=none", "No site has", http.StatusOK},
		{"/about/metrics", "What each number means", http.StatusOK},
		{"/sites/shop/sessions", "There are none.", http.StatusOK},
		{"/sites/shop/sessions/none", "the session is not known", http.StatusNotFound},
		{"/sites/shop?compare=year&pages=exits", `data-tab="exits" aria-current`, http.StatusOK},
		{"/sites/shop?pages=beauty", "pages \"beauty\": choose pages, entries, exits", http.StatusUnprocessableEntity},
		{"/sites/shop", "<h1><bdi>shop</bdi></h1>", http.StatusOK},
		{"/sites/shop?period=today&by=hour&figure=pageViews&compare=off", "<strong>40</strong>", http.StatusOK},
		{"/sites/shop?from=2020-01-01&to=2020-02-01", "No events in this range.", http.StatusOK},
		{"/sites/shop?period=1970", "No events in this range.", http.StatusOK},
		{"/sites/shop/top/page", "None in this range.", http.StatusOK},
		{"/sites/unknown", "unknown site", http.StatusNotFound},
		{"/sites/unknown/top/page", "The site is not known", http.StatusNotFound},
		{"/nothing", "There is no such page.", http.StatusNotFound},
		{"/share/ffs_id_secret", "need footfall serve --require-token", http.StatusNotFound},
		{"/sites/shop?figure=beauty", "figure \"beauty\": choose uniqueVisitors", http.StatusUnprocessableEntity},
		{"/sites/shop?from=-7d&from=-8d", "from: given more than once", http.StatusUnprocessableEntity},
		{"/sites/shop?frm=<script>", "frm: there is no such parameter", http.StatusUnprocessableEntity},
		{"/sites/shop?period=<script>alert(1)</script>", "not a period", http.StatusUnprocessableEntity},
		{"/sites/shop?by=minute", "by \"minute\": choose hour", http.StatusUnprocessableEntity},
		{"/sites/shop/top/page?sort=bounceRate&minCount=0", "minCount \"0\": write a whole number from 1", http.StatusUnprocessableEntity},
		{"/sites/shop/top/page?minCount=5", "rows are sorted by pageViews", http.StatusUnprocessableEntity},
		{"/sites/shop/top/colour", "choose hostname", http.StatusUnprocessableEntity},
	} {
		r := got(t, h, strings.NewReplacer("<", "%3C", ">", "%3E").Replace(c.address))
		page := r.Body.String()
		if r.Code != c.status || !strings.Contains(html.UnescapeString(page), c.says) ||
			strings.Count(page, "<script") != strings.Count(page, `<script src="/assets/`) ||
			r.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d: %s; want %d and %s", c.address, r.Code, page, c.status, c.says)
		}
		for _, m := range regexp.MustCompile(`(?:href|src)="(/assets/[^"]*)"`).FindAllStringSubmatch(page, -1) {
			if r := got(t, h, m[1]); r.Code != http.StatusOK || !strings.Contains(r.Header().Get("Cache-Control"), "immutable") {
				t.Errorf("%s loads %s: %d", c.address, m[1], r.Code)
			}
		}
	}
	r := got(t, h, "/sites?id="+url.QueryEscape(strangeSite))
	if want := "/sites/" + url.PathEscape(strangeSite); r.Code != http.StatusSeeOther || r.Header().Get("Location") != want {
		t.Errorf("found %d: %s, want %s", r.Code, r.Header().Get("Location"), want)
	}
}

// TestDevServesThePage: the address that footfall dev prints has the page, for as long as it runs.
func TestDevServesThePage(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, lines := io.Pipe()
	code := make(chan int, 1)
	go func() {
		a := &command.App{In: strings.NewReader(""), Out: lines, Err: io.Discard}
		code <- clitest.Execute(ctx, a, []string{"dev", "--data", t.TempDir(), "--plain", "--rate", "0", "--listen", "127.0.0.1:0"})
		lines.Close()
	}()
	address := ""
	said := bufio.NewScanner(out)
	for address == "" && said.Scan() {
		if rest, ok := strings.CutPrefix(said.Text(), "page "); ok {
			address = strings.TrimSpace(rest)
		}
	}
	go io.Copy(io.Discard, out)
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text := body(t, r); r.StatusCode != http.StatusOK || !strings.Contains(text, "There are no sites yet.") {
		t.Errorf("%s: %s: %s", address, r.Status, text)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d, want 0", got)
	}
	if r, err := http.Get(address); err == nil {
		r.Body.Close()
		t.Errorf("the page is still served: %s", r.Status)
	}
}

// Limits that are not named follow from those that are, so that streams leave connections to other requests.
func TestServeLimitsFollowFromConnections(t *testing.T) {
	for _, c := range []struct {
		args          []string
		streams, each int
	}{{nil, 128, 32}, {[]string{"--max-connections", "2"}, 1, 1}, {[]string{"--max-connections", "100"}, 50, 12},
		{[]string{"--max-streams", "8"}, 8, 2}, {[]string{"--max-streams", "8", "--max-streams-per-credential", "8"}, 8, 8}} {
		var l serveLimits
		cmd := &cobra.Command{}
		l.addFlags(cmd)
		if err := errors.Join(cmd.ParseFlags(c.args), l.check()); err != nil {
			t.Fatal(err)
		}
		if got := l.answers(); got.Streams != c.streams || got.StreamsEach != c.each {
			t.Errorf("%v: %d streams and %d each, want %d and %d", c.args, got.Streams, got.StreamsEach, c.streams, c.each)
		}
		if c.args == nil && l.answers() != reads.DefaultLimits {
			t.Errorf("the default limits are %+v, and those of the package %+v", l.answers(), reads.DefaultLimits)
		}
	}
}
