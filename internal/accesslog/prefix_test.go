package accesslog

import (
	"strconv"
	"strings"
	"testing"
)

// What collectors of logs write before a line is taken off it, by whatever wrote it.
func TestPrefixesAreTakenOff(t *testing.T) {
	const line = `192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0"`
	const want = `2024-02-06T12:14:14Z "" 192.0.2.1 GET /a HTTP/1.1 200 5 "" "Mozilla/5.0"`
	for name, text := range map[string]string{
		"none":                     line,
		"RFC 3164":                 "Feb  6 12:14:14 web1 nginx: " + line,
		"RFC 3164, two digits":     "Feb 16 12:14:14 web1 nginx[312]: " + line,
		"RFC 3164 with a priority": "<190>Feb  6 12:14:14 web1 nginx: " + line,
		"RFC 3164 without a host":  "<190>Feb  6 12:14:14 nginx: " + line,
		"RFC 3164 without a tag":   "Feb  6 12:14:14 web1 " + line,
		"RFC 5424":                 "<190>1 2024-02-06T12:14:14.003Z web1 nginx 312 - - " + line,
		"RFC 5424 with data":       `<190>1 2024-02-06T12:14:14.003Z web1 nginx 312 ID47 [a@32473 b="c"][d e="f"] ` + line,
		"syslog with ISO times":    "2024-02-06T12:14:14.123456+00:00 web1 nginx: " + line,
		"journalctl short-iso":     "2024-02-06T12:14:14+0000 web1 nginx[312]: " + line,
		"Kubernetes":               "2024-02-06T12:14:14.123456789Z stdout F " + line,
		"Docker":                   `{"log":` + strconv.Quote(line+"\n") + `,"stream":"stdout","time":"2024-02-06T12:14:14.123456789Z"}`,
		"journalctl json":          `{"__REALTIME_TIMESTAMP":"1707221654000000","MESSAGE":` + strconv.Quote(line) + `,"_HOSTNAME":"web1"}`,
		"journalctl export": "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1707221654000000\n_HOSTNAME=web1\nMESSAGE=" + line +
			"\n_PID=312",
		"NULs before it":    "\x00\x00\x00" + line,
		"a byte order mark": "\xef\xbb\xbf" + line,
	} {
		t.Run(name, func(t *testing.T) {
			lines, faults := readText(newReader(t, Config{}), text)
			if len(faults) > 0 || len(lines) != 1 || lines[0] != want {
				t.Errorf("%q, refused %q, want\n%s", lines, faults, want)
			}
			if format, _, _ := Detect(strings.Split(text, "\n"), Config{}); format != "combined" {
				t.Errorf("detected %q", format)
			}
		})
	}
}

// A layout without a time takes that of the prefix, whose year is that of the log's end.
func TestThePrefixHasTheTime(t *testing.T) {
	const layout = `%h "%r" %s`
	for text, want := range map[string]string{
		`Feb  6 12:14:14 web1 app: 192.0.2.1 "GET / HTTP/1.1" 200`:                   "2024-02-06T12:14:14Z",
		`Dec 31 12:14:14 web1 app: 192.0.2.1 "GET / HTTP/1.1" 200`:                   "2023-12-31T12:14:14Z",
		`2024-02-06T12:14:14.5Z stdout F 192.0.2.1 "GET / HTTP/1.1" 200`:             "2024-02-06T12:14:14.5Z",
		`{"log":"192.0.2.1 \"GET / HTTP/1.1\" 200\n","time":"2024-02-06T12:14:14Z"}`: "2024-02-06T12:14:14Z",
		`192.0.2.1 "GET / HTTP/1.1" 200`:                                             "",
	} {
		lines, faults := readText(newReader(t, Config{Layout: layout}), text)
		switch {
		case want == "" && (len(faults) != 1 || !strings.Contains(faults[0], "time: missing")):
			t.Errorf("%s: %q, refused %q, want it refused for its time", text, lines, faults)
		case want != "" && (len(lines) != 1 || !strings.HasPrefix(lines[0], want+" ")):
			t.Errorf("%s: %q, refused %q, want %s", text, lines, faults, want)
		}
	}
}
