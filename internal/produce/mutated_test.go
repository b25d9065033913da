package produce

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/mapping"
	decoding "github.com/footfall/footfall/pipeline/event"
)

var mutatedLines = flag.Int("mutated", 1000, "how many lines of each format are mutated; 1000000 take some 20 minutes")

const combinedLine = `192.0.2.1 - - [06/Feb/2024:12:14:14 +0000] "GET /a?b=%c3%bc HTTP/1.1" 200 5 "https://t.co/x" "Mozilla/5.0 (X11; Linux)"`

// mutatedSamples are files of each format, and lines of formats that no file has. Their first lines are headers where the format has one.
var mutatedSamples = map[string][]string{
	"events": {`{"siteId":"s","type":"page_view","timestamp":1778594587250,"visitorId":"v","url":"https://a.example/b?c=d","value":-1.5e-2,` +
		`"title":"\u00fc\ud83d\ude00","properties":{"a":[1,{"b":null}]}}`},
	"ndjson": {`{"at":1778594587250,"who":"v","page":"/\u00fc \"x\"","n":"1.5","geo":{"c":["DE"]}}`},
	"csv":    {"at,who,page,n", `1778594587250,v,"/a ""b"", c",1.5`, "1778594587250,w,/ü,", "#1,2,3,4"},
	"tsv":    {"at\twho\tpage\tn", "1778594587250\tv\t/a b\t1.5"},
	"common": {`127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326`},
	"combined": {combinedLine, "Feb  6 12:14:14 web1 nginx: " + combinedLine, "2024-02-06T12:14:14.123456789Z stdout F " + combinedLine,
		`{"log":` + strconv.Quote(combinedLine+"\n") + `,"stream":"stdout","time":"2024-02-06T12:14:14.123456789Z"}`},
	"vhost_common":        {`www.example.com:80 127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326`},
	"vhost_combined":      {"www.example.com:80 " + combinedLine, "www.example.com " + combinedLine},
	"a layout":            {`[2024-02-06T12:14:14+01:00] - www.example.com - fe80::1%eth0 - 200 - - - GET /page HTTP/2.0 - 12,5 - "-" "Mozilla/5.0"`},
	"caddy":               {"testdata/formats/caddy.log"},
	"nginx":               {"testdata/formats/nginx.log"},
	"w3c":                 {"../accesslog/testdata/iis.log", "../accesslog/testdata/cloudfront.log"},
	"cloudfront-realtime": {"../accesslog/testdata/cloudfront-realtime.log"},
}

// mutatedSample are the lines of a format.
func mutatedSample(t *testing.T, format string) (lines [][]byte) {
	t.Helper()
	if format == "any" { // --format auto: lines that one format does not read are tried by the others.
		for _, name := range accesslog.Names {
			lines = append(lines, mutatedSample(t, name)...)
		}
		return lines
	}
	names, ok := mutatedSamples[format]
	if !ok {
		names = []string{"../accesslog/testdata/" + format + ".log"}
	}
	for _, name := range names {
		if filepath.Ext(name) != ".log" {
			lines = append(lines, []byte(name))
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bytes.Split(bytes.TrimSpace(text), []byte("\n"))...)
	}
	return lines
}

