package accesslog

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/slow"
)

// sampled are the lines of all samples whose formats pass.
func sampled(f *testing.F, pass func(format) bool) {
	f.Helper()
	for _, c := range documented {
		if x, _ := find(c.format); pass(x) {
			for line := range strings.Lines(sample(f, c.file)) {
				f.Add([]byte(strings.TrimSuffix(line, "\n")))
			}
		}
	}
	f.Add([]byte(vhostLine))
	f.Add([]byte(`{"ts":1707221654.5,"request":{"client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"a","uri":"/"},"size":1,"status":200}`))
}

// checkRead reads a line with a reader: it is read as a line that can become an event, skipped, or refused with a reason.
func checkRead(t *testing.T, r *Reader, line []byte) {
	t.Helper()
	before := bytes.Clone(line)
	var l Line
	err := r.Read(line, &l)
	if !bytes.Equal(line, before) {
		t.Fatalf("the line was changed into %q", line)
	}
	fault, ok := errors.AsType[*Fault](err)
	switch {
	case errors.Is(err, ErrSkip):
	case ok && (fault.Reason == "" || fault.Column < 0 || !utf8.ValidString(fault.Reason)):
		t.Fatalf("refused: %+v", fault)
	case err != nil && !ok:
		t.Fatalf("%T: %v", err, err)
	case err == nil:
		if len(l.Address) == 0 || l.Time.Before(time.UnixMilli(0)) || l.Time.After(maxTime) || l.Status < 0 || l.Status > 999 || l.Bytes < 0 ||
			(len(l.Method) == 0) != (len(l.Target) == 0) {
			t.Fatalf("%s", spelled(&l))
		}
		for _, text := range [][]byte{l.Host, l.Address, l.Method, l.Target, l.Protocol, l.Referrer, l.UserAgent} {
			if !utf8.Valid(text) {
				t.Fatalf("%q is not UTF-8", text)
			}
		}
	}
}

func fuzzFormats(f *testing.F, pass func(format) bool) {
	sampled(f, pass)
	var readers []*Reader
	for _, x := range allFormats {
		if pass(x) {
			readers = append(readers, newReader(f, Config{Format: x.name}))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, r := range readers {
			checkRead(t, r, line)
		}
	})
}

func isTable(x format) bool { return slices.Contains([]string{"w3c", "cloudfront-realtime"}, x.name) }

func FuzzLayouts(f *testing.F) {
	fuzzFormats(f, func(x format) bool { return !x.json && !isTable(x) })
}

func FuzzJSONLines(f *testing.F) { fuzzFormats(f, func(x format) bool { return x.json }) }

func FuzzW3C(f *testing.F) {
	sampled(f, isTable)
	f.Fuzz(func(t *testing.T, text []byte) { // A header, and a line under it.
		header, line, _ := bytes.Cut(text, []byte("\n"))
		checkRead(t, newReader(t, Config{Format: "cloudfront-realtime"}), line)
		checkRead(t, newReader(t, Config{Format: "w3c"}).Under(header), line)
		checkRead(t, newReader(t, Config{Format: "w3c"}).Under([]byte("#Fields: date time c-ip cs(User-Agent) cs-uri-stem")), text)
		checkRead(t, newReader(t, Config{Switch: true}).Under(header), line)
	})
}

func FuzzPrefixes(f *testing.F) {
	for _, text := range []string{"Feb  6 12:14:14 web1 nginx: ", "<190>1 2024-02-06T12:14:14.003Z web1 nginx 312 - [a b=\"c\"] ",
		"2024-02-06T12:14:14.123456789Z stdout F ", "__CURSOR=", "MESSAGE=", `{"log":"192.0.2.1 \"GET / HTTP/1.1\" 200\n"}`} {
		f.Add([]byte(text + combinedLine))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newReader(t, Config{Switch: true})
		checkRead(t, r, line)
		checkRead(t, r, []byte("__CURSOR=a"))
		checkRead(t, r, line)
		checkRead(t, newReader(t, Config{Layout: `%h "%r" %s`}), line)
	})
}

func FuzzLayoutTexts(f *testing.F) {
	f.Add(`$remote_addr [$time_local] "$request" $status`, combinedLine)
	f.Add(`%v:%p %h %l %u %{%Y-%m-%d}t \"%r\" %>s %O`, vhostLine)
	f.Add(`%~%h %^[%d:%t %^] "%r" %s %b "%R" "%u"`, combinedLine)
	f.Fuzz(func(t *testing.T, layout, line string) {
		r, err := NewReader(Config{Layout: layout, Now: now})
		if err == nil {
			checkRead(t, r, []byte(line))
		}
	})
}

// Lines of each sample, with bytes and parts changed at random but by the same seed, are read or refused, and nothing else.
func TestMutatedLines(t *testing.T) {
	var all [][]byte
	n := slow.Of(t, 2_000, 1_000_000)
	for _, c := range documented {
		var lines [][]byte
		r := newReader(t, Config{Format: c.format})
		for line := range strings.Lines(sample(t, c.file)) {
			lines = append(lines, []byte(strings.TrimSuffix(line, "\n")))
			r = r.Under(lines[len(lines)-1])
		}
		for line := range mutated(lines, n) {
			checkRead(t, r, line)
		}
		all = append(all, lines...)
	}
	r := newReader(t, Config{Switch: true})
	for line := range mutated(all, n) {
		checkRead(t, r, line)
	}
}
