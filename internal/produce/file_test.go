package produce_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/pipeline/event"
)

// readAll reads a file to its end.
func readAll(t *testing.T, in io.Reader, format produce.Format) (records []produce.Record, refused []produce.Refusal) {
	t.Helper()
	f, err := produce.NewFile(in, format)
	if err != nil {
		t.Fatal(err)
	}
	return rest(t, f)
}

// rest reads what is left of a file.
func rest(t *testing.T, f *produce.File) (records []produce.Record, refused []produce.Refusal) {
	t.Helper()
	for {
		r, err := f.Next()
		if x, ok := errors.AsType[*produce.Refusal](err); ok {
			refused = append(refused, *x)
			continue
		}
		if err == io.EOF {
			return records, refused
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Value = bytes.Clone(r.Value)
		records = append(records, r)
	}
}

// decode has the pipeline decode a record, which must be flawless.
func decode(t *testing.T, d *event.Decoder, r produce.Record) event.Event {
	t.Helper()
	var e event.Event
	if reason, detail := d.Decode(r.Value, &e); reason != event.Accepted {
		t.Fatalf("the pipeline rejects %s as %s: %s", r.Value, reason, detail)
	}
	if e.Notes&^event.NoteCut != 0 {
		t.Fatalf("the pipeline notes %b about %s", e.Notes, r.Value)
	}
	if got := e.Timestamp; got != r.Time.UnixMilli() {
		t.Fatalf("the event's time is %d, the record's %d: %s", got, r.Time.UnixMilli(), r.Value)
	}
	if string(e.SiteID) != r.SiteID || string(e.Type) != r.Type || string(e.ID) != r.ID {
		t.Fatalf("the record says %q %q %q of %s", r.SiteID, r.Type, r.ID, r.Value)
	}
	return e
}

// realData opens a file of real data, and reads what an independent count says about it.
func realData(t *testing.T, file string, expected any) *os.File {
	t.Helper()
	f, err := os.Open(realdata.Path(t, file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := json.Unmarshal(realdata.Read(t, path.Join(path.Dir(file), "expected-totals.json")), expected); err != nil {
		t.Fatal(err)
	}
	return f
}

func equalCounts(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d different, want %d", what, len(got), len(want))
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%s of %s: %d, want %d", what, k, got[k], n)
		}
	}
}

func TestLinesKeepTheirNumbers(t *testing.T) {
	good := `{"siteId":"a","type":"t","timestamp":1778594587250,"visitorId":"v"}`
	text := good + "\r\n" + // 1
		"\n" + // 2: blank
		"{\n" + // 3: refused
		`{"x":"` + strings.Repeat("x", 600<<10) + "\"}\n" + // 4: too long
		"   \n" + // 5
		"[]\n" + // 6
		good // 7: no line end
	for name, pack := range packers {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			z := pack(&b)
			io.WriteString(z, text)
			z.Close()
			in := b.Bytes()
			records, refused := readAll(t, bytes.NewReader(in), &produce.Events{})
			if len(records) != 2 || string(records[0].Value) != good || string(records[1].Value) != good {
				t.Errorf("records = %q, want the good line twice", records)
			}
			want := []produce.Refusal{
				{Place: produce.Place{Line: 3}, Reason: "not JSON: it ends too early"},
				{Place: produce.Place{Line: 4}, Reason: "longer than 524288 bytes"},
				{Place: produce.Place{Line: 6}, Reason: "not a JSON object"},
			}
			if fmt.Sprint(refused) != fmt.Sprint(want) {
				t.Errorf("refused = %v, want %v", refused, want)
			}
		})
	}
}

// packers pack a file in each way that is read.
var packers = map[string]func(io.Writer) io.WriteCloser{
	"plain": func(w io.Writer) io.WriteCloser { return plain{w} },
	"gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"zstd":  zstdWriter,
	"pzstd": func(w io.Writer) io.WriteCloser { // With a frame before that has the size of the next.
		io.WriteString(w, "\x50\x2a\x4d\x18\x04\x00\x00\x00size")
		return zstdWriter(w)
	},
}

func zstdWriter(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w)
	if err != nil {
		panic(err)
	}
	return z
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

func TestCutPackedFileIsAnError(t *testing.T) {
	for _, name := range []string{"gzip", "zstd"} {
		var b bytes.Buffer
		z := packers[name](&b)
		for range 10_000 {
			io.WriteString(z, `{"siteId":"a","type":"t","timestamp":1778594587250,"visitorId":"v"}`+"\n")
		}
		z.Close()
		f, err := produce.NewFile(bytes.NewReader(b.Bytes()[:b.Len()-20]), &produce.Events{})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = f.Next()
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: Next = %v at the cut, want %v", name, err, io.ErrUnexpectedEOF)
		}
		cut := produce.Input{Head: func() ([]byte, error) { return b.Bytes()[:12], nil }}
		if _, err := produce.Detect(cut, false, accesslog.Config{}); err == nil || !strings.Contains(err.Error(), "ends too early") {
			t.Errorf("%s: the format of a file without a whole line: %v", name, err)
		}
	}
}

