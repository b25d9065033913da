package event

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// parsingSuite returns the files of JSONTestSuite by their names: y_ must be accepted, n_ rejected; the others,
// i_ and those that show what parsers make of unclear input, either.
func parsingSuite(t testing.TB) map[string][]byte {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(realdata.Read(t, "badinput/JSONTestSuite-parsing.tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if name := path.Base(h.Name); path.Ext(name) == ".json" {
			if files[name], err = io.ReadAll(archive); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// stricter are files that JSON allows and an event does not: an object that names a key twice.
var stricter = map[string]bool{"y_object_duplicated_key.json": true, "y_object_duplicated_key_and_value.json": true}

func TestJSONTestSuiteAsRecords(t *testing.T) {
	files := parsingSuite(t)
	for name, content := range files {
		_, reason, detail := decodeBothWays(t, content)
		want := map[Reason]bool{}
		switch {
		case len(content) > MaxRecordBytes:
			want[TooLarge] = true
		case len(content) == 0:
			want[Empty] = true
		case strings.HasPrefix(name, "n_") || stricter[name]:
			want[BadJSON] = true
		default:
			want[NotObject] = true
			if strings.HasPrefix(strings.TrimSpace(string(content)), "{") {
				want = map[Reason]bool{MissingSite: true}
			}
			want[BadJSON] = !strings.HasPrefix(name, "y_")
		}
		if !want[reason] {
			t.Errorf("%s, %.60q: %s (%s), want one of %v", name, content, reason, detail, want)
		}
	}
	if len(files) != 318+22 {
		t.Errorf("%d files, want 318 and 22 unclear ones", len(files))
	}
}

func TestJSONTestSuiteAsProperties(t *testing.T) {
	for name, content := range parsingSuite(t) {
		e, reason, detail := decodeBothWays(t, recordWith("properties", " "+string(content)))
		text := strings.Trim(string(content), " \t\r\n")
		switch accepted := reason == Accepted; {
		case strings.HasPrefix(name, "n_") || stricter[name]:
			if reason != BadJSON && reason != TooLarge {
				t.Errorf("%s, %.60q: %q, want bad_json", name, content, reason)
			}
		case !accepted && (strings.HasPrefix(name, "y_") || reason != BadJSON):
			t.Errorf("%s, %.60q: %s (%s), want it accepted", name, content, reason, detail)
		case accepted && strings.HasPrefix(text, "{"):
			if string(e.Properties) != text || e.Notes != 0 {
				t.Errorf("%s: %q became %q, notes %b", name, text, e.Properties, e.Notes)
			}
		case accepted && (e.Properties != nil || (e.Notes == 0) != (text == "null")):
			t.Errorf("%s, %.60q: properties %q, notes %b; want an unusable field", name, content, e.Properties, e.Notes)
		}
	}
}

// escapeAll spells a JSON string in escapes only.
func escapeAll(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return quoted(b.String())
}

func TestNaughtyStringsStayThemselves(t *testing.T) {
	var naughty []string
	if err := json.Unmarshal(realdata.Read(t, "badinput/blns.json"), &naughty); err != nil {
		t.Fatal(err)
	}
	if len(naughty) != 515 {
		t.Errorf("%d strings, want 515", len(naughty))
	}
	nobody := map[string]bool{"undefined": true, "null": true, "0": true, "anonymous": true, "00000000-0000-0000-0000-000000000000": true}
	fewer := slow.Fewer(t)
	for n, field := range append([]textField{{"siteId", 128, false}, {"type", 64, false}}, textFields...) {
		required := field.name == "siteId" || field.name == "type"
		person := field.name == "visitorId" || field.name == "sessionId" || field.name == "userId"
		for i, s := range naughty {
			if fewer && (i+n)%4 != 0 {
				continue
			}
			plain, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, spelled := range []string{string(plain), escapeAll(s)} {
				pairs := []string{field.name, spelled}
				if field.name == "visitorId" {
					pairs = append(pairs, "sessionId", `"s1"`)
				}
				e, reason, _ := decodeBothWays(t, recordWith(pairs...))
				got := eventTexts(&e)[field.name].text
				switch {
				case required && (s == "" || len(s) > field.max):
					if reason == Accepted {
						t.Errorf("%s %q: accepted as %q", field.name, s, got)
					}
				case reason != Accepted:
					t.Errorf("%s %q: rejected as %s", field.name, s, reason)
				case s == "" || person && nobody[s]:
					if got != nil || e.Notes != 0 {
						t.Errorf("%s %q: %q, notes %b; want absent", field.name, s, got, e.Notes)
					}
				case len(s) <= field.max:
					if string(got) != s || e.Notes != 0 {
						t.Errorf("%s %q became %q, notes %b", field.name, s, got, e.Notes)
					}
				case field.cut:
					if len(got) > field.max || len(got) < field.max-3 || !strings.HasPrefix(s, string(got)) || e.Notes != NoteCut {
						t.Errorf("%s %q became %q, notes %b", field.name, s, got, e.Notes)
					}
				default:
					if got != nil || e.Notes != NoteUnusableField {
						t.Errorf("%s %q, too long: %q, notes %b; want it unusable", field.name, s, got, e.Notes)
					}
				}
			}
		}
	}
}
