package page

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/query"
)

// reportOf has a site with a text in each place where a producer or an owner may have written one.
func reportOf(text string) ReportView {
	v := view(text)
	r := ReportView{Site: text, Known: &query.Site{SiteID: text, Name: text, Zone: "UTC"}, Stats: v.Stats, Goals: v.Goals}
	for _, s := range reportSections {
		a := v.Tops[0]
		a.Dimension, a.Sort = s.Dimension, s.Sort
		r.Tops = append(r.Tops, a)
	}
	return r
}

func TestReportsReadAsCommitted(t *testing.T) {
	for file, write := range map[string]func(io.Writer, ReportView) error{"report.html": ReportHTML, "report.txt": ReportText,
		"report.eml": ReportMIME} {
		var b bytes.Buffer
		if err := write(&b, reportOf("Shop <b>&\u202eexample\u202c 🛒")); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/"+file, strings.ReplaceAll(b.String(), "\r\n", "\n"))
	}
}

// TestReportsShowHostileTextsAsText: no text makes an element, a style, a header or a line of its own.
func TestReportsShowHostileTextsAsText(t *testing.T) {
	var plain bytes.Buffer
	if err := ReportHTML(&plain, reportOf("x")); err != nil {
		t.Fatal(err)
	}
	for _, text := range append(hostile, "a\r\nBcc: all@shop.example", "=_footfall-report", "\n--=_footfall-report--\n") {
		var document, message bytes.Buffer
		if err := ReportHTML(&document, reportOf(text)); err != nil {
			t.Fatal(err)
		}
		if have, want := strings.Count(document.String(), "<"), strings.Count(plain.String(), "<"); have != want {
			t.Errorf("%q: the document has %d elements, want %d", text, have, want)
		}
		if err := ReportMIME(&message, reportOf(text)); err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(&message)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if len(m.Header) != 3 {
			t.Errorf("%q: headers %v, want 3", text, m.Header)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || !strings.HasSuffix(subject, "10 May 2026 – 13 May 2026") {
			t.Errorf("%q: subject %q, %v", text, subject, err)
		}
		_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
		if err != nil {
			t.Fatal(err)
		}
		parts := multipart.NewReader(m.Body, params["boundary"])
		for _, kind := range []string{"text/plain; charset=utf-8", "text/html; charset=utf-8"} {
			part, err := parts.NextPart()
			if err != nil || part.Header.Get("Content-Type") != kind {
				t.Fatalf("%q: part %v, %v; want %s", text, part, err, kind)
			}
			body, err := io.ReadAll(part)
			if err != nil {
				t.Fatal(err)
			}
			if i := strings.IndexFunc(string(body), func(r rune) bool {
				return r != '\n' && r != '\r' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
			}); i >= 0 {
				t.Errorf("%q: %s has a hidden character at %d", text, kind, i)
			}
		}
		if _, err := parts.NextPart(); err != io.EOF {
			t.Errorf("%q: after the parts: %v, want the end", text, err)
		}
	}
}

// TestReportsSayWhatIsKnown: days before the site's first data are unknown, the values of events have a line, events without a value are in
// no list of visitors, and a note explains only what occurs.
func TestReportsSayWhatIsKnown(t *testing.T) {
	text := func(change func(*ReportView)) string {
		v := reportOf("shop")
		change(&v)
		var b bytes.Buffer
		if err := ReportText(&b, v); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	plain := text(func(v *ReportView) {
		v.Stats.By = query.Day
		v.Stats.Totals.Values, v.Stats.Totals.ValueSum = 3, "1234.5"
	})
	for _, want := range []string{"Visitors by day", "Value 1,234.5", "Values 3", "(events without a value: 5)",
		"Sun 10 May 40", "may be missing"} {
		if !strings.Contains(plain, want) {
			t.Errorf("the report lacks %q:\n%s", want, plain)
		}
	}
	if strings.Contains(plain, "±") || strings.Contains(plain, "5 events") {
		t.Errorf("the report explains errors that it does not show, or mixes events into visitors:\n%s", plain)
	}
	young := text(func(v *ReportView) {
		previous := *v.Stats.Previous
		previous.DataFrom = new(v.Stats.Buckets[1].Start)
		v.Stats.Previous, v.Stats.CompleteThrough = &previous, new(v.Stats.To)
	})
	if !strings.Contains(young, "Sun 10 May –") || !strings.Contains(young, "data only from 11 May 2026") ||
		strings.Contains(young, "may be missing") {
		t.Errorf("a finished range with data from its second day on:\n%s", young)
	}
}

func TestReportBucketsFitTheRange(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]query.By{1: query.Hour, 7: query.Day, 31: query.Day, 90: query.Month, 365: query.Month} {
		if by := ReportBuckets(query.Range{From: start, To: start.AddDate(0, 0, days)}); by != want {
			t.Errorf("%d days are shown by %s, want %s", days, by, want)
		}
	}
}
