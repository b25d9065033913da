package produce_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/pipeline/event"
)

// newCombined makes a format that makes events of all lines.
func newCombined(t *testing.T, c produce.AccessLogConfig) *produce.AccessLog {
	t.Helper()
	c.CountAssets = true
	f, err := produce.NewAccessLog(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// properties are those of an access log's event.
type properties struct {
	Status, Bytes    int
	Method, Protocol string
}

// TestAccessLog reads a real log of 10,000 lines, has the pipeline decode each event, and compares with counts by an
// independent script.
func TestAccessLog(t *testing.T) {
	for name, salt := range map[string]produce.Salt{"daily salt": produce.DailySalt, "fixed salt": produce.FixedSalt} {
		t.Run(name, func(t *testing.T) { testAccessLog(t, salt) })
	}
}

func testAccessLog(t *testing.T, salt produce.Salt) {
	var expected struct {
		Own struct {
			Parsed      int
			Visitors    int            `json:"distinct_ip_ua_pairs"`
			Sessions    int            `json:"sessions_ip_ua_30min_event_time_order"`
			Days        map[string]int `json:"events_per_utc_day"`
			DayVisitors map[string]int `json:"distinct_ip_ua_per_utc_day"`
			Status      map[string]int
			Paths       int      `json:"distinct_paths_no_query"`
			Top         [][2]any `json:"top10_paths"`
		} `json:"own_script"`
	}
	in := realData(t, "access-log/apache_logs.gz", &expected)
	records, refused := readAll(t, in, newCombined(t, produce.AccessLogConfig{Set: []string{"siteId=www.semicomplete.com"}, Salt: salt}))
	want := expected.Own
	if len(records) != want.Parsed {
		t.Fatalf("%d records, want %d", len(records), want.Parsed)
	}
	if len(refused) != 1 || refused[0] != (produce.Refusal{Place: produce.Place{Line: 8899}, Reason: "user agent: no closing quote"}) {
		t.Errorf("refused %v, want line 8899 for its user agent", refused)
	}
	days, dayVisitors, status, paths := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	visitors, sessions, kinds := map[string]bool{}, map[string]bool{}, map[string]int{}
	d := event.NewDecoder()
	for _, r := range records {
		e := decode(t, d, r)
		day := r.Time.Format("2006-01-02")
		days[day]++
		if pair := day + string(e.VisitorID); !visitors[pair] {
			visitors[pair] = true
			dayVisitors[day]++
		}
		visitors[string(e.VisitorID)] = true
		sessions[string(e.SessionID)] = true
		kinds[string(e.Type)]++
		paths[string(e.Page())]++
		var p properties
		if err := json.Unmarshal(e.Properties, &p); err != nil {
			t.Fatal(err)
		}
		status[fmt.Sprint(p.Status)]++
		if e.ID != nil {
			t.Fatalf("an event of a log has the id %q", e.ID)
		}
	}
	equalCounts(t, "events by day", days, want.Days)
	equalCounts(t, "visitors by day", dayVisitors, want.DayVisitors)
	equalCounts(t, "status", status, want.Status)
	all := want.Visitors
	if salt == produce.DailySalt {
		all = sum(want.DayVisitors) // 365 + 660 + 586 + 532 visitor-days
	}
	if n := len(visitors) - sum(dayVisitors); n != all {
		t.Errorf("%d visitors, want %d", n, all)
	}
	if len(sessions) != want.Sessions {
		t.Errorf("%d sessions, want %d", len(sessions), want.Sessions)
	}
	for _, top := range want.Top {
		if got, want := paths[top[0].(string)], int(top[1].(float64)); got != want {
			t.Errorf("%d of %s, want %d", got, top[0], want)
		}
	}
	if len(paths) != want.Paths {
		t.Errorf("%d paths, want %d", len(paths), want.Paths)
	}
	// Counted by a script of a few lines in another language, with the same lists of extensions.
	equalCounts(t, "type", kinds, map[string]int{"page_view": 3891, "download": 116, "asset": 5992})
}

func sum(m map[string]int) (n int) {
	for _, x := range m {
		n += x
	}
	return n
}

func TestCombinedMakesEvents(t *testing.T) {
	const head, tail = `203.0.113.9 - - [17/May/2015:10:05:03 +0200] `, ` "-" "-"`
	const set = "siteId=h"
	tests := []struct {
		name, line, want string // want: all but siteId, time and ids; or
		not              string
	}{
		{name: "a page", line: head + `"GET /a?b=c HTTP/1.1" 200 12 "http://r/" "UA"`,
			want: `"type":"page_view",… "url":"/a?b=c","referrer":"http://r/","userAgent":"UA","properties":{"status":200,"bytes":12,"method":"GET","protocol":"HTTP/1.1"}}`},
		{name: "no bytes, referrer or agent", line: head + `"GET / HTTP/1.1" 304 -` + tail,
			want: `"type":"page_view",… "url":"/","properties":{"status":304,"bytes":0,"method":"GET","protocol":"HTTP/1.1"}}`},
		{name: "quotes as Apache writes them", line: head + `"GET /\"\\x HTTP/1.1" 200 1 "-" "a\tb \"c\" \xc3\xbc"`,
			want: `"type":"page_view",… "url":"/\"\\x","userAgent":"a\tb \"c\" ü","properties":{"status":200,"bytes":1,"method":"GET","protocol":"HTTP/1.1"}}`},
		{name: "bytes that are not UTF-8", line: head + `"GET /caf\xE9 HTTP/1.1" 200 1 "http://r/` + "\xff" + `" "\xFF\x4"`,
			want: `"type":"page_view",… "url":"/caf%E9","referrer":"http://r/%FF","userAgent":"\\xFF\\x4","properties":{"status":200,"bytes":1,"method":"GET","protocol":"HTTP/1.1"}}`},
		{name: "a target with spaces", line: head + `"GET /a b.pdf HTTP/1.0" 200 1` + tail,
			want: `"type":"download",… "url":"/a b.pdf","properties":{"status":200,"bytes":1,"method":"GET","protocol":"HTTP/1.0"}}`},
		{name: "a TLS handshake", line: head + `"\x16\x03\x01\x02" 400 226` + tail,
			want: `"type":"asset",… "properties":{"status":400,"bytes":226}}`},
		{name: "no request", line: head + `"-" 408 0` + tail, want: `"type":"asset",… "properties":{"status":408,"bytes":0}}`},
		{name: "fields behind", line: `::1 - John Doe [17/May/2015:10:05:03 +0200] "GET / HTTP/2.0" 200 5 "-" "-" "10.0.0.1" 0.003`,
			want: `"type":"page_view",… "url":"/","properties":{"status":200,"bytes":5,"method":"GET","protocol":"HTTP/2.0"}}`},
		{name: "the common format", line: head + `"GET / HTTP/1.1" 200 5`, not: "referrer: missing: the format may be common"},
		{name: "a cut agent", line: head + `"GET / HTTP/1.1" 200 5 "-" "UA`, not: "user agent: no closing quote"},
		{name: "a cut agent that ends with a backslash", line: head + `"GET / HTTP/1.1" 200 5 "-" "UA\`, not: "user agent: no closing quote"},
		{name: "two lines in one", line: head + `"GET / HTTP/1.1" 200 5 "-" "UA"1.2.3.4 - -`,
			not: "user agent: no space after its closing quote"},
		{name: "a status that is none", line: head + `"GET / HTTP/1.1" OK 5` + tail, not: `status: "OK" is not a whole number`},
		{name: "a status of its own", line: head + `"GET / HTTP/1.1" 7 5` + tail, not: `status: 7 is not HTTP's`},
		{name: "a time that is none", line: `1.2.3.4 - - [32/May/2015:10:05:03 +0200] "GET / HTTP/1.1" 200 5` + tail,
			not: `time: "32/May/2015:10:05:03 +0200" is not a log's`},
		{name: "a request without quotes", line: head + `GET / HTTP/1.1 200 5` + tail, not: "request: no opening quote"},
		{name: "something else", line: "hello", not: `address: not ended by " "`},
		{name: "too large", line: head + `"GET /` + strings.Repeat("x", 70_000) + ` HTTP/1.1" 200 5` + tail, not: "the event has 70"},
	}
	ids := regexp.MustCompile(`"visitorId":"[0-9a-f]{32}","sessionId":"[0-9a-f]{32}-[0-9a-z]+",`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, refused := readAll(t, strings.NewReader(test.line), newCombined(t, produce.AccessLogConfig{Set: []string{set}}))
			if test.not != "" {
				if len(refused) != 1 || !strings.HasPrefix(refused[0].Reason, test.not) {
					t.Fatalf("refused = %v, want %q", refused, test.not)
				}
				return
			}
			if len(records) != 1 {
				t.Fatalf("refused = %v, want a record", refused)
			}
			decode(t, event.NewDecoder(), records[0])
			kind, rest, _ := strings.Cut(test.want, "… ")
			want := `{"siteId":"h",` + kind + `"timestamp":"2015-05-17T08:05:03.000Z",` + rest
			if got := ids.ReplaceAllString(string(records[0].Value), ""); got != want {
				t.Errorf("value = %s\nwant    %s", got, want)
			}
		})
	}
}

func TestPagesAreToldFromAssets(t *testing.T) {
	tests := []struct {
		request string
		status  int
		want    string
	}{
		{"GET /", 200, "page_view"},
		{"GET /blog/post.html?x=a.png", 200, "page_view"},
		{"GET /index.PHP", 200, "page_view"},
		{"GET /projects/xdotool/xdotool.xhtml", 304, "page_view"},
		{"GET /v1.2/", 200, "page_view"},
		{"POST /search", 200, "page_view"},
		{"HEAD /", 200, "asset"},
		{"OPTIONS *", 200, "asset"},
		{"GET /old", 301, "asset"},
		{"GET /none", 404, "asset"},
		{"GET /broken", 500, "asset"},
		{"GET /a/STYLE.CSS?v=2", 200, "asset"},
		{"GET /favicon.ico", 200, "asset"},
		{"GET /robots.txt", 200, "asset"},
		{"GET /notes.txt", 200, "download"},
		{"GET /paper.pdf", 206, "download"},
		{"GET /x.tar.gz", 200, "download"},
		{"GET /x.tar.gz", 404, "asset"},
		{"GET http://h/a.zip", 200, "download"},
	}
	for _, test := range tests {
		line := fmt.Sprintf(`1.2.3.4 - - [17/May/2015:10:05:03 +0000] "%s HTTP/1.1" %d 1 "-" "-"`, test.request, test.status)
		records, refused := readAll(t, strings.NewReader(line), newCombined(t, produce.AccessLogConfig{Set: []string{"siteId=h"}}))
		if len(records) != 1 {
			t.Fatalf("refused = %v", refused)
		}
		if got := records[0].Type; got != test.want {
			t.Errorf("%s with %d is a %s, want %s", test.request, test.status, got, test.want)
		}
	}
}

func TestCombinedFaultsAreAllNamed(t *testing.T) {
	_, err := produce.NewAccessLog(produce.AccessLogConfig{Set: []string{"url=/", "nothing", "value=1", "x=y"}, HashKey: []byte("short")})
	if err == nil {
		t.Fatal("NewAccessLog found nothing wrong")
	}
	for _, want := range []string{"--set url=/: url comes from the log's lines", "--set nothing: write FIELD=TEXT",
		"--set value=1: a request has no value", `--set x=y: events have no field "x"`, "siteId is missing or longer than 128 bytes",
		"hash key: secret of 5 bytes (not shown): it needs at least 16"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	records, _ := readAll(t, strings.NewReader(`1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1 "-" "-"`),
		newCombined(t, produce.AccessLogConfig{Set: []string{"siteId=h", "country=DE"}}))
	if !strings.Contains(string(records[0].Value), `"country":"DE"`) {
		t.Errorf("the country that was set is not in %s", records[0].Value)
	}
}

func FuzzCombined(f *testing.F) {
	f.Add([]byte(`1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET /\x \xE9 HTTP/1.1" 200 1 "\\" "\"" x`))
	f.Add([]byte("1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /\xff HTTP/1.1\" 200 1 \"-\" \"\x00\""))
	d := event.NewDecoder()
	f.Fuzz(func(t *testing.T, line []byte) {
		if strings.ContainsRune(string(line), '\n') {
			return // Two lines.
		}
		c, err := produce.NewAccessLog(produce.AccessLogConfig{Set: []string{"siteId=h"}})
		if err != nil {
			t.Fatal(err)
		}
		records, _ := readAll(t, strings.NewReader(string(line)), c)
		for _, r := range records {
			decode(t, d, r)
		}
	})
}

// Lines that are no page view and no download become no events, have no part in sessions, and are counted by the first reason that applies;
// with CountAssets they all become events. Lines whose request cannot be read are not refused for the host that they lack.
func TestLinesWithoutAPageAreLeftOut(t *testing.T) {
	var text strings.Builder
	for _, line := range []string{`"GET /style.css HTTP/1.1" 200`, `"GET /feed.xml HTTP/1.1" 200`, `"\x16\x03" 400`, `"" 400`,
		`"GET /none HTTP/1.1" 404`, `"GET /broken.css HTTP/1.1" 500`, `"GET /old HTTP/1.1" 301`, `"HEAD / HTTP/1.1" 200`,
		`"GET /healthz HTTP/1.1" 200`, `"GET / HTTP/1.1" 200`, `"GET /a.pdf HTTP/1.1" 206`} {
		fmt.Fprintf(&text, "192.0.2.1 - - [17/May/2015:10:05:03 +0000] %s 5 \"-\" \"-\"\n", line)
	}
	for _, all := range []bool{false, true} {
		format, err := produce.NewAccessLog(produce.AccessLogConfig{Set: []string{"siteId=s"}, CountAssets: all})
		if err != nil {
			t.Fatal(err)
		}
		f, err := produce.NewFile(strings.NewReader(text.String()), format)
		if err != nil {
			t.Fatal(err)
		}
		records, refused := rest(t, f)
		left, want, n := f.LeftOut(), "2 without a request, 2 assets, 2 errors, 1 redirect, 1 health check, 1 with another method", 2
		if all {
			want, n = "", 11
		}
		if len(records) != n || len(refused) != 0 || left.String() != want {
			t.Errorf("count assets %t: %d records, refused %v, left out %v; want %d and %q", all, len(records), refused, &left, n, want)
		}
	}
}

// The site of a line is its host, or the one that is set, or else the one for lines without a host.
func TestSitesOfLines(t *testing.T) {
	const line = `{"ts":1646861401.5,"request":{"client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"%s","uri":"/"},"size":1,"status":200}`
	for _, c := range []struct{ host, set, usual, want string }{
		{"WWW.example.com.:8443", "", "", "www.example.com"},
		{"www.example.com", "", "site", "www.example.com"},
		{"www.example.com", "siteId=s", "site", "s"},
		{"", "", "site", "site"},
		{"", "", "", "refused"},
	} {
		config := produce.AccessLogConfig{Lines: accesslog.Config{Format: "caddy"}, Site: c.usual}
		if c.set != "" {
			config.Set = []string{c.set}
		}
		format, err := produce.NewAccessLog(config)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := readAll(t, strings.NewReader(fmt.Sprintf(line, c.host)), format)
		got := "refused"
		if len(records) == 1 {
			got = records[0].SiteID
		}
		if got != c.want {
			t.Errorf("%+v: site %s", c, got)
		}
	}
}

// A log whose times have no year is of the year in which its file was written, and columns change with its headers, also where lines are
// sorted.
func TestFilesSayWhatTheirLinesDoNot(t *testing.T) {
	for _, sorted := range []bool{false, true} {
		syslog, err := produce.NewAccessLog(produce.AccessLogConfig{Set: []string{"siteId=s"}, Lines: accesslog.Config{Layout: `%h "%r" %s`}})
		if err != nil {
			t.Fatal(err)
		}
		w3c, err := produce.NewAccessLog(produce.AccessLogConfig{Set: []string{"siteId=s"}, Lines: accesslog.Config{Format: "w3c"}})
		if err != nil {
			t.Fatal(err)
		}
		one := text("a", "Dec 31 12:14:14 web1 app: 192.0.2.1 \"GET /a HTTP/1.1\" 200\n"+
			"Jan  1 12:14:14 web1 app: 192.0.2.1 \"GET /b HTTP/1.1\" 200\n")
		one.Format, one.ModTime = syslog, time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)
		two := text("b", "#Fields: date time c-ip cs-method cs-uri-stem\n2020-01-03 00:00:02 192.0.2.1 GET /d\n"+
			"#Fields: cs-uri-stem cs-method c-ip time date\n/c GET 192.0.2.1 00:00:01 2020-01-03\n")
		two.Format = w3c
		inputs := []produce.Input{two, one}
		produce.Order(inputs)
		f := produce.NewFiles(inputs)
		want := "2019-12-31T12:14:14Z 2020-01-01T12:14:14Z 2020-01-03T00:00:02Z 2020-01-03T00:00:01Z"
		if sorted {
			f.Sort(10)
			want = "2019-12-31T12:14:14Z 2020-01-01T12:14:14Z 2020-01-03T00:00:01Z 2020-01-03T00:00:02Z"
		}
		records, refused := rest(t, f)
		var got []string
		for _, r := range records {
			got = append(got, r.Time.Format(time.RFC3339))
		}
		if strings.Join(got, " ") != want || len(refused) > 0 {
			t.Errorf("sorted %t: %v, refused %v, want %s", sorted, got, refused, want)
		}
	}
}

// Lines that only look bad are read: with CR at their ends, after NULs or a byte order mark in mid-file. One of a megabyte is refused.
func TestBadLinesOfAFile(t *testing.T) {
	const line = `192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 5 "-" "-"`
	text := "\xef\xbb\xbf" + line + "\r\n\xef\xbb\xbf" + line + "\r\n\x00\x00\x00" + line + "\n" + strings.Repeat("x", 1<<20) + "\n" + line
	records, refused := readAll(t, strings.NewReader(text), newCombined(t, produce.AccessLogConfig{Set: []string{"siteId=s"}}))
	if len(records) != 4 || len(refused) != 1 || refused[0].Error() != "line 4: longer than 524288 bytes" {
		t.Errorf("%d records, refused %v, want 4, and line 4 for its length", len(records), refused)
	}
}
