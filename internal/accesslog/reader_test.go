package accesslog

import (
	"strings"
	"testing"
)

const (
	combinedLine = `192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0"`
	commonLine   = `192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a HTTP/1.1" 200 5`
	vhostLine    = `www.example.com:443 ` + combinedLine
)

// A file may have lines of several formats, where that is asked for; lines that are cut are not those of another.
func TestFormatsChangeInAFile(t *testing.T) {
	caddy := `{"ts":1707221654.5,"request":{"client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"a","uri":"/"},"size":1,"status":200}`
	text := strings.Join([]string{combinedLine, caddy, combinedLine, vhostLine, sample(t, "iis"), combinedLine[:len(combinedLine)-18],
		combinedLine}, "\n")
	lines, faults := readText(newReader(t, Config{Switch: true}), text)
	if len(lines) != 7 || len(faults) != 1 {
		t.Errorf("%d lines, refused %q, want 7, and the line that was cut", len(lines), faults)
	}
	if lines, faults := readText(newReader(t, Config{}), text); len(lines) != 3 || len(faults) != 5 {
		t.Errorf("%d lines, refused %q, want 3 and 5 where formats do not change", len(lines), faults)
	}
	many := strings.Repeat(commonLine+"\n", 20)
	lines, faults = readText(newReader(t, Config{Switch: true}), combinedLine+"\n"+many)
	if len(lines) != 21-patience || len(faults) != patience {
		t.Errorf("%d lines, %d refused, want common after %d refusals", len(lines), len(faults), patience)
	}
}

// Hosts before addresses are not taken for addresses, nor are addresses for hosts.
func TestHostsInFront(t *testing.T) {
	rest := strings.TrimPrefix(combinedLine, "192.0.2.1")
	for _, c := range []struct{ line, format, host, address string }{
		{"192.0.2.1" + rest, "combined", "", "192.0.2.1"},
		{"host-4.isp.example" + rest, "combined", "", "host-4.isp.example"},
		{"2001:db8::1%eth0" + rest, "combined", "", "2001:db8::1%eth0"},
		{"192.0.2.1:4711" + rest, "combined", "", "192.0.2.1"},
		{"[2001:db8::1]:4711" + rest, "combined", "", "2001:db8::1"},
		{"www.example.com:443 192.0.2.1" + rest, "vhost_combined", "www.example.com:443", "192.0.2.1"},
		{"www.example.com 192.0.2.1" + rest, "vhost_combined", "www.example.com", "192.0.2.1"},
		{"www.example.com 2001:db8::1" + rest, "vhost_combined", "www.example.com", "2001:db8::1"},
		{"www.example.com host-4.isp.example" + rest, "vhost_combined", "www.example.com", "host-4.isp.example"},
		{"www.example.com 192.0.2.1" + strings.TrimSuffix(rest, ` "-" "Mozilla/5.0"`), "vhost_common", "www.example.com", "192.0.2.1"},
		{"::1 - John Doe" + strings.TrimPrefix(rest, " - -"), "combined", "", "::1"},
		{"192.0.2.1 www.example.com -" + strings.TrimPrefix(rest, " - -"), "lighttpd", "www.example.com", "192.0.2.1"},
	} {
		format, _, nearest := Detect([]string{c.line}, Config{})
		if format != c.format {
			t.Errorf("%s: detected %q, nearest %v, want %s", c.line, format, nearest, c.format)
			continue
		}
		var l Line
		if err := newReader(t, Config{Format: format}).Read([]byte(c.line), &l); err != nil || string(l.Host) != c.host ||
			string(l.Address) != c.address {
			t.Errorf("%s: %v, host %q, address %q, want %q and %q", c.line, err, l.Host, l.Address, c.host, c.address)
		}
	}
}

// Of an unknown line, the nearest format is named, and where the line parts from it.
func TestTheNearestFormatIsNamed(t *testing.T) {
	for line, want := range map[string]string{
		`192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] GET /a HTTP/1.1 200 5`:      "the nearest format is combined, and column 44 is not of it: request: no opening quote",
		`192.0.2.1 - - [06.02.2024 12:14:14] "GET /a HTTP/1.1" 200 5 "-" "-"`:   "the nearest format is combined, and column 16 is not of it: time: ",
		`{"ts":1707221654.5,"request":{"method":"GET","uri":"/"},"status":200}`: "the nearest format is caddy: address: missing",
		"2024-02-06 12:14:14 192.0.2.1 GET /a 200":                              "the nearest format is w3c, and column 1 is not of it: ",
		"words": "",
	} {
		_, n, nearest := Detect([]string{line}, Config{})
		got := ""
		if nearest != nil {
			got = nearest.String()
		}
		if n != 0 || !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %d read, %q, want %q", line, n, got, want)
		}
	}
}

