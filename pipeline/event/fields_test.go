package event

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

type textField struct {
	name string
	max  int
	cut  bool // a longer text is truncated; false: it is unusable
}

var textFields = []textField{
	{"id", 256, false}, {"visitorId", 256, false}, {"sessionId", 256, false}, {"userId", 256, false},
	{"url", 2048, true}, {"referrer", 2048, true}, {"title", 512, true}, {"userAgent", 1024, true},
	{"name", 128, false}, {"country", 64, false}, {"region", 64, false}, {"city", 64, false},
	{"device", 64, false}, {"browser", 64, false}, {"os", 64, false},
}

// eventWith decodes a valid event with one more field. It also has a sessionId, so that it is valid with an unusable visitorId.
func eventWith(t *testing.T, name, value string) Event {
	t.Helper()
	pairs := []string{name, value}
	if name != "sessionId" {
		pairs = append(pairs, "sessionId", `"s1"`)
	}
	e, reason, detail := decodeBothWays(t, recordWith(pairs...))
	if reason != Accepted {
		t.Fatalf("%s %.100s: rejected as %s (%s)", name, value, reason, detail)
	}
	return e
}

func TestTextLimits(t *testing.T) {
	for _, f := range textFields {
		whole := strings.Repeat("x", f.max)
		e := eventWith(t, f.name, quoted(whole))
		if got := eventTexts(&e)[f.name].text; string(got) != whole || e.Notes != 0 {
			t.Errorf("%s of %d bytes: %d bytes, notes %b", f.name, f.max, len(got), e.Notes)
		}
		// Runes of one to four bytes across the limit, and one that ends at it.
		for _, tail := range []string{"x", "xé", "é", "€", "x€", "😀", "xx😀"} {
			for _, back := range []int{0, 1, 2, 3} {
				text := strings.Repeat("x", f.max-back) + tail
				if len(text) <= f.max {
					continue
				}
				want, note := "", NoteUnusableField
				if f.cut {
					note = NoteCut
					for _, r := range text {
						if len(want)+utf8.RuneLen(r) > f.max {
							break
						}
						want += string(r)
					}
				}
				e := eventWith(t, f.name, quoted(text))
				if got := eventTexts(&e)[f.name].text; string(got) != want || e.Notes != note {
					t.Errorf("%s ending with %q at %d: ends with %q at %d, notes %b", f.name, tail, len(text), got[max(0, len(got)-5):], len(got), e.Notes)
				}
			}
		}
	}
}

func TestUnusableOptionalFieldMarksTheEvent(t *testing.T) {
	for _, f := range textFields {
		for _, wrong := range []string{"5", "-0.1e5", "true", "false", "[]", "{}", `["x"]`, `{"x":"y"}`} {
			e := eventWith(t, f.name, wrong)
			if got := eventTexts(&e)[f.name].text; got != nil || e.Notes != NoteUnusableField {
				t.Errorf("%s %s: %q, notes %b; want none, and NoteUnusableField", f.name, wrong, got, e.Notes)
			}
		}
		for _, none := range []string{"null", `""`} {
			if f.name == "sessionId" { // The event would have no visitor.
				continue
			}
			e := eventWith(t, f.name, none)
			if got := eventTexts(&e)[f.name].text; got != nil || e.Notes != 0 {
				t.Errorf("%s %s: %q, notes %b; want absent without a note", f.name, none, got, e.Notes)
			}
		}
	}
	for _, wrong := range []string{`"12.5"`, "true", "[]", "{}", "1e9", "0.0000001"} {
		if e := eventWith(t, "value", wrong); e.HasValue || e.Value != 0 || e.Notes != NoteUnusableField {
			t.Errorf("value %s: %d, %t, notes %b", wrong, e.Value, e.HasValue, e.Notes)
		}
	}
	if e := eventWith(t, "value", "null"); e.HasValue || e.Notes != 0 {
		t.Errorf("value null: %t, notes %b", e.HasValue, e.Notes)
	}
	for _, wrong := range []string{`"{}"`, "true", "[]", "5"} {
		if e := eventWith(t, "properties", wrong); e.Properties != nil || e.Notes != NoteUnusableField {
			t.Errorf("properties %s: %q, notes %b", wrong, e.Properties, e.Notes)
		}
	}
	if e := eventWith(t, "properties", "null"); e.Properties != nil || e.Notes != 0 {
		t.Errorf("properties null: %q, notes %b", e.Properties, e.Notes)
	}
	e := eventWith(t, "unknown", `{"a":[1,"\u00e9"]}`)
	if e.Notes != NoteUnknownKey {
		t.Errorf("an unknown key: notes %b", e.Notes)
	}
	all, reason, _ := decodeBothWays(t, recordWith("id", "5", "title", quoted(strings.Repeat("x", 513)), "Name", `"x"`))
	if reason != Accepted || all.Notes != NoteUnusableField|NoteCut|NoteUnknownKey {
		t.Errorf("all notes at once: %q, notes %b", reason, all.Notes)
	}
}

