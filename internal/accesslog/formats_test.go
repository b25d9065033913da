package accesslog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// now is when all logs of the tests end.
var now = time.Date(2024, 2, 7, 0, 0, 0, 0, time.UTC)

func newReader(t testing.TB, c Config) *Reader {
	t.Helper()
	c.Now = now
	r, err := NewReader(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// spelled is a line as text: time host address method target protocol status bytes referrer userAgent.
func spelled(l *Line) string {
	return fmt.Sprintf("%s %q %s %s %s %s %d %d %q %q", l.Time.Format("2006-01-02T15:04:05.999Z"), l.Host, l.Address, l.Method, l.Target,
		l.Protocol, l.Status, l.Bytes, l.Referrer, l.UserAgent)
}

// readText reads lines, as a file of them is read.
func readText(r *Reader, text string) (lines, faults []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, "#") {
			r = r.Under([]byte(line))
			continue
		}
		var l Line
		switch err := r.Read([]byte(line), &l); {
		case err == nil:
			lines = append(lines, spelled(&l))
		case !errors.Is(err, ErrSkip):
			faults = append(faults, err.Error())
		}
	}
	return lines, faults
}

// documented are the lines that the sources in testdata/README.md show, and what each says.
var documented = []struct {
	file, format string
	want         []string
}{
	{"ingress-nginx", "combined", []string{`2024-02-06T12:14:14Z "" 192.168.64.1 GET / HTTP/1.1 200 615 "" "curl/8.4.0"`,
		`2024-02-06T12:14:15Z "" 192.168.64.1 GET /style.css HTTP/2.0 304 0 "https://www.example.com/" "curl/8.4.0"`}},
	{"haproxy", "haproxy", []string{`2009-02-06T12:14:14.655Z "" 10.0.1.2 GET /index.html HTTP/1.1 200 2750 "" ""`,
		`2009-02-06T12:14:15.655Z "www.example.com" 2001:db8::7 GET https://www.example.com/a HTTP/2.0 200 2750 "" ""`,
		`2009-02-06T12:14:16.655Z "" 10.0.1.3    400 187 "" ""`}},
	{"squid", "squid", []string{`2010-10-08T11:11:48.779Z "www.example.com" 192.168.0.224 GET http://www.example.com/  200 411 "" ""`,
		`2010-10-08T11:11:48.91Z "www.example.com" 192.168.0.227 GET http://www.example.com/slow  0 0 "" ""`,
		`2010-10-08T11:11:49.586Z "" 192.168.0.68 CONNECT www.example.com:443  200 507 "" ""`}},
	{"lighttpd", "lighttpd", []string{`2024-02-06T12:14:14Z "www.example.com" 192.0.2.1 GET / HTTP/1.1 200 4348 "" "Mozilla/5.0"`,
		`2024-02-06T12:14:15Z "www.example.com" 192.0.2.1 GET /a HTTP/1.1 200 4348 "http://www.example.com/" "Mozilla/5.0"`}},
	{"varnish", "varnish", []string{
		`2024-02-06T12:14:14Z "www.example.com" 192.0.2.1 GET http://www.example.com/ HTTP/1.1 200 4348 "" "Mozilla/5.0"`,
		`2024-02-06T12:14:15Z "www.example.com" 192.0.2.1 GET http://www.example.com/a HTTP/1.1 200 4348 "http://www.example.com/" "Mozilla/5.0"`}},
	{"envoy", "envoy", []string{`2016-04-15T20:17:00.31Z "locations" 10.0.35.28 POST /api/v1/locations HTTP/2 204 0 "" "nsq2http"`,
		`2016-04-15T20:17:01.31Z "www.example.com" 10.0.35.28 GET /page HTTP/1.1 200 1154 "" "Mozilla/5.0"`}},
	{"istio", "istio", []string{`2020-11-25T21:26:18.409Z "httpbin:8000" 192.0.2.4 GET /status/418 HTTP/1.1 418 135 "" "curl/7.73.0-DEV"`,
		`2020-11-25T21:26:19.409Z "httpbin:8000" 192.0.2.4 GET /page HTTP/1.1 200 135 "" "curl/7.73.0-DEV"`}},
	{"envoy-json", "envoy-json", []string{
		`2020-11-25T21:26:18.409Z "httpbin:8000" 10.44.1.23 GET /status/418?x=1 HTTP/1.1 418 135 "" "curl/7.73.0-DEV"`,
		`2020-11-25T21:26:19.409Z "httpbin:8000" 192.0.2.4 GET /page HTTP/1.1 200 135 "" "curl/7.73.0-DEV"`,
		`2020-11-25T21:26:20.409Z "grafana.test:8443" 192.0.2.4 GET /a HTTP/2 200 7347 "" "Mozilla/5.0"`}},
	{"traefik", "combined", []string{`2024-02-06T12:14:14Z "" 192.0.2.1 GET / HTTP/2.0 200 1024 "" "Mozilla/5.0"`,
		`2024-02-06T12:14:15Z "" 192.0.2.1 GET /none HTTP/2.0 404 19 "" ""`}},
	{"traefik-json", "traefik-json", []string{
		`2024-02-06T12:14:14.5Z "www.example.com" 192.0.2.1 GET /a?b=c HTTP/2.0 200 1024 "https://t.co/x" "Mozilla/5.0"`}},
	{"alb", "alb", []string{
		`2018-07-02T22:23:00.186Z "www.example.com:80" 192.168.131.39 GET http://www.example.com:80/ HTTP/1.1 200 366 "" "curl/7.46.0"`,
		`2018-07-02T22:23:00.186Z "10.0.0.30:443" 10.0.0.140 GET https://10.0.0.30:443/ HTTP/1.1 101 786 "" ""`,
		`2018-07-02T22:23:00.186Z "www.example.com:80" 192.168.131.39 GET http://www.example.com:80/ HTTP/1.1 502 366 "" "curl/7.46.0"`}},
	{"elb", "elb", []string{
		`2015-05-13T23:39:43.945Z "www.example.com:80" 192.168.131.39 GET http://www.example.com:80/ HTTP/1.1 200 29 "" "curl/7.38.0"`,
		`2015-05-13T23:39:43.945Z "www.example.com:443" 192.168.131.39 GET https://www.example.com:443/ HTTP/1.1 200 57 "" "curl/7.38.0"`,
		`2015-05-13T23:39:43.945Z "" 192.168.131.39    0 305 "" ""`}},
	{"s3", "s3", []string{
		`2019-02-06T00:00:38Z "amzn-s3-demo-bucket1" 192.0.2.3 GET /amzn-s3-demo-bucket1?versioning HTTP/1.1 200 113 "" "S3Console/0.4"`,
		`2019-02-06T00:01:57Z "amzn-s3-demo-bucket1" 192.0.2.3 GET /s3-dg.html HTTP/1.1 404 297 "http://t.co/x" "Mozilla/5.0"`}},
	{"iis", "w3c", []string{`2001-05-02T17:42:15Z "" 172.16.255.255 GET /default.htm HTTP/1.0 200 0 "" ""`,
		`2002-05-24T20:18:01Z "" 172.224.24.114 GET /Default.htm  200 0 "" "Mozilla/4.0 (compatible; MSIE 5.01; Windows 2000 Server)"`}},
	{"cloudfront", "w3c", []string{`2019-12-04T21:02:31Z "d111111abcdef8.cloudfront.net" 192.0.2.100 GET /index.html HTTP/2.0 200 392 "" ` +
		`"Mozilla/5.0 (Windows NT 10.0; Win64; x64)"`}},
	{"cloudfront-realtime", "cloudfront-realtime", []string{
		`2024-02-06T12:14:14.123Z "d111.cloudfront.net" 192.0.2.100 GET /index.html?a=b HTTP/2.0 200 392 "" "Mozilla/5.0 (X11)"`,
		`2024-02-06T12:14:15.123Z "n.example" 192.0.2.100 GET /b HTTP/2.0 200 392 "" "Mozilla/5.0 (X11)"`}},
	{"cloudfront-json", "cloudfront-json", []string{
		`2024-11-14T22:34:06.314Z "www.example.com" 192.0.2.100 GET /pricing?utm_source=news HTTP/2.0 200 360 "" "Mozilla/5.0 (X11)"`}},
	{"apigateway", "apigateway", []string{`2019-04-09T18:44:31Z "" 192.0.2.5 GET /pets HTTP/1.1 200 1024 "" ""`}},
	{"cloudflare", "cloudflare", []string{`2024-02-06T12:14:14Z "www.example.com" 192.0.2.6 GET /a?b=c HTTP/2 200 1024 "" "Mozilla/5.0"`,
		`2024-02-06T12:14:16Z "www.example.com" 192.0.2.6 GET /b  200 1024 "" ""`}},
	{"fastly", "fastly", []string{`2024-02-06T12:14:14Z "www.example.com" 192.0.2.7 GET /a?b=c HTTP/2 200 1024 "" "Mozilla/5.0"`}},
	{"vercel", "vercel", []string{
		`2019-11-15T11:27:30.172Z "www.example.com" 192.0.2.8 GET /dynamic/value?route=x  200 0 "https://t.co/x" "Mozilla/5.0"`}},
}

