package produce_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/pipeline/event"
)

func documented(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "formats", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each line of an access log that documentation shows becomes the event that it means, and its format is detected.
func TestDocumentedAccessLogs(t *testing.T) {
	const (
		apache = `type=asset timestamp=971211336000 url=/apache_pb.gif `
		start  = `referrer=http://www.example.com/start.html userAgent=Mozilla/4.08 [en] (Win98; I ;Nav) `
		gif    = `properties={"status":200,"bytes":2326,"method":"GET","protocol":"HTTP/1.0"}`
	)
	for _, c := range []struct{ file, format, want string }{
		{"common.log", "common", "siteId=set.example " + apache + "referrer= userAgent= " + gif},
		{"common.log.bz2", "common", "siteId=set.example " + apache + "referrer= userAgent= " + gif},
		{"combined.log", "combined", "siteId=set.example " + apache + start + gif},
		{"vhost_combined.log", "vhost_combined", "siteId=www.example.com " + apache + start + gif},
		{"nginx.log", "nginx", "siteId=www.example.com " + apache + start + gif},
		{"caddy.log", "caddy", "siteId=localhost type=page_view timestamp=1646861401524 url=/ referrer= userAgent=curl/7.82.0 " +
			`properties={"status":200,"bytes":10900,"method":"GET","protocol":"HTTP/2.0"}`},
	} {
		t.Run(c.file, func(t *testing.T) {
			text := documented(t, c.file)
			in := produce.Input{Name: c.file, Head: func() ([]byte, error) { return []byte(text), nil }}
			if format, err := produce.Detect(in, false, accesslog.Config{}); err != nil || format != c.format {
				t.Errorf("detected %q, %v, want %s", format, err, c.format)
			}
			config := produce.AccessLogConfig{Lines: accesslog.Config{Format: c.format}, CountAssets: true}
			if strings.Contains(c.want, "set.example") {
				config.Set = []string{"siteId=set.example"}
			}
			format, err := produce.NewAccessLog(config)
			if err != nil {
				t.Fatal(err)
			}
			records, refused := readAll(t, strings.NewReader(text), format)
			if len(refused) > 0 || len(records) == 0 {
				t.Fatalf("%d records, refused %v", len(records), refused)
			}
			d := event.NewDecoder()
			for _, r := range records {
				e := decode(t, d, r)
				if got := spelled(&e); got != c.want {
					t.Errorf("the line became\n%s\nwant\n%s", got, c.want)
				}
			}
			if visitors := visitorsOf(t, records); len(visitors) != 1 {
				t.Errorf("visitors %v, want one", visitors)
			}
		})
	}
}

// A line of vhost_combined is not taken for one of combined, whose address would be the host: all visitors would be one.
func TestVirtualHostsAreNotAddresses(t *testing.T) {
	format, err := produce.NewAccessLog(produce.AccessLogConfig{CountAssets: true, Set: []string{"siteId=s"}})
	if err != nil {
		t.Fatal(err)
	}
	_, refused := readAll(t, strings.NewReader(documented(t, "vhost_combined.log")), format)
	if len(refused) != 2 || !strings.HasSuffix(refused[0].Reason, "the format is vhost_combined") || refused[1].Reason[:8] != "address:" {
		t.Errorf("refused %v, want both lines, with the name of their format", refused)
	}
	v6 := strings.Replace(documented(t, "combined.log"), "127.0.0.1", "2001:db8::80", 1)
	if _, refused := readAll(t, strings.NewReader(v6), format); refused != nil {
		t.Errorf("refused %v, want an address of IPv6 taken", refused)
	}
}

// Rows become events: cells in quotes, empty cells, defaults, layouts and zones of times; others are refused with their lines.
func TestRowsBecomeEvents(t *testing.T) {
	m, err := produce.NewMapping(mapping.Config{TimeLayout: "%Y-%m-%d %H:%M:%S", TimeZone: "Europe/Berlin",
		Map:     []string{"timestamp=when", "visitorId=who", "url=page", "title=title", "value=amount", "country=land"},
		Set:     []string{"siteId=shop.example", "type=page_view"},
		Default: []string{"country=DE"}}, "csv", 1)
	if err != nil {
		t.Fatal(err)
	}
	records, refused := readAll(t, strings.NewReader(documented(t, "visits.csv")), m)
	if len(records) != 1 {
		t.Fatalf("%d records, refused %v, want one", len(records), refused)
	}
	e := decode(t, event.NewDecoder(), records[0])
	if e.Timestamp != 1778587385000 || string(e.Title) != `Kettles, "copper" and steel` || string(e.Given[figures.GivenCountry]) != "DE" || !strings.Contains(
		string(records[0].Value), `"value":12.50`) {
		t.Errorf("the row became %s", records[0].Value)
	}
	var got []string
	for _, r := range refused {
		got = append(got, r.Error())
	}
	want := []string{`line 4: timestamp: "12/05/2026" does not have the layout of --time-layout`,
		"line 5: visitorId: the line gives neither it nor a sessionId; texts such as 0, null and anonymous are none",
		"line 6: 4 cells, and the header has 6"}
	if !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
}

// Times of any unit and layout are read; elements of arrays and defaults are found.
func TestMappingReadsTimesAndElements(t *testing.T) {
	base := mapping.Config{Map: []string{"timestamp=t", "visitorId=v[1].id", "country=c.0"}, Set: []string{"siteId=s", "type=x"},
		Default: []string{"country=DE"}}
	for _, c := range []struct{ unit, layout, zone, t, want string }{
		{"s", "", "", "1778594585.25", "2026-05-12T14:03:05.250Z"},
		{"s", "", "", `"1778594585"`, "2026-05-12T14:03:05.000Z"},
		{"ms", "", "", "1778594585250", "2026-05-12T14:03:05.250Z"},
		{"us", "", "", "1778594585250000", "2026-05-12T14:03:05.250Z"},
		{"ns", "", "", "1778594585250000000", "2026-05-12T14:03:05.250Z"},
		{"", "%d/%b/%Y:%H:%M:%S %z", "", `"12/May/2026:16:03:05 +0200"`, "2026-05-12T14:03:05.000Z"},
		{"", "02.01.2006 15:04", "Europe/Berlin", `"12.05.2026 16:03"`, "2026-05-12T14:03:00.000Z"},
		{"", "%Y-%m-%d %H:%M:%S.%f", "America/New_York", `"2026-01-12 09:03:05.250000"`, "2026-01-12T14:03:05.250Z"},
		{"ms", "", "", "1778594585", "refused"},
		{"s", "", "", `"noon"`, "refused"},
		{"s", "", "", "true", "refused"},
	} {
		config := base
		config.TimeUnit, config.TimeLayout, config.TimeZone = c.unit, c.layout, c.zone
		m, err := produce.NewMapping(config, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		records, refused := readAll(t, strings.NewReader(`{"t":`+c.t+`,"v":[0,{"id":"u"}],"c":[]}`), m)
		switch {
		case len(refused) > 0 && c.want != "refused":
			t.Errorf("%+v: %v", c, refused)
		case len(records) > 0 && string(records[0].Value) != `{"siteId":"s","type":"x","timestamp":"`+c.want+
			`","visitorId":"u","country":"DE"}`:
			t.Errorf("%+v: the line became %s", c, records[0].Value)
		}
	}
	for flags, want := range map[[3]string]string{
		{"h", "", ""}:                        "--time-unit h: choose s, ms, us or ns",
		{"", "%Q", ""}:                       `"%Q" is no directive`,
		{"", "%H:%M", ""}:                    "it has no full date",
		{"s", "%Y-%m-%d", ""}:                "", // Numbers and texts.
		{"", "%Y-%m-%d", "Mars/Olympus"}:     `--time-zone "Mars/Olympus": write the name of a zone`,
		{"", "", "Europe/Berlin"}:            "say how they look with --time-layout",
		{"", "Monday, 2 January 2006", ""}:   "",
		{"", "%A, %d %B %Y %I:%M %p %Z", ""}: "",
	} {
		config := base
		config.TimeUnit, config.TimeLayout, config.TimeZone = flags[0], flags[1], flags[2]
		_, err := produce.NewMapping(config, "", 1)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", flags, err, want)
		}
	}
}

// Several files are read in the order of their first lines' times, each with its own header, and refusals name them. A byte order mark,
// blank lines and comments are passed over.
func TestSeveralFilesAreOne(t *testing.T) {
	m, err := produce.NewMapping(mapping.Config{TimeUnit: "s", Map: []string{"timestamp=t", "visitorId=v"},
		Set: []string{"siteId=s", "type=x"}}, "tsv", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, sorted := range []bool{false, true} {
		inputs := []produce.Input{text("b", "v\tt\nlater\t1778594586\n"),
			text("a", "\xef\xbb\xbf# made by hand\n\nt\tv\n1778594585\tfirst\nnow\tv\n")}
		for i := range inputs {
			inputs[i].Format = m
		}
		produce.Order(inputs)
		f := produce.NewFiles(inputs)
		if sorted {
			f.Sort(10)
		}
		records, refused := rest(t, f)
		var ids []string
		for _, r := range records {
			e := decode(t, event.NewDecoder(), r)
			ids = append(ids, string(e.VisitorID))
		}
		if !slices.Equal(ids, []string{"first", "later"}) || len(refused) != 1 ||
			refused[0].Error() != `a, line 5: timestamp: "now" is not a number` {
			t.Errorf("sorted %t: visitors %q, refused %v", sorted, ids, refused)
		}
	}
}

// text is an input.
func text(name, content string) produce.Input {
	return produce.Input{Name: name, Head: func() ([]byte, error) { return []byte(content), nil },
		Open: opening(content)}
}

func opening(content string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
}

// spelled is what a line of an access log became, without its visitor and session.
func spelled(e *event.Event) string {
	return fmt.Sprintf("siteId=%s type=%s timestamp=%d url=%s referrer=%s userAgent=%s properties=%s", e.SiteID, e.Type, e.Timestamp, e.URL,
		e.Referrer, e.UserAgent, e.Properties)
}

func visitorsOf(t *testing.T, records []produce.Record) map[string]bool {
	t.Helper()
	visitors, d := make(map[string]bool), event.NewDecoder()
	for _, r := range records {
		e := decode(t, d, r)
		visitors[string(e.VisitorID)] = true
	}
	return visitors
}

// Files that have no lines are refused by their first bytes, with what they are and what to do, also inside gzip.
func TestFilesWithoutLinesAreNamed(t *testing.T) {
	for begins, want := range map[string]string{
		"PK\x03\x04\x14\x00":  "it is a zip archive or an Office document: unpack it first, or save it as CSV",
		"\xfd7zXZ\x00\x00":    "it is packed with xz: unpack it first",
		"7z\xbc\xaf\x27\x1c":  "it is a 7z archive: unpack it first",
		"\x04\x22\x4d\x18":    "it is packed with lz4: unpack it first",
		"\x1f\x9d\x90":        "it is packed with compress: unpack it first",
		"%PDF-1.7\n":          "it is a PDF document: ",
		"\n<!DOCTYPE html>\n": "it is an HTML page, as servers answer ",
		"<HTML lang=en>":      "it is an HTML page, as servers answer ",
		"access.log" + strings.Repeat("\x00", 247) + "ustar\x00": "it is a tar archive: unpack it first",
	} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := io.WriteString(w, begins); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, content := range []string{begins, packed.String()} {
			if _, err := produce.Detect(text("x", content), false, accesslog.Config{}); err == nil || !strings.HasPrefix(err.Error(), "x: "+want) {
				t.Errorf("%q: %v, want %s", begins, err, want)
			}
		}
	}
}
