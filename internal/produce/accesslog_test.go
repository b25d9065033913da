package produce_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/pipeline/event"
)

func newCombined(t *testing.T, c produce.AccessLogConfig) *produce.AccessLog {
	t.Helper()
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
