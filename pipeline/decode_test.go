package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// plainFields are a valid event's required fields, as JSON.
var plainFields = []string{"siteId", `"shop"`, "type", `"page_view"`, "timestamp", `"2026-05-12T14:03:07.250Z"`, "visitorId", `"v1"`}

// recordWith returns a valid event's JSON text with some keys and values, given as JSON in pairs, put in the
// place of its own or added.
func recordWith(pairs ...string) []byte {
	fields := slices.Clone(plainFields)
	for i := 0; i < len(pairs); i += 2 {
		if at := slices.Index(fields, pairs[i]); at >= 0 && at%2 == 0 {
			fields[at+1] = pairs[i+1]
		} else {
			fields = append(fields, pairs[i], pairs[i+1])
		}
	}
	var members []string
	for i := 0; i < len(fields); i += 2 {
		if fields[i+1] != "" { // else it is left out
			members = append(members, quoted(fields[i])+":"+fields[i+1])
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

func quoted(s string) string { return `"` + s + `"` }

// authority decodes without the scanner.
func (d *Decoder) authority(value []byte, e *Event) (Reason, string) {
	d.begin(e)
	if reason, detail := d.read(value, e); reason != Accepted {
		*e = Event{}
		return reason, detail
	}
	return d.finish(e)
}

// decodeBothWays decodes a record, checks that the authority alone says the same of it and that its Event keeps
// what Event promises, and returns what Decode did.
func decodeBothWays(t *testing.T, value []byte) (Event, Reason, string) {
	t.Helper()
	before := bytes.Clone(value)
	var e, slow Event
	reason, detail := NewDecoder().Decode(value, &e)
	if !bytes.Equal(before, value) {
		t.Fatalf("Decode changed the record\n%q to\n%q", before, value)
	}
	if len(value) > 0 && len(value) <= MaxRecordBytes {
		slowReason, slowDetail := NewDecoder().authority(value, &slow)
		if reason != slowReason || detail != slowDetail || !reflect.DeepEqual(e, slow) {
			t.Fatalf("record %q:\nDecode    %s (%s) %+v\nauthority %s (%s) %+v", value, reason, detail, e, slowReason, slowDetail, slow)
		}
	}
	checkEvent(t, &e, reason, detail)
	return e, reason, detail
}

type limitedText struct {
	text []byte
	max  int
}

// eventTexts are an event's texts with their limits.
func eventTexts(e *Event) map[string]limitedText {
	return map[string]limitedText{
		"siteId": {e.SiteID, 128}, "type": {e.Type, 64}, "id": {e.ID, 256},
		"visitorId": {e.VisitorID, 256}, "sessionId": {e.SessionID, 256}, "userId": {e.UserID, 256},
		"url": {e.URL, 2048}, "referrer": {e.Referrer, 2048}, "title": {e.Title, 512}, "userAgent": {e.UserAgent, 1024},
		"name": {e.Name, 128}, "country": {e.Country, 64}, "region": {e.Region, 64}, "city": {e.City, 64},
		"device": {e.Device, 64}, "browser": {e.Browser, 64}, "os": {e.OS, 64}, "properties": {e.Properties, 16384},
	}
}

func checkEvent(t *testing.T, e *Event, reason Reason, detail string) {
	t.Helper()
	if !utf8.ValidString(detail) || len(detail) > 2*maxDetailBytes {
		t.Errorf("detail %q is %d bytes, or no valid UTF-8", detail, len(detail))
	}
	if reason != Accepted {
		if detail == "" || !slices.Contains(Reasons, reason) {
			t.Errorf("rejected as %q with detail %q", reason, detail)
		}
		if !reflect.DeepEqual(*e, Event{}) {
			t.Errorf("rejected as %s, but the event is %+v", reason, e)
		}
		return
	}
	if detail != "" {
		t.Errorf("accepted with detail %q", detail)
	}
	for name, f := range eventTexts(e) {
		if f.text != nil && len(f.text) == 0 || len(f.text) > f.max || !utf8.Valid(f.text) {
			t.Errorf("%s = %q, %d bytes", name, f.text, len(f.text))
		}
	}
	if e.SiteID == nil || e.Type == nil || e.VisitorID == nil && e.SessionID == nil {
		t.Errorf("accepted without a required field: %+v", e)
	}
	if e.Timestamp < 0 || e.Timestamp > MaxTimestamp {
		t.Errorf("timestamp %d", e.Timestamp)
	}
	if e.Value <= -1e15 || e.Value >= 1e15 || !e.HasValue && e.Value != 0 {
		t.Errorf("value %d, %t", e.Value, e.HasValue)
	}
	if (e.Page() == nil) != (e.URL == nil) || e.URL != nil && len(e.Page()) == 0 {
		t.Errorf("page %q of url %q", e.Page(), e.URL)
	}
}

func TestDocumentedEventsAreAccepted(t *testing.T) {
	doc, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(doc), "```json\n")[1:]
	for _, example := range examples {
		value, _, _ := strings.Cut(example, "```")
		if e, reason, detail := decodeBothWays(t, []byte(value)); reason != Accepted || e.Notes != 0 {
			t.Errorf("%s\n%s (%s), notes %b", value, reason, detail, e.Notes)
		}
	}
	if len(examples) != 2 {
		t.Errorf("%d examples, want 2", len(examples))
	}
	for _, reason := range Reasons {
		if !strings.Contains(string(doc), "| `"+string(reason)+"` |") {
			t.Errorf("no row for the reason %s", reason)
		}
	}
	for name := range eventTexts(&Event{}) {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("the field %s is not documented", name)
		}
	}
}

func TestDecodeReadsEveryField(t *testing.T) {
	value := []byte(`{
		"siteId": "shop", "type": "purchase", "timestamp": 1778594587250, "id": "e-1",
		"visitorId": "v1", "sessionId": "s1", "userId": "u1",
		"url": "https:\/\/shop.example\/caf\u00e9?q=1#top", "referrer": "https://search.example/", "title": "Caf\u00e9 \"Z\u00fcrich\" \ud83d\ude00",
		"userAgent": "Mozilla/5.0", "name": "checkout", "value": -12.5,
		"country": "CH", "region": "ZH", "city": "Zürich", "device": "mobile", "browser": "Firefox", "os": "Android",
		"properties": {"big": 123456789012345678901234567890, "e": 1E400, "list": [1, {"x": "\u0000"}]}
	}`)
	got, reason, detail := decodeBothWays(t, value)
	want := Event{
		SiteID: []byte("shop"), Type: []byte("purchase"), Timestamp: 1778594587250, ID: []byte("e-1"),
		VisitorID: []byte("v1"), SessionID: []byte("s1"), UserID: []byte("u1"),
		URL: []byte("https://shop.example/café?q=1#top"), Referrer: []byte("https://search.example/"), Title: []byte(`Café "Zürich" 😀`),
		UserAgent: []byte("Mozilla/5.0"), Name: []byte("checkout"), Value: -12_500_000, HasValue: true,
		Country: []byte("CH"), Region: []byte("ZH"), City: []byte("Zürich"), Device: []byte("mobile"), Browser: []byte("Firefox"), OS: []byte("Android"),
		Properties: []byte(`{"big": 123456789012345678901234567890, "e": 1E400, "list": [1, {"x": "\u0000"}]}`),
	}
	if reason != Accepted || !reflect.DeepEqual(got, want) {
		t.Errorf("Decode = %q (%s)\n got %+v\nwant %+v", reason, detail, got, want)
	}
}

func TestEveryReasonOfDecode(t *testing.T) {
	cases := []struct {
		name   string
		value  []byte
		reason Reason
		detail string // that it contains
	}{
		{"one byte over 64 KiB", bytes.Repeat([]byte(" "), 65537), TooLarge, "65537 bytes"},
		{"a tombstone", nil, Empty, "no value"},
		{"zero bytes", []byte{}, Empty, "no value"},
		{"white space", []byte(" \n"), BadJSON, "white space"},
		{"a truncated object", []byte(`{"siteId":"shop"`), BadJSON, "EOF"},
		{"a truncated array", []byte(`[1`), BadJSON, "EOF"},
		{"no JSON", []byte("hello"), BadJSON, "invalid character 'h'"},
		{"a byte order mark", append([]byte("\xef\xbb\xbf"), recordWith()...), BadJSON, "invalid character"},
		{"a second value", append(recordWith(), "{}"...), BadJSON, "goes on"},
		{"a second value after an array", []byte("[] []"), BadJSON, "goes on"},
		{"a trailing NUL", append(recordWith(), 0), BadJSON, "goes on"},
		{"a trailing comma", append(recordWith()[:len(recordWith())-1], ",}"...), BadJSON, "invalid character"},
		{"a known key twice", []byte(`{"siteId":"a","siteId":"b"}`), BadJSON, `duplicate object member name "siteId"`},
		{"a known key twice, once escaped", []byte(`{"siteId":"a","site\u0049d":"b"}`), BadJSON, `"siteId"`},
		{"an unknown key twice", recordWith("x", "1", "y", `2,"x":3`), BadJSON, `"x"`},
		{"a very long key twice", recordWith(strings.Repeat("é", 500), `1,"`+strings.Repeat("é", 500)+`":2`), BadJSON, "é..."},
		{"a key of properties twice", recordWith("properties", `{"a":1,"b":2,"a":3}`), BadJSON, `"a"`},
		{"a key twice deep in properties", recordWith("properties", `{"a":[{"b":{"c":1,"d":1,"c":1}}]}`), BadJSON, `"c"`},
		{"a key twice in an unknown field", recordWith("x", `{"a":1,"a":2}`), BadJSON, `"a"`},
		{"invalid UTF-8", recordWith("title", "\"a\xff\""), BadJSON, "UTF-8"},
		{"invalid UTF-8 in an unknown field", recordWith("x", "\"a\xc0\x80\""), BadJSON, "UTF-8"},
		{"invalid UTF-8 in a key", recordWith("properties", "{\"a\xff\":1}"), BadJSON, "UTF-8"},
		{"a surrogate encoded as UTF-8", recordWith("title", "\"\xed\xa0\x80\""), BadJSON, "UTF-8"},
		{"a lone high surrogate", recordWith("title", `"\ud800"`), BadJSON, "surrogate"},
		{"a lone low surrogate in properties", recordWith("properties", `{"a":"\udc00"}`), BadJSON, "surrogate"},
		{"an unknown escape", recordWith("title", `"\x"`), BadJSON, "escape"},
		{"a raw control character", recordWith("title", "\"a\nb\""), BadJSON, "invalid character"},
		{"a number with a leading zero in properties", recordWith("properties", `{"a":01}`), BadJSON, "invalid character"},
		{"a number with a plus", recordWith("value", `+1`), BadJSON, "invalid character"},
		{"NaN", recordWith("value", "NaN"), BadJSON, "invalid character"},
		{"nested 10,001 deep", recordWith("x", strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), BadJSON, "nested more than 64 deep"},
		{"null", []byte("null"), NotObject, "not an object"},
		{"an array of events", []byte("[" + string(recordWith()) + "]"), NotObject, "not an object"},
		{"a string", []byte(`"x"`), NotObject, "not an object"},
		{"an empty object", []byte("{}"), MissingSite, "not there"},
		{"no siteId", recordWith("siteId", ""), MissingSite, "not there"},
		{"siteId null", recordWith("siteId", "null"), MissingSite, "null"},
		{"siteId empty", recordWith("siteId", `""`), MissingSite, "empty"},
		{"siteId in another case", recordWith("siteId", "", "SiteId", `"shop"`), MissingSite, "exact case"},
		{"siteId a number", recordWith("siteId", "17"), BadSite, "17"},
		{"siteId an object", recordWith("siteId", "{}"), BadSite, "an object"},
		{"siteId of 129 bytes", recordWith("siteId", quoted(strings.Repeat("é", 64)+"x")), BadSite, "129 bytes"},
		{"no type", recordWith("type", ""), MissingType, "not there"},
		{"type null", recordWith("type", "null"), MissingType, "null"},
		{"type empty", recordWith("type", `""`), MissingType, "empty"},
		{"type a boolean", recordWith("type", "true"), BadType, "true"},
		{"type of 65 bytes", recordWith("type", quoted(strings.Repeat("x", 65))), BadType, "65 bytes"},
		{"no timestamp", recordWith("timestamp", ""), MissingTime, "not there"},
		{"timestamp null", recordWith("timestamp", "null"), MissingTime, "null"},
		{"timestamp empty", recordWith("timestamp", `""`), MissingTime, "empty"},
		{"timestamp a word", recordWith("timestamp", `"yesterday"`), BadTime, `"yesterday"`},
		{"timestamp digits in a string", recordWith("timestamp", `"1778594587250"`), BadTime, "1778594587250"},
		{"timestamp a fraction of a millisecond", recordWith("timestamp", "1778594587250.5"), BadTime, "1778594587250.5"},
		{"timestamp before 1970", recordWith("timestamp", "-1"), BadTime, "-1"},
		{"timestamp after 9999", recordWith("timestamp", "253402300800000"), BadTime, "253402300800000"},
		{"timestamp a very long number", recordWith("timestamp", strings.Repeat("9", 1000)), BadTime, "999..."},
		{"siteId very long", recordWith("siteId", quoted(strings.Repeat("€", 1000))), BadSite, "3000 bytes"},
		{"timestamp an array", recordWith("timestamp", "[1]"), BadTime, "an array"},
		{"no visitorId and no sessionId", recordWith("visitorId", ""), MissingVisitor, "neither"},
		{"only a userId", recordWith("visitorId", "", "userId", `"u"`), MissingVisitor, "neither"},
		{"visitorId anonymous, sessionId a number", recordWith("visitorId", `"anonymous"`, "sessionId", "5"), MissingVisitor, "neither"},
		{"the site's fault before the type's", recordWith("siteId", "1", "type", "1", "timestamp", "-1", "visitorId", ""), BadSite, "1"},
		{"the time's fault before the visitor's", recordWith("timestamp", "-1", "visitorId", ""), BadTime, "-1"},
	}
	// By TestJudge, admission_test.go, TestBatchThatCannotBeStreamedIsRejectedAsARange and TestRecordThatPanicsIsIsolated.
	tested := map[Reason]bool{BadRecordTime: true, TooLate: true, TooEarly: true, UnknownSite: true, TooManySites: true,
		Unreadable: true, Panicked: true}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, reason, detail := decodeBothWays(t, c.value)
			if reason != c.reason || !strings.Contains(detail, c.detail) {
				t.Errorf("Decode = %q, %q; want %q with %q", reason, detail, c.reason, c.detail)
			}
		})
		tested[c.reason] = true
	}
	for _, r := range Reasons {
		if !tested[r] {
			t.Errorf("no case for %s", r)
		}
	}
}

