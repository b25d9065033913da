package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// exportedAt is the event time of the first raw event of withEvents.
var exportedAt = time.Date(2026, 5, 12, 9, 0, 0, 1e6, time.UTC)

// withEvents makes a table with raw events of site shop, a second apart, the first with all fields.
func withEvents(t *testing.T, events int) (url string, items []sinks.Item) {
	t.Helper()
	url = clitest.TableURL(t)
	table, err := sqlite.Open(strings.TrimPrefix(url, "sqlite://"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for i := range events {
		ms := exportedAt.UnixMilli() + int64(i)*1000
		id := event.ULID([]byte("shop"), []byte(fmt.Sprint(i)), event.Origin{}, ms)
		key := sinks.Keys{}.Event("shop", sinks.ShardOf("v\"<", sinks.DefaultShards), id.String())
		it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), "siteId": sinks.Str("shop"),
			"type":      sinks.Str("page_view"),
			"timestamp": sinks.Int(ms), "visitorId": sinks.Str("v\"<"), "source": sinks.Str(fmt.Sprint("events/0/", i)), "recordTime": sinks.Int(ms)}
		if i == 0 {
			for name, value := range map[string]string{"id": "0", "sessionId": "s\u2028", "userId": "u\x01",
				"url": "https://a.example/\u00e4?b=<c>#d", "referrer": "r", "title": "T\t\\",
				"userAgent": "A/1.0", "name": "n", "country": "CH", "region": "ZH", "city": "Z\u00fcrich", "device": "desktop", "browser": "b",
				"os":    "o",
				"value": "-999999999.999999", "properties": `{"a":12345678901234567890.10,"b":"\u00e4\n"}`} {
				it[name] = sinks.Str(value)
			}
		}
		if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	return url, items
}

// TestExportIsReadBackLosslessly: what is exported, packed or not, is what produce --from sends and the pipeline decodes.
func TestExportIsReadBackLosslessly(t *testing.T) {
	url, items := withEvents(t, 700)
	for _, packed := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "events")
		args := []string{"export", "events", "shop", "--from", "2026-05-12", "--to", "2026-05-13", "--output", file, "--table", url}
		if packed {
			args = append(args, "--zstd")
		}
		code, out, errs := clitest.Footfall(t, args...)
		if code != 0 || out != "" || !strings.Contains(errs, "2026-05-13T00:00:00Z): 700;") {
			t.Fatalf("export: exit %d, out %q, err %q", code, out, errs)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines, err := produce.NewFile(f, &produce.Events{NeedTime: true})
		if err != nil {
			t.Fatal(err)
		}
		decoder := event.NewDecoder()
		for i, it := range items {
			r, err := lines.Next()
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			var e event.Event
			if reason, detail := decoder.Decode(r.Value, &e); reason != event.Accepted || e.Notes != 0 {
				t.Fatalf("line %d, %s: %s, %s, notes %b", i+1, r.Value, reason, detail, e.Notes)
			}
			if got := fields(&e); got != fieldsOf(it) || !r.Time.Equal(time.UnixMilli(it["timestamp"].Int())) {
				t.Fatalf("line %d is read back as\n%s\nwant\n%s", i+1, got, fieldsOf(it))
			}
		}
		if _, err := lines.Next(); err != io.EOF {
			t.Errorf("behind the last line: %v", err)
		}
	}
}

// names of an event's fields, as an item has them.
var fieldNames = []string{"siteId", "type", "id", "visitorId", "sessionId", "userId", "url", "referrer", "title", "userAgent", "name",
	"properties", "country", "region", "city", "device", "browser", "os"}

func fields(e *event.Event) string {
	var b strings.Builder
	own := [][]byte{e.SiteID, e.Type, e.ID, e.VisitorID, e.SessionID, e.UserID, e.URL, e.Referrer, e.Title, e.UserAgent, e.Name, e.Properties}
	for i, value := range append(own, e.Given[:]...) {
		fmt.Fprintf(&b, "%s=%q ", fieldNames[i], value)
	}
	value := ""
	if e.HasValue {
		value = pipeline.FormatMicros(e.Value)
	}
	fmt.Fprintf(&b, "timestamp=%d value=%s", e.Timestamp, value)
	return b.String()
}

func fieldsOf(it sinks.Item) string {
	var b strings.Builder
	for _, name := range fieldNames {
		fmt.Fprintf(&b, "%s=%q ", name, it[name].Str())
	}
	fmt.Fprintf(&b, "timestamp=%d value=%s", it["timestamp"].Int(), it["value"].Str())
	return b.String()
}

func TestExportPrintsOnStandardOutput(t *testing.T) {
	url, _ := withEvents(t, 3)
	code, out, errs := clitest.Footfall(t, "export", "events", "shop", "--from", "2026-05-12T09:00:01Z", "--to", "2026-05-12T09:00:02Z",
		"--table", url)
	const want = `{"siteId":"shop","type":"page_view","timestamp":"2026-05-12T09:00:01.001Z","visitorId":"v\"<"}` + "\n"
	if code != 0 || out != want || !strings.HasPrefix(errs, "Raw events of site shop, ") {
		t.Errorf("exit %d, out %q, err %q; want %q", code, out, errs, want)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"shop"}, 2, "--from: say where the range begins"},
		{[]string{"shop", "--from", "soon"}, 2, "--from: time"},
		{[]string{"shop", "--from", "-1h", "--to", "-2h"}, 2, "must begin before its end"},
		{[]string{"unknown", "--from", "-1h"}, command.CodeUnknown, `Site "unknown" is not known`},
		{[]string{"shop", "--from", "-1h", "--output", filepath.Join(t.TempDir(), "none", "file")}, 1, "no such file or directory"},
	} {
		if code, out, errs := clitest.Footfall(t, append(append([]string{"export", "events"}, c.args...), "--table", url)...); code != c.code ||
			out != "" ||
			!strings.Contains(errs, c.says) {
			t.Errorf("%q: exit %d, out %q, err %q; want exit %d and %q", c.args, code, out, errs, c.code, c.says)
		}
	}
}

// TestExportedFileIsNeverHalfThere: until all is written there is what was there before, and afterwards nothing else.
func TestExportedFileIsNeverHalfThere(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "events")
	a := &command.App{Err: new(bytes.Buffer)}
	half := errors.New("half")
	for _, before := range []string{"", "before"} {
		if before != "" {
			if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, packed := range []bool{false, true} {
			err := export(a, exportFlags{file, packed}, func(out io.Writer) error {
				if _, err := io.WriteString(out, "a line\n"); err != nil {
					t.Error(err)
				}
				return half
			})
			if got, _ := os.ReadFile(file); !errors.Is(err, half) || string(got) != before {
				t.Errorf("packed %v: %v, and the file has %q, want %q", packed, err, got, before)
			}
		}
	}
	if err := export(a, exportFlags{file, false}, func(out io.Writer) error { _, err := io.WriteString(out, "all"); return err }); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if got, _ := os.ReadFile(file); err != nil || len(entries) != 1 || string(got) != "all" {
		t.Errorf("%v, %v: the file has %q", entries, err, got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want it to be its owner's alone", info, err)
	}
}

func TestExportLeavesDevicesInPlace(t *testing.T) {
	info, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	a := &command.App{Err: new(bytes.Buffer)}
	if err := export(a, exportFlags{os.DevNull, false}, func(out io.Writer) error {
		_,
			err := io.WriteString(out, "x")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(os.DevNull); err != nil || now.Mode() != info.Mode() {
		t.Errorf("%s is %v now, %v", os.DevNull, now.Mode(), err)
	}
}