func TestEventsPassAsTheyAre(t *testing.T) {
	tests := []struct {
		name, line, key, reason string
		needTime                bool
	}{
		{name: "spaces and unknown keys stay", line: `  {"type":"x", "siteId" : "a#b","visitorId":"v","new":1.50,"timestamp":"2026-01-02T03:04:05Z"} `, key: "a#b#1"},
		{name: "an event that the pipeline will reject", line: `{"siteId":"a"}`, key: "a#1"},
		{name: "an escaped siteId", line: `{"siteId":"\u00fc","sessionId":"v"}`, key: "ü#1"},
		{name: "no site", line: `{"type":"x"}`, reason: "siteId: the event has none, or it is not a string"},
		{name: "a site that is a number", line: `{"siteId":7}`, reason: "siteId: the event has none, or it is not a string"},
		{name: "a key twice", line: `{"siteId":"a","siteId":"b"}`, reason: `not JSON: duplicate object member name "siteId"`},
		{name: "two objects", line: `{"siteId":"a"}{}`, reason: "bytes after the JSON object"},
		{name: "not UTF-8", line: "{\"siteId\":\"\xff\"}", reason: "not JSON: invalid UTF-8"},
		{name: "a lone surrogate", line: `{"siteId":"\ud800"}`, reason: "not JSON: invalid surrogate pair"},
		{name: "a number", line: `12`, reason: "not a JSON object"},
		{name: "no time where it is needed", line: `{"siteId":"a"}`, needTime: true,
			reason: "timestamp: there is none"},
		{name: "seconds", line: `{"siteId":"a","timestamp":1778594587}`,
			reason: "timestamp: 1778594587 is 1970-01-21T14:03:14Z in milliseconds, " +
				"when no event is counted, and looks like seconds: send milliseconds, for instance by jq -c '.timestamp *= 1000'"},
		{name: "seconds that were spelled as milliseconds", line: `{"siteId":"a","timestamp":"1970-01-21T14:03:14Z"}`,
			reason: `timestamp: "1970-01-21T14:03:14Z" is in 1970`},
		{name: "the last millisecond of 1970", line: `{"siteId":"a","timestamp":31535999999}`,
			reason: "timestamp: 31535999999 is 1970-12-31T23:59:59Z"},
		{name: "the first of 1971", line: `{"siteId":"a","timestamp":31536000000}`, key: "a#1"},
		{name: "a time that is none", line: `{"siteId":"a","timestamp":"noon"}`, needTime: true, reason: `timestamp: "noon" is not RFC 3339`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, refused := readAll(t, strings.NewReader(test.line), &produce.Events{Buckets: 3, NeedTime: test.needTime})
			if test.reason != "" {
				if len(refused) != 1 || len(records) != 0 || !strings.HasPrefix(refused[0].Reason, test.reason) {
					t.Errorf("refused = %v, want %q", refused, test.reason)
				}
				return
			}
			if len(records) != 1 {
				t.Fatalf("refused = %v, want a record", refused)
			}
			if got := string(records[0].Value); got != test.line {
				t.Errorf("value = %q, want the line %q", got, test.line)
			}
			if site, _, _ := strings.Cut(test.key, "#1"); records[0].SiteID != site {
				t.Errorf("site = %q, want %q", records[0].SiteID, site)
			}
			id := "v"
			if !strings.Contains(test.line, `"v"`) {
				id = ""
			}
			if got, want := string(records[0].Key), string(produce.Key(records[0].SiteID, id, 3)); got != want {
				t.Errorf("key = %q, want %q", got, want)
			}
		})
	}
}

// The values are those of the reference implementation of xxHash (XXH64, seed 0).
func TestKeyIsTheRecommendedOne(t *testing.T) {
	tests := []struct {
		site, visitor string
		buckets       int
		want          string
	}{
		{"shop.example", "v1", 0, "shop.example"},
		{"shop.example", "v1", 1, "shop.example"},
		{"shop.example", "", 1_000_000_007, fmt.Sprintf("shop.example#%d", uint64(0xef46db3751d8e999)%1_000_000_007)},
		{"shop.example", "abc", 1_000_000_007, fmt.Sprintf("shop.example#%d", uint64(0x44bc2cf5ad770999)%1_000_000_007)},
	}
	for _, test := range tests {
		if got := string(produce.Key(test.site, test.visitor, test.buckets)); got != test.want {
			t.Errorf("Key(%q, %q, %d) = %q, want %q", test.site, test.visitor, test.buckets, got, test.want)
		}
	}
}