func TestJudge(t *testing.T) {
	const record = int64(1_778_594_587_250)
	late, early := (48 * 3_600_000), (10 * 60_000)
	off, dated := DefaultSettings(), DefaultSettings()
	off.LateMs = -1
	dated.NotAfter = record
	cases := []struct {
		name     string
		settings Settings
		event    int64
		want     Reason
	}{
		{"at the record's time", DefaultSettings(), record, Accepted},
		{"as late as can be", DefaultSettings(), record - int64(late), Accepted},
		{"a millisecond too late", DefaultSettings(), record - int64(late) - 1, TooLate},
		{"as early as can be", DefaultSettings(), record + int64(early), Accepted},
		{"a millisecond too early", DefaultSettings(), record + int64(early) + 1, TooEarly},
		{"never too late", off, EarliestEvent, Accepted},
		{"never too late, but seconds for milliseconds", off, record / 1000, TooLate},
		{"the end of 1970", off, EarliestEvent - 1, TooLate},
		{"never too late, yet too early", off, record + int64(early) + 1, TooEarly},
		{"as far ahead as is believed", dated, record, Accepted},
	}
	for _, c := range cases {
		if got := c.settings.Judge(&Event{Timestamp: c.event}, record); got != c.want {
			t.Errorf("%s: Judge = %q, want %q", c.name, got, c.want)
		}
	}
	for name, at := range map[string]int64{"a millisecond beyond": record + 1, "2250": time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(),
		"the last that Kafka takes": math.MaxInt64} {
		if got := dated.Judge(&Event{Timestamp: record}, at); got != BadRecordTime {
			t.Errorf("a record dated %s: Judge = %q, want %q", name, got, BadRecordTime)
		}
	}
	seconds := record / 1000
	if got := off.Judge(&Event{Timestamp: seconds}, seconds); got != TooLate {
		t.Errorf("record and event dated in seconds: Judge = %q, want %q", got, TooLate)
	}
}

