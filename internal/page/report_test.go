package page

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"
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
		a.Dimension, a.Sort = s.dimension, s.sort
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
