package accesslog

import (
	"strings"
	"testing"
	"time"
)

// Layouts in the words of nginx, Apache and GoAccess read lines, and say what is wrong with a line and with a layout.
func TestLayouts(t *testing.T) {
	const read = `2024-02-06T12:14:14Z "www.example.com" 192.0.2.1 GET /a?b=c HTTP/1.1 200 157 "https://t.co/x" "Mozilla/5.0"`
	for _, c := range []struct{ name, layout, line, want string }{
		{"nginx", `[$time_iso8601] - $host - $remote_addr - $status - $remote_user - $request - $body_bytes_sent - $request_time - "$http_referer" - "$http_user_agent"`,
			`[2024-02-06T13:14:14+01:00] - www.example.com - 192.0.2.1 - 200 - - - GET /a?b=c HTTP/1.1 - 157 - 0.003 - "https://t.co/x" - "Mozilla/5.0"`, read},
		{"nginx, by its parts", `$remote_addr|$msec|$request_method|$scheme://$host$request_uri|$server_protocol|$status|$bytes_sent|$http_referer|${http_user_agent}`,
			`192.0.2.1|1707221654.000|GET|https://www.example.com/a?b=c|HTTP/1.1|200|157|https://t.co/x|Mozilla/5.0`, read},
		{"nginx, with tabs", `$remote_addr\t$time_local\t$host\t$request\t$status\t$bytes_sent\t$http_referer\t$http_user_agent`,
			"192.0.2.1\t06/Feb/2024:12:14:14 +0000\twww.example.com\tGET /a?b=c HTTP/1.1\t200\t157\thttps://t.co/x\tMozilla/5.0", read},
		{"nginx, behind a proxy", `$http_x_forwarded_for - [$time_local] "$host" "$request" $status $bytes_sent "$http_referer" "$http_user_agent"`,
			`192.0.2.1, 10.0.0.1 - [06/Feb/2024:12:14:14 +0000] "www.example.com" "GET /a?b=c HTTP/1.1" 200 157 "https://t.co/x" "Mozilla/5.0"`, read},
		{"Apache", `%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"`,
			`www.example.com:443 192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a?b=c HTTP/1.1" 200 157 "https://t.co/x" "Mozilla/5.0"`, read},
		{"Apache, by its parts", `%{%Y-%m-%d %H:%M:%S}t %a %V "%m" "%U" "%q" %H %s %b "%{referer}i" "%400,501{user-agent}i" %{ms}T %D`,
			`2024-02-06 12:14:14 192.0.2.1 www.example.com "GET" "/a" "?b=c" HTTP/1.1 200 157 "https://t.co/x" "Mozilla/5.0" 3 3000`, read},
		{"a directive of nginx", "log_format  main  '$host $remote_addr - $remote_user [$time_local] \"$request\" '\n" +
			"                  '$status $body_bytes_sent \"$http_referer\" '\n\t\"\\\"$http_user_agent\\\"\";\nlog_format other '$msec';",
			`www.example.com 192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a?b=c HTTP/1.1" 200 157 "https://t.co/x" "Mozilla/5.0"`, read},
		{"a directive of nginx, with JSON", `log_format json escape=json '{"t":"$time_iso8601","h":"$host","a":"$remote_addr","r":"$request",' ` +
			`'"s":$status,"b":$bytes_sent,"f":"$http_referer","u":"$http_user_agent"}';`,
			`{"t":"2024-02-06T12:14:14+00:00","h":"www.example.com","a":"192.0.2.1","r":"GET /a?b=c HTTP/1.1","s":200,"b":157,` +
				`"f":"https://t.co/x","u":"Mozilla/5.0"}`, read},
		{"a directive of Apache", `LogFormat "%v %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" combined`,
			`www.example.com 192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a?b=c HTTP/1.1" 200 157 "https://t.co/x" "Mozilla/5.0"`, read},
		{"GoAccess", `%v %h %^[%d:%t %^] "%r" %s %b "%R" "%u"`,
			`www.example.com 192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a?b=c HTTP/1.1" 200 157 "https://t.co/x" "Mozilla/5.0"`, read},
		{"GoAccess, with spaces", `%x %~%h %^ %v %m %U%^%H %s %b %R %u`,
			`1707221654.000    192.0.2.1 x www.example.com GET /a?b=c HTTP/1.1 200 157 https://t.co/x Mozilla/5.0`, "nothing between them"},
		{"a #Fields line",
			"#Fields: date time c-ip cs-host cs-method cs-uri-stem cs-uri-query cs-version sc-status sc-bytes cs(Referer) cs(User-Agent)",
			`2024-02-06 12:14:14 192.0.2.1 www.example.com GET /a b=c HTTP/1.1 200 157 https://t.co/x Mozilla/5.0`, read},
		{"no status", `$remote_addr [$time_local] "$request"`, `192.0.2.1 [06/Feb/2024:12:14:14 +0000] "GET / HTTP/1.1"`,
			`2024-02-06T12:14:14Z "" 192.0.2.1 GET / HTTP/1.1 200 0 "" ""`},
		{"no method", `$remote_addr [$time_local] $uri $status`, `192.0.2.1 [06/Feb/2024:12:14:14 +0000] /a 200`,
			`2024-02-06T12:14:14Z "" 192.0.2.1 GET /a`},
		{"no method among columns", "#Fields: date time cs-uri-stem c-ip sc-status", `2024-02-06 12:14:14 /a 192.0.2.1 200`,
			`2024-02-06T12:14:14Z "" 192.0.2.1 GET /a`},
		{"a mistyped word", `$remote_addr [$time_local] "$request" $statsu`, "", "$statsu is not read: did you mean $status?"},
		{"words of a module", `$remote_addr [$time_local] "$request" $status $request_id $request_time $arg_id $upstream_status`,
			`192.0.2.1 [06/Feb/2024:12:14:14 +0000] "GET / HTTP/1.1" 200 a 0.1 b 200`, `2024-02-06T12:14:14Z "" 192.0.2.1 GET /`},
		{"another line", `$remote_addr [$time_local] "$request" $status`, `192.0.2.1 [06/Feb/2024:12:14:14 +0000] GET / HTTP/1.1 200`,
			"column 40: request: no opening quote"},
		{"another time", `$remote_addr [$time_local] "$request" $status`, `192.0.2.1 [6 février 2024] "GET / HTTP/1.1" 200`,
			`column 12: time: "6 février 2024" is not a log's`},
		{"another status", `$remote_addr [$time_local] "$request" $status`, `192.0.2.1 [06/Feb/2024:12:14:14 +0000] "GET / HTTP/1.1" OK`,
			`column 57: status: "OK" is not a whole number`},
		{"too few words", `%h [%x] "%r" %s`, `192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET / HTTP/1.1" 200`,
			`column 1: address: "192.0.2.1 - -" has a space in it`},
		{"no address", `[$time_local] "$request"`, "", "no word is the visitor's address"},
		{"no request", `$remote_addr [$time_local]`, "", "no word is the request"},
		{"words that touch", `$remote_addr$time_local "$request"`, "", "$remote_addr and $time_local have nothing between them"},
		{"an open brace", `${remote_addr "$request"`, "", "has no closing brace"},
		{"an unknown word", `%h [%x] "%r" %Z`, "", "%Z is no specifier of GoAccess"},
		{"an unknown time", `%h %{%Q}t "%r"`, "", `"%Q" is no directive`},
		{"nothing after a mark", `%h "%r" %`, "", "without a letter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := NewReader(Config{Layout: c.layout})
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			lines, faults := readText(r, c.line)
			if got := strings.Join(append(lines, faults...), "\n"); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Times are read by their shape. Those without a zone are of the zone that is set, those without a year of the last year in which they are
// not in the future.
func TestTimesAreReadByTheirShape(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	c := &calendar{zone: berlin, now: time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)}
	for _, x := range []struct{ text, want string }{
		{"17/May/2015:10:05:03 +0200", "2015-05-17T08:05:03Z"},
		{"[17/May/2015:10:05:03 -0530]", "2015-05-17T15:35:03Z"},
		{"06/Feb/2009:12:14:14.655", "2009-02-06T11:14:14.655Z"},
		{"2024-07-01T12:00:00,250+02:00", "2024-07-01T10:00:00.25Z"},
		{"2024-07-01 12:00:00", "2024-07-01T10:00:00Z"},
		{"2024/07/01 12:00:00Z", "2024-07-01T12:00:00Z"},
		{"Jan  1 12:00:00", "2024-01-01T11:00:00Z"},
		{"Jan 2 12:00:00", "2024-01-02T11:00:00Z"},
		{"Feb  6 12:00:00", "2023-02-06T11:00:00Z"},
		{"Feb 29 12:00:00", "2020-02-29T11:00:00Z"},
		{"Feb  6 2020 12:00:00", "2020-02-06T11:00:00Z"},
		{"1707221654", "2024-02-06T12:14:14Z"},
		{"1707221654.123", "2024-02-06T12:14:14.123Z"},
		{"1707221654123", "2024-02-06T12:14:14.123Z"},
		{"1707221654123456", "2024-02-06T12:14:14.123456Z"},
		{"1707221654123456789", "2024-02-06T12:14:14.123457Z"},
		{"31/Dec/2016:23:59:60 +0000", "2016-12-31T23:59:59Z"},
		{"30/Feb/2015:10:05:03 +0000", ""},
		{"17/Mai/2015:10:05:03 +0000", ""},
		{"17/05/15:10:05:03 +0000", ""},
		{"2024-07-01T25:00:00Z", ""},
		{"2024-07-01", ""},
		{"17/", ""}, {"12", ""}, {"", ""}, {"-", ""}, {"1e300", ""},
	} {
		got, reason := c.read([]byte(x.text), "")
		if x.want == "" && reason == "" || x.want != "" && (reason != "" || got.Format(time.RFC3339Nano) != x.want) {
			t.Errorf("%q is %s %s, want %q", x.text, got.Format(time.RFC3339Nano), reason, x.want)
		}
	}
}

// Times of one hour are read by the one before, which must not show.
func TestTimesAreReadTheSameAfterAnyOther(t *testing.T) {
	texts := []string{"17/May/2015:10:05:03 +0000", "17/May/2015:10:59:59 +0000", "17/May/2015:10:60:00 +0000", "17/May/2015:10:05:60 +0000",
		"17/May/2015:10:5x:03 +0000", "17/May/2015:10:05-03 +0000", "17/May/2015:10:05:03 +0200", "17/May/2015:11:05:03 +0000",
		"18/May/2015:10:05:03 +0000", "[17/May/2015:10:07:03 +0000]", "17/May/2015:10:05:03", "2015-05-17T10:05:03Z", "2015-05-17T10:06:04Z",
		"2015-05-17T10:06:04.25Z", "2015-05-17T10:07:05.25Z", "2015-05-17T10:07:05.75Z", "2015-05-17 10:07:05", "May 17 10:05:03",
		"May 17 10:06:03 +0000", "May  7 10:06:03 +0000", "May 17 2015 10:05:03 +0000", "May 17 2015 10:06:59 +0000", "1431857103", ""}
	now := time.Date(2016, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, before := range texts {
		for _, text := range texts {
			c := &calendar{zone: time.UTC, now: now}
			c.read([]byte(before), "")
			got, reason := c.read([]byte(text), "")
			want, without := (&calendar{zone: time.UTC, now: now}).read([]byte(text), "")
			if !got.Equal(want) || reason != without {
				t.Errorf("%q after %q: %v %s, want %v %s", text, before, got, reason, want, without)
			}
		}
	}
}