func TestRecordsAtTheirLimitsAreDecoded(t *testing.T) {
	large := recordWith()
	large = append(large, bytes.Repeat([]byte(" "), MaxRecordBytes-len(large))...)
	arrays := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	for name, value := range map[string][]byte{"64 KiB": large, "64 deep": recordWith("x", arrays), "1,000 keys": recordOfKeys(1_000),
		"1,000 keys of objects": recordOfObjects(1_000), "1,000 colons in a text": recordWith("x", quoted(strings.Repeat(`:{[\":`, 1_000)))} {
		if _, reason, detail := decodeBothWays(t, value); reason != Accepted {
			t.Errorf("%s: %s (%s)", name, reason, detail)
		}
	}
	for name, c := range map[string]struct {
		value  []byte
		detail string
	}{
		"65 deep":                  {recordWith("x", "["+arrays+"]"), "nested more than 64 deep"},
		"65 deep, and then broken": {append(recordWith("x", "["+arrays+"]"), '{'), "nested more than 64 deep"},
		"9,990 deep":               {recordWith("x", strings.Repeat("[", 9_990)+strings.Repeat("]", 9_990)), "nested more than 64 deep"},
		"1,001 keys":               {recordOfKeys(1_001), "more than 1000 keys"},
		"1,001 keys of objects":    {recordOfObjects(1_001), "more than 1000 keys"},
		"an array of depth 65":     {[]byte("[" + "[" + arrays + "]" + "]"), "nested more than 64 deep"},
	} {
		if _, reason, detail := decodeBothWays(t, c.value); reason != BadJSON || !strings.Contains(detail, c.detail) {
			t.Errorf("%s: %s (%s), want %s with %q", name, reason, detail, BadJSON, c.detail)
		}
	}
}