func TestIDsOfVisitsAreNoProducers(t *testing.T) {
	const visit = "~visit-7f99ec72f8645bac-1_17-4711"
	for _, spelled := range []string{visit, `\u007e` + visit[1:]} {
		e, reason, _ := decodeBothWays(t, recordWith("visitorId", `"v"`, "sessionId", quoted(spelled), "userId", quoted(spelled)))
		if reason != Accepted || e.SessionID != nil || e.UserID != nil || string(e.ShardID()) != "v" || e.Notes != NoteUnusableField {
			t.Errorf("%s: %q, sessionId %q, userId %q, notes %b", spelled, reason, e.SessionID, e.UserID, e.Notes)
		}
		if e, _, _ = decodeBothWays(t, recordWith("visitorId", quoted(spelled), "sessionId", `"s"`)); e.VisitorID != nil {
			t.Errorf("%s: visitorId %q", spelled, e.VisitorID)
		}
	}
	if e, _, _ := decodeBothWays(t, recordWith("sessionId", quoted(visit+"x"))); string(e.SessionID) != visit+"x" || e.Notes != 0 {
		t.Errorf("sessionId %q, notes %b, want one that only begins so", e.SessionID, e.Notes)
	}
}

func TestWordsForNobodyAreAbsentIDs(t *testing.T) {
	for _, word := range []string{"undefined", "null", "0", "anonymous", "00000000-0000-0000-0000-000000000000", `\u0030`} {
		e, reason, _ := decodeBothWays(t, recordWith("visitorId", quoted(word), "sessionId", `"s"`, "userId", quoted(word)))
		if reason != Accepted || e.VisitorID != nil || e.UserID != nil || e.Notes != 0 {
			t.Errorf("%s: %q, visitorId %q, userId %q, notes %b", word, reason, e.VisitorID, e.UserID, e.Notes)
		}
		if tag, id := e.Visitor(); tag != 's' || string(id) != "s" {
			t.Errorf("%s: visitor %c %q, want the session to stand in", word, tag, id)
		}
		if e, _, _ = decodeBothWays(t, recordWith("sessionId", quoted(word))); e.SessionID != nil || string(e.ShardID()) != "v1" {
			t.Errorf("%s: sessionId %q, shard by %q", word, e.SessionID, e.ShardID())
		}
	}
	for _, id := range []string{"Undefined", "NULL", "00", "Anonymous", " ", "anonymous ", "00000000-0000-0000-0000-000000000001"} {
		if e, _, _ := decodeBothWays(t, recordWith("visitorId", quoted(id))); string(e.VisitorID) != id {
			t.Errorf("visitorId %q became %q", id, e.VisitorID)
		}
	}
	// An event's own id and the other texts are no such ids.
	if e := eventWith(t, "id", `"0"`); string(e.ID) != "0" {
		t.Errorf(`id "0" became %q`, e.ID)
	}
}

func TestProperties(t *testing.T) {
	nested := func(depth int) string {
		return strings.Repeat(`{"a":[`, depth/2) + strings.Repeat("{", depth%2) + strings.Repeat("}", depth%2) + strings.Repeat("]}", depth/2)
	}
	sized := func(size int) string { return `{"a":"` + strings.Repeat("x", size-8) + `"}` }
	manyKeys := "{" // more than the scanner remembers
	for i := range 100 {
		manyKeys += fmt.Sprintf(`"k%d":{"k%d":[]},`, i, i)
	}
	manyKeys += `"z":0}`
	for name, kept := range map[string]string{
		"empty": "{}", "spaced": "{ \t\"a\" :\n[ 1 ,2 ] }", "32 deep": nested(32), "16 KiB": sized(16384), "many keys": manyKeys,
		"escaped keys": `{"\u0061":1,"b":2}`, "brackets in strings": `{"a":"` + strings.Repeat("[{\\\"", 40) + `"}`,
		"the same key at two depths": `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`,
	} {
		if e := eventWith(t, "properties", kept); string(e.Properties) != kept || e.Notes != 0 {
			t.Errorf("%s: %.80q became %.80q, notes %b", name, kept, e.Properties, e.Notes)
		}
	}
	for name, over := range map[string]string{"33 deep": nested(33), "33 deep in an array": `{"a":` + nested(32) + `}`,
		"16 KiB and a byte": sized(16385)} {
		if e := eventWith(t, "properties", over); e.Properties != nil || e.Notes != NoteUnusableField {
			t.Errorf("%s: kept %d bytes, notes %b", name, len(e.Properties), e.Notes)
		}
	}
	// The event's white space around the object is not the object's.
	if e := eventWith(t, "properties", " {} "); string(e.Properties) != "{}" {
		t.Errorf("properties %q, want {}", e.Properties)
	}
}

func TestPage(t *testing.T) {
	for url, want := range map[string]string{
		"https://shop.example/a/b?x=1#y": "/a/b", "https://shop.example": "/", "https://shop.example?x=/y": "/", "https://shop.example#/y": "/",
		"/a?x=https://b/c": "/a", "/a": "/a", "a/b": "a/b", "?x": "/", "#x": "/", "/go/http://b.example/c": "/go/http://b.example/c",
		"HTTP://shop.example/a": "/a", "//a/b": "//a/b", "android-app://com.example/x": "/x", "1http://a/b": "1http://a/b", "://a": "://a",
		"/a#b?c": "/a", "/wiki/%C3%A9": "/wiki/%C3%A9", "file:///C:/x": "/C:/x",
	} {
		e := Event{URL: []byte(url)}
		if got := e.Page(); string(got) != want {
			t.Errorf("Page of %q = %q, want %q", url, got, want)
		}
	}
	if e := (Event{}); e.Page() != nil {
		t.Errorf("Page without url = %q", e.Page())
	}
}