// mutatedFormat reads the lines of a format.
func mutatedFormat(t *testing.T, name string) (f Format) {
	t.Helper()
	var err error
	switch name {
	case "events":
		return &Events{NeedTime: true}
	case "ndjson", "csv", "tsv":
		f, err = NewMapping(mapping.Config{Map: []string{"timestamp=at", "visitorId=who?", "url=https://h{+page}{?n}", "value=n?",
			"country=geo.c[0]?"},
			Set: []string{"siteId=s", "type=page_view"}, Rest: true}, strings.TrimPrefix(name, "ndjson"), 1)
	case "a layout":
		f, err = NewAccessLog(AccessLogConfig{Lines: accesslog.Config{Layout: `[$time_iso8601] - $host - $remote_addr - $status - $remote_user - ` +
			`$request - $request_time - "$http_referer" "$http_user_agent"`}, Site: "s", CountAssets: true})
	default:
		f, err = NewAccessLog(AccessLogConfig{Lines: accesslog.Config{Format: strings.TrimPrefix(name, "any"), Switch: name == "any"},
			Site: "s", CountAssets: name == "alb"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mutants is a text of lines, each a mutated one of a sample. It keeps which lines nothing is to be said of: blank ones, and comments.
type mutants struct {
	rng    *rand.Rand
	sample [][]byte
	left   int // to be made
	text   []byte
	silent []bool // by number of the line, from 1
	table  bool   // a row may begin with #
}

func (m *mutants) Read(p []byte) (int, error) {
	for len(m.text) == 0 {
		if m.left == 0 {
			return 0, io.EOF
		}
		m.left--
		m.text = append(m.mutate(bytes.Clone(m.sample[m.rng.IntN(len(m.sample))])), '\n')
		for line := range bytes.Lines(m.text) {
			m.silent = append(m.silent, silent(line, m.table))
		}
	}
	n := copy(p, m.text)
	m.text = m.text[n:]
	return n, nil
}

func silent(line []byte, table bool) bool {
	return len(bytes.TrimSpace(line)) == 0 || line[0] == '#' && !table
}

// broken are texts that readers stumble over: escapes, signs of formats, numbers out of range, and what is not UTF-8.
var broken = []string{"\x00", "\xff", "\xc3", "\xed\xa0\x80", `"`, `\`, `\x`, `\xZZ`, `\u12`, `\ud800`, "%", "%2", "%zz", "{", "}", "[", "]", "\t", "\r", " ",
	":", "-", ",", ";", "\xef\xbb\xbf", "99999999999999999999", "1e999", "-1", "null",
	"\n", "\u2028", "#Fields: date time c-ip", "__CURSOR=", "="}

// mutate changes a line.
func (m *mutants) mutate(line []byte) []byte {
	switch m.rng.IntN(100) {
	case 0:
		return append([]byte("\xef\xbb\xbf"), line...) // A byte order mark, as of files that were put together.
	case 1:
		return append(line, '\r')
	case 2:
		var wide []byte
		for _, unit := range utf16.Encode([]rune(string(line))) {
			wide = binary.LittleEndian.AppendUint16(wide, unit)
		}
		return wide
	case 3:
		if m.rng.IntN(100) == 0 { // Lines of 1 MB.
			at := m.rng.IntN(len(line) + 1)
			return append(line[:at:at], append(bytes.Repeat([]byte{"a\"\\ \x00"[m.rng.IntN(5)]}, 1<<20), line[at:]...)...)
		}
	}
	for range m.rng.IntN(4) {
		at := m.rng.IntN(len(line) + 1)
		switch m.rng.IntN(5) {
		case 0: // Cut.
			line = line[:at]
		case 1: // A bit is flipped.
			if at < len(line) {
				line[at] ^= 1 << m.rng.IntN(8)
			}
		case 2:
			line = append(line[:at:at], append([]byte(broken[m.rng.IntN(len(broken))]), line[at:]...)...)
		case 3: // A part is missing.
			line = append(line[:at:at], line[min(at+m.rng.IntN(20), len(line)):]...)
		case 4: // The end of another.
			other := m.sample[m.rng.IntN(len(m.sample))]
			line = append(line[:at:at], other[min(at, len(other)):]...)
		}
	}
	return line
}

// Of each mutated line, one thing is said: it becomes an event that the pipeline accepts, it is left out, or it is refused with its number
// and a reason. Nothing is said of blank lines and comments alone.
func TestMutatedLinesAreCountedOrRefused(t *testing.T) {
	for _, name := range append([]string{"any", "a layout"}, Formats...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sample := mutatedSample(t, name)
			table := name == "csv" || name == "tsv"
			header := append(bytes.Clone(sample[0]), '\n')
			text := &mutants{rng: rand.New(rand.NewPCG(35, uint64(len(name)))), sample: sample, left: *mutatedLines, text: header,
				silent: []bool{false, table || silent(header, false)}, table: table}
			f, err := NewFile(text, mutatedFormat(t, name))
			if err != nil {
				t.Fatal(err)
			}
			countMutated(t, f, text, name == "events")
		})
	}
}

// journalField is a field of journalctl's output export, without the message.
var journalField = regexp.MustCompile("^[\x00\xef\xbb\xbf]*[A-Z0-9_]+=")

// countMutated reads the lines, and checks what is said of each. The pipeline judges the lines of events.
func countMutated(t *testing.T, f *File, text *mutants, judged bool) {
	t.Helper()
	decoder := decoding.NewDecoder()
	var last, counted, rejected, left, comments, refused, silents int64
	for {
		r, err := f.next()
		if err == io.EOF {
			f.made.Line = int64(len(text.silent))
		}
		for last++; last < f.made.Line; last++ {
			if silents++; !text.silent[last] {
				t.Fatalf("nothing is said of line %d", last)
			}
		}
		refusal, isRefused := errors.AsType[*Refusal](err)
		switch {
		case err == io.EOF:
			t.Logf("%d lines: %d counted, %d rejected by the pipeline, %d left out, %d refused, %d comments, %d blank or comments",
				len(text.silent)-1,
				counted, rejected, left, refused, comments, silents)
			if counted == 0 || refused == 0 || counted+rejected+left+refused+comments+silents != int64(len(text.silent)-1) {
				t.Error("the lines do not add up")
			}
			return
		case isRefused:
			refused++
			if refusal.Line != last || refusal.Reason == "" || !utf8.ValidString(refusal.Reason) || len(refusal.Reason) > 1000 {
				t.Fatalf("line %d is refused as %+q", last, fmt.Sprint(refusal))
			}
		case err != nil:
			t.Fatal(err)
		case r.left == leftComment:
			if comments++; !journalField.Match(f.line) {
				t.Fatalf("line %d is taken for a comment: %q", last, f.line)
			}
		case r.left != "":
			left++
		default:
			counted++
			var e decoding.Event
			if reason, detail := decoder.Decode(r.Value, &e); reason != decoding.Accepted {
				if counted, rejected = counted-1, rejected+1; !judged {
					t.Fatalf("line %d: the pipeline rejects %q as %s: %s", last, r.Value, reason, detail)
				}
			}
		}
	}
}