// recordOfKeys is a good record with so many keys.
func recordOfKeys(n int) []byte {
	value := recordWith()
	for i := bytes.Count(value, []byte(`":`)); i < n; i++ {
		value = append(value[:len(value)-1], fmt.Sprintf(`,"k%d":%d}`, i, i)...)
	}
	return value
}

// recordOfObjects is a good record with so many keys, most of them those of many small objects, as the scanner takes them.
func recordOfObjects(n int) []byte {
	n -= bytes.Count(recordWith(), []byte(`":`)) + 1
	return recordWith("x", "["+strings.Repeat(`{"a":0},`, n-1)+`{"a":0}]`)
}

// FuzzLimits holds the limits to what package jsontext counts, in any text that is JSON.
func FuzzLimits(f *testing.F) {
	f.Add([]byte(`{"a":[{"b:{":"\\\":["}]}`))
	f.Add(recordOfObjects(1_001))
	f.Add([]byte(strings.Repeat("[", 65) + strings.Repeat("]", 65)))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := jsontext.NewDecoder(bytes.NewReader(text))
		depth, keys := 0, 0
		for {
			k := d.PeekKind()
			if in, n := d.StackIndex(d.StackDepth()); in == jsontext.KindBeginObject && n%2 == 0 && k == jsontext.KindString {
				keys++
			}
			if _, err := d.ReadToken(); err == io.EOF {
				break
			} else if err != nil {
				return
			}
			depth = max(depth, d.StackDepth())
		}
		if over := overLimits(text) != ""; over != (depth > maxRecordDepth || keys > maxRecordKeys) {
			t.Errorf("%q: beyond the limits: %v, with %d keys, %d deep", text, over, keys, depth)
		}
	})
}

