package show_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

// hostile has every kind of character that a terminal obeys.
const hostile = "\x1b]0;title\a\x9b2J\u0085\u009b\u202e\u2066\u200f\u061c\x7f\r\b"

func isHidden(r rune) bool {
	return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 ||
		strings.ContainsRune("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r)
}

// TestNothingThatATerminalObeysIsPrinted: a site's id, which may be anything, in each format.
func TestNothingThatATerminalObeysIsPrinted(t *testing.T) {
	name := strings.ToValidUTF8("=cmd"+hostile, "")
	answer := query.SiteAnswer{SiteID: name, Known: query.Known{SiteKnown: true}, Site: &query.Site{SiteID: name, Name: name,
		Domains: []string{name}, UserAgents: []string{name}}}
	for _, format := range []show.Format{show.Table, show.JSON, show.CSV} {
		var out, notes bytes.Buffer
		if err := show.Print(&out, &notes, show.Layout{Format: format}, answer); err != nil {
			t.Fatal(err)
		}
		if text := out.String() + notes.String(); strings.ContainsFunc(text, isHidden) {
			t.Errorf("%s: %q", format, text)
		}
		if format == show.JSON {
			var back query.SiteAnswer
			if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.SiteID != name {
				t.Errorf("JSON has become %q, %v", back.SiteID, err)
			}
		}
	}
	unknown := query.SiteAnswer{SiteID: name}
	var out bytes.Buffer
	if err := show.Print(&out, &out, show.Layout{Format: show.Table}, unknown); err != nil || strings.ContainsFunc(out.String(), isHidden) {
		t.Errorf("of a site that is not known: %q, %v", out.String(), err)
	}
}

func TestPlainWriterTakesSplitRunes(t *testing.T) {
	var out bytes.Buffer
	w := show.PlainWriter(&out)
	for _, b := range []byte("a\tä\u202e€\x9b\x1b\n") {
		if n, err := w.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := "a\tä\\u202e€\\x9b\\u001b\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestCSVHasNoFormulas: a spreadsheet runs what begins like one.
func TestCSVHasNoFormulas(t *testing.T) {
	for name, want := range map[string]string{
		"=1+1": "'=1+1", "+x": "'+x", "-x": "'-x", "@x": "'@x", "\tx": `'\u0009x`, "\rx": `'\u000dx`, "a=1": "a=1", "-12.5": "-12.5", "+7": "+7",
		"-1+1": "'-1+1",
	} {
		answer := query.SiteAnswer{SiteID: "s", Known: query.Known{SiteKnown: true}, Site: &query.Site{SiteID: "s", Name: name}}
		var out, raw bytes.Buffer
		if err := show.Print(&out, &out, show.Layout{Format: show.CSV}, answer); err != nil || !strings.Contains(out.String(), ","+want+",") {
			t.Errorf("%q: %s %v", name, out.String(), err)
		}
		if err := show.Print(&raw, &raw, show.Layout{Format: show.CSVRaw}, answer); err != nil || !strings.Contains(raw.String(), name) {
			t.Errorf("%q raw: %s %v", name, raw.String(), err)
		}
	}
}