// Each line that documentation shows is read as it means, and its format is detected.
func TestDocumentedLines(t *testing.T) {
	for _, c := range documented {
		t.Run(c.file, func(t *testing.T) {
			text := sample(t, c.file)
			if name, _, nearest := Detect(strings.Split(strings.TrimSpace(text), "\n"), Config{}); name != c.format {
				t.Errorf("detected %q, nearest %v, want %s", name, nearest, c.format)
			}
			lines, faults := readText(newReader(t, Config{Format: c.format}), text)
			if len(faults) > 0 {
				t.Errorf("refused: %q", faults)
			}
			for i, want := range c.want {
				if i >= len(lines) || lines[i] != want {
					t.Errorf("line %d is\n%s\nwant\n%s", i, at(lines, i), want)
				}
			}
			if len(lines) != len(c.want) {
				t.Errorf("%d lines, want %d", len(lines), len(c.want))
			}
		})
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "missing"
}

func sample(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each format has a sample, but for those that the tests of package produce have.
func TestEachFormatIsDocumented(t *testing.T) {
	has := map[string]bool{"combined": true, "common": true, "vhost_combined": true, "vhost_common": true, "caddy": true, "nginx": true}
	for _, c := range documented {
		has[c.format] = true
	}
	for _, name := range Names {
		if !has[name] {
			t.Errorf("no sample of %s", name)
		}
	}
}