// BenchmarkDecodeHostile is what the dearest records of 64 KiB cost that are known: at most 0.5 ms on a quiet machine.
func BenchmarkDecodeHostile(b *testing.B) {
	const room = MaxRecordBytes - 400
	for name, value := range map[string][]byte{
		"nested 9,990 deep":    recordWith("x", strings.Repeat("[", 9_990)+strings.Repeat("]", 9_990)),
		"6,900 unknown keys":   recordOfKeys(6_900)[:MaxRecordBytes-8_000],
		"1,000 unknown keys":   recordOfKeys(1_000),
		"1,000 long keys":      recordWith("x", "{"+longKeys(960, 60)+"}"),
		"numbers":              recordWith("x", "["+strings.Repeat("1,", room/2)+"1]"),
		"arrays":               recordWith("x", "["+strings.Repeat("[],", room/3)+"1]"),
		"an escaped text":      recordWith("title", quoted(strings.Repeat(`\u00e9`, room/6))),
		"an escaped text of x": recordWith("x", quoted(strings.Repeat(`\u00e9`, room/6))),
		"an escaped key":       recordWith(strings.Repeat(`\u00e9`, room/6), "1"),
		"a long number":        recordWith("value", strings.Repeat("7", room)),
		"non-ASCII text":       recordWith("title", quoted(strings.Repeat("é", room/2))),
	} {
		b.Run(name, func(b *testing.B) {
			d := NewDecoder()
			var e Event
			for b.Loop() {
				d.Decode(value, &e)
			}
		})
	}
}