// What people find in their logs is read or refused with a reason.
func TestBadLines(t *testing.T) {
	for _, c := range []struct{ request, want string }{
		{`"\x16\x03\x01\x00\xEE"`, `   400 5`},
		{`""`, `   400 5`},
		{`"-"`, `   400 5`},
		{`"/no-method HTTP/1.1"`, `   400 5`},
		{`"GET /"`, `   400 5`},
		{`"GET  HTTP/1.1"`, `   400 5`},
		{`"GET /a%zz%2 HTTP/1.1"`, `GET /a%zz%2 HTTP/1.1 400 5`},
		{`"GET /caf\xE9 HTTP/1.1"`, `GET /caf%E9 HTTP/1.1 400 5`},
		{"\"GET /a\x00b HTTP/1.1\"", "GET /a\x00b HTTP/1.1 400 5"},
		{`"GET / HTTP/1.1`, ""},
	} {
		line := strings.Replace(combinedLine, `"GET /a HTTP/1.1" 200`, c.request+" 400", 1)
		lines, faults := readText(newReader(t, Config{}), line)
		switch {
		case c.want == "" && len(faults) != 1:
			t.Errorf("%s: %q, want it refused", line, lines)
		case c.want != "" && (len(lines) != 1 || !strings.Contains(lines[0], " 192.0.2.1 "+c.want+" ")):
			t.Errorf("%s: %q, refused %q, want %s", line, lines, faults, c.want)
		}
	}
	for _, line := range []string{"", " ", "\x00", "{", "{}", "[", `{"log":"`, "<", "<1>", "<190>1 ", "Feb  6 12:14:14 ", strings.Repeat(" ", 100),
		strings.Repeat("[", 100_000), "2024-02-06T12:14:14Z stdout ", `""`, "__CURSOR="} {
		for _, name := range Names {
			var l Line
			if err := newReader(t, Config{Format: name, Switch: true}).Read([]byte(line), &l); err == nil || err.Error() == "" {
				t.Errorf("%s reads %.20q", name, line)
			}
		}
	}
}

// A format that is not there is refused with the names of all.
func TestUnknownFormatsAreNamed(t *testing.T) {
	if _, err := NewReader(Config{Format: "nosuch"}); err == nil || !strings.Contains(err.Error(), "choose one of combined, ") {
		t.Errorf("%v, want the names", err)
	}
}

// Of nginx, remote_addr is the visitor: realip_remote_addr is the proxy that passed the request on. A request is also read by its parts.
func TestNginxNamesTheVisitor(t *testing.T) {
	const line = `{"time_iso8601":"2024-02-06T12:14:14+00:00","realip_remote_addr":"10.0.0.1","remote_addr":"192.0.2.1","request":"-",` +
		`"request_method":"GET","uri":"/a","args":"b=c","status":200}`
	lines, faults := readText(newReader(t, Config{Format: "nginx"}), line)
	if want := `2024-02-06T12:14:14Z "" 192.0.2.1 GET /a?b=c  200 0 "" ""`; len(lines) != 1 || lines[0] != want {
		t.Errorf("%q, refused %q, want %s", lines, faults, want)
	}
}

// Where a proxy asked, the visitor is the first address that it has passed on; what a visitor says of itself does not count.
func TestVisitorsOfAProxy(t *testing.T) {
	const layout = `$remote_addr "$request" $status $msec "$http_x_forwarded_for"`
	for _, c := range []struct{ address, forwarded, want string }{
		{"192.0.2.1", "198.51.100.7", "192.0.2.1"},
		{"192.0.2.1", "-", "192.0.2.1"},
		{"10.0.0.1", "-", "10.0.0.1"},
		{"10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"},
		{"::1", "2001:db8::7", "2001:db8::7"},
		{"-", "198.51.100.7", "198.51.100.7"},
	} {
		line := c.address + ` "GET / HTTP/1.1" 200 1707221654.000 "` + c.forwarded + `"`
		lines, faults := readText(newReader(t, Config{Layout: layout}), line)
		if len(lines) != 1 || !strings.HasPrefix(lines[0], `2024-02-06T12:14:14Z "" `+c.want+` GET`) {
			t.Errorf("%s: %q, refused %q, want %s", line, lines, faults, c.want)
		}
	}
}

// A line of JSON whose request is empty is one without a request; one that has no key for it is of another format.
func TestEmptyRequestsInJSON(t *testing.T) {
	for line, want := range map[string]string{
		`{"time_iso8601":"2024-02-06T12:14:14Z","remote_addr":"192.0.2.1","request":"","status":400}`: `192.0.2.1    400 0 "" ""`,
		`{"time_iso8601":"2024-02-06T12:14:14Z","remote_addr":"192.0.2.1","request":null,"status":0}`: `192.0.2.1    0 0 "" ""`,
		`{"time_iso8601":"2024-02-06T12:14:14Z","remote_addr":"192.0.2.1","status":400}`:              "request: missing",
	} {
		lines, faults := readText(newReader(t, Config{Format: "nginx"}), line)
		if got := strings.Join(append(lines, faults...), "\n"); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// Reading lines of a layout and of W3C allocates nothing, and so a large file leaves no garbage.
func TestReadingAllocatesNothing(t *testing.T) {
	escaped := strings.Replace(combinedLine, "Mozilla/5.0", `a \"b\" \xC3\xBC`, 1)
	const header = "#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent)"
	w3c := newReader(t, Config{Format: "w3c"}).Under([]byte(header))
	for _, c := range []struct {
		r    *Reader
		line string
	}{{newReader(t, Config{}), combinedLine}, {newReader(t, Config{Switch: true}), escaped},
		{newReader(t, Config{Format: "vhost_combined"}), vhostLine},
		{newReader(t, Config{}), "Feb  6 12:14:14 web1 nginx: " + combinedLine},
		{w3c, "2024-02-06 12:14:14 192.0.2.1 GET /a b=c 200 Mozilla/5.0+(X11)"}} {
		line := []byte(c.line)
		var l Line
		n := testing.AllocsPerRun(100, func() {
			if err := c.r.Read(line, &l); err != nil {
				t.Fatal(err)
			}
		})
		if n > 0 {
			t.Errorf("%v allocations for %s", n, c.line)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	r := newReader(b, Config{Switch: true})
	line := []byte(combinedLine)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		var l Line
		if err := r.Read(line, &l); err != nil {
			b.Fatal(err)
		}
	}
}