func longKeys(n, size int) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"%0*d":1`, size, i)
	}
	return strings.Join(keys, ",")
}

type textField struct {
	name string
	max  int
	cut  bool // else it is unusable when it is longer
}

var textFields = []textField{
	{"id", 256, false}, {"visitorId", 256, false}, {"sessionId", 256, false}, {"userId", 256, false},
	{"url", 2048, true}, {"referrer", 2048, true}, {"title", 512, true}, {"userAgent", 1024, true},
	{"name", 128, false}, {"country", 64, false}, {"region", 64, false}, {"city", 64, false},
	{"device", 64, false}, {"browser", 64, false}, {"os", 64, false},
}

// eventWith decodes a valid event with one field more; a second id stands in where that field is an unusable
// visitorId.
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
			if f.name == "sessionId" { // else nobody is left
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
	for name, over := range map[string]string{"33 deep": nested(33), "33 deep in an array": `{"a":` + nested(32) + `}`, "16 KiB and a byte": sized(16385)} {
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

// typicalRecords are events as a tracking script sends them: 11 fields and about 520 bytes.
func typicalRecords(n int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	records := make([][]byte, n)
	for i := range records {
		records[i] = fmt.Appendf(nil, `{"siteId":"site-%d","type":"page_view","timestamp":"2026-05-12T%02d:%02d:%02d.%03dZ","id":"%016x%016x",`+
			`"visitorId":"%016x%016x","sessionId":"%016x","url":"https://www.example.com/products/category-%d/item-%d?utm_source=newsletter",`+
			`"referrer":"https://www.google.com/","title":"Product %d - Example Shop",`+
			`"userAgent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)",`+
			`"properties":{"plan":"pro","price":%d.99,"items":[%d,2,3],"beta":true}}`,
			r.IntN(100), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(),
			r.IntN(20), r.IntN(5000), r.IntN(5000), r.IntN(100), r.IntN(9))
	}
	return records
}

func TestScannerTakesWhatProducersWrite(t *testing.T) {
	d := NewDecoder()
	records := typicalRecords(100)
	for _, e := range []string{`"caf\u00e9 \"x\" \/ \ud83d\ude00"`, `"é😀"`, "null", "5"} {
		records = append(records, recordWith("title", e, "extra", e, "properties", `{"a":`+e+`,"b":[`+e+`]}`))
	}
	records = append(records, []byte(" { \"siteId\" : \"s\" ,\r\n\t\"type\" : \"x\" , \"timestamp\" : 1.5e12 , \"sessionId\" : \"s\" } \n"))
	for _, value := range records {
		var e Event
		d.begin(&e)
		if !d.scan(value, &e) {
			t.Errorf("handed over: %s", value)
		}
		if _, reason, detail := decodeBothWays(t, value); reason != Accepted {
			t.Errorf("%s: %s (%s)", value, reason, detail)
		}
	}
}

func TestScannerJudgesEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 18 {
			title := []byte("abcdefghijklmnopqr")
			title[at] = byte(c)
			decodeBothWays(t, recordWith("title", quoted(string(title))))
			if at < 17 { // and two that touch
				title[at+1] = byte(c) ^ 1
				decodeBothWays(t, recordWith("title", quoted(string(title)), "os", `"x"`))
			}
		}
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	records := typicalRecords(16)
	records = append(records,
		recordWith("title", `"caf\u00e9"`, "value", "12.5", "timestamp", `"2026-05-12T14:03:07.123456789+05:30"`),
		recordWith("title", quoted(strings.Repeat("é", 400)), "id", "5", "extra", `{"a":"\u00e9"}`),
		recordWith("properties", `{"\u0061":1,"b":{"c":[1,2,{"d":"e"}]}}`)) // for the authority
	d := NewDecoder()
	settings := DefaultSettings()
	var e Event
	allocs := testing.AllocsPerRun(100, func() {
		for _, value := range records {
			if reason, detail := d.Decode(value, &e); reason != Accepted {
				t.Fatal(reason, detail)
			}
			settings.Judge(&e, e.Timestamp)
			e.Page()
			EventULID(e.SiteID, e.ID, [16]byte{}, 1, 2, e.Timestamp)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations for %d records, want none", allocs, len(records))
	}
	e.URL = []byte("https://shop.example")
	if allocs := testing.AllocsPerRun(100, func() { e.Page() }); allocs != 0 {
		t.Errorf("%v allocations of Page, want none", allocs)
	}
}

func TestDecoderForgetsTheRecordBefore(t *testing.T) {
	d := NewDecoder()
	var e Event
	full := []byte(`{"siteId":"a","type":"b","timestamp":1,"visitorId":"\u0076","value":1,"x":1,"title":"\u0061","properties":{"a":1}}`)
	if reason, detail := d.Decode(full, &e); reason != Accepted {
		t.Fatal(reason, detail)
	}
	title := e.Title
	for _, next := range []string{`{"siteId":"a","type":"b","timestamp":1}`, `{"siteId":"a","type":"b","visitorId":"v"}`,
		`{"siteId":"a","timestamp":1,"visitorId":"v"}`, `{"type":"b","timestamp":1,"visitorId":"v"}`, `{"siteId":"a","siteId":"b"}`, "", "nonsense"} {
		if reason, _ := d.Decode([]byte(next), &e); reason == Accepted || !reflect.DeepEqual(e, Event{}) {
			t.Errorf("%s after a full event: %q, %+v", next, reason, e)
		}
	}
	if cap(title) != len(title) {
		t.Error("an append to a field would write over the next one")
	}
	if reason, _ := d.Decode(full, &e); reason != Accepted || string(e.Title) != "a" || !e.HasValue {
		t.Errorf("the same record again: %q, %+v", reason, e)
	}
}

func TestHeldEventsOutliveTheNextDecode(t *testing.T) {
	d := NewDecoder()
	decode := func(title string) Event {
		var e Event
		if reason, detail := d.Decode(recordWith("title", title), &e); reason != Accepted {
			t.Fatal(reason, detail)
		}
		return e
	}
	for range 3 { // batches
		var held []Event
		for i := range 500 {
			held = append(held, decode(fmt.Sprintf(`"\u0061%d"`, i)))
			d.Hold()
		}
		decode(`"\u0062"`)
		for i, e := range held {
			if want := fmt.Sprintf("a%d", i); string(e.Title) != want {
				t.Fatalf("a held title is %q, want %q", e.Title, want)
			}
		}
		d.Release()
	}
	for range 80 { // a batch of hostile records, 4 MiB of escaped texts
		decode(`"\u0061` + strings.Repeat("x", 50_000) + `"`)
		d.Hold()
	}
	if cap(d.text) < 80*50_000 {
		t.Fatalf("%d bytes hold 80 texts of 50,000", cap(d.text))
	}
	d.Release()
	if cap(d.text) > 2<<20 {
		t.Errorf("%d bytes are kept after the batch", cap(d.text))
	}
}

func TestWhoAnEventBelongsTo(t *testing.T) {
	e := Event{VisitorID: []byte("v"), SessionID: []byte("s"), Type: []byte("page_view")}
	if tag, id := e.Visitor(); tag != 'v' || string(id) != "v" || string(e.ShardID()) != "s" || !e.IsPageView() {
		t.Errorf("visitor %c %s, shard by %s, page view %t", tag, id, e.ShardID(), e.IsPageView())
	}
	e = Event{SessionID: []byte("v"), Type: []byte("Page_view")}
	if tag, id := e.Visitor(); tag != 's' || string(id) != "v" || e.IsPageView() {
		t.Errorf("visitor %c %s, page view %t; want the session to stand in under its own tag", tag, id, e.IsPageView())
	}
}

// FuzzDecode holds the scanner to the authority: what it takes, the authority takes, with the same Event.
// decodeBothWays checks the event besides.
func FuzzDecode(f *testing.F) {
	for _, value := range typicalRecords(2) {
		f.Add(value)
	}
	for _, pairs := range []map[string]string{
		{"title": `"caf\u00e9 \ud83d\ude00"`}, {"title": `"\ud800"`}, {"value": "-1.5e-2"}, {"timestamp": "1.5e12"}, {"visitorId": `"0"`},
		{"properties": `{"a":{"b":[1,2,{"c":null}],"b":1}}`}, {"x": `[true,false,null,-0.5E+7]`, "site\\u0049d": "1"}, {"timestamp": `"2016-12-31T23:59:60.5-00:00"`},
		{"url": quoted(strings.Repeat("é", 1025))}, {"title": "\"\xff\""},
	} {
		var flat []string
		for _, k := range slices.Sorted(maps.Keys(pairs)) {
			flat = append(flat, k, pairs[k])
		}
		f.Add(recordWith(flat...))
	}
	f.Add([]byte("[1,2"))
	f.Add([]byte(" {} "))
	reused := NewDecoder()
	f.Fuzz(func(t *testing.T, value []byte) {
		e, reason, detail := decodeBothWays(t, value)
		var again Event
		if r, s := reused.Decode(value, &again); r != reason || s != detail || !reflect.DeepEqual(e, again) {
			t.Fatalf("record %q: a used Decoder says %s (%s), a new one %s (%s)", value, r, s, reason, detail)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	records := typicalRecords(1024)
	for _, way := range []struct {
		name   string
		decode func(*Decoder, []byte, *Event) (Reason, string)
	}{{"scanner", (*Decoder).Decode}, {"authority", (*Decoder).authority}} {
		b.Run(way.name, func(b *testing.B) {
			d := NewDecoder()
			var e Event
			b.ReportAllocs()
			b.SetBytes(int64(len(records[0])))
			i := 0
			for b.Loop() {
				if reason, detail := way.decode(d, records[i&1023], &e); reason != Accepted {
					b.Fatal(reason, detail)
				}
				i++
			}
		})
	}
}
