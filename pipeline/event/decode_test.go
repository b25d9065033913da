package event

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/figures"
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
	if reason, detail := d.read(value); reason != Accepted {
		*e = Event{}
		return reason, detail
	}
	return d.finish(value, e)
}

// veteran has decoded what other tests had it decode: it knows keys as they were spelled there.
var veteran = NewDecoder()

// decodeBothWays decodes a record, checks that the authority alone says the same of it and that its Event keeps
// what Event promises, and returns what Decode did. So do Decoders that have seen the record, and those without the index of texts.
func decodeBothWays(t *testing.T, value []byte) (Event, Reason, string) {
	t.Helper()
	before := bytes.Clone(value)
	var e Event
	reason, detail := NewDecoder().Decode(value, &e)
	without := NewDecoder()
	without.index.able = false
	knowing, knowingWithout := NewDecoder(), NewDecoder()
	knowingWithout.index.able = false
	knowing.Decode(value, new(Event))
	knowingWithout.Decode(value, new(Event))
	for name, d := range map[string]*Decoder{"without an index": without, "that has seen it": knowing,
		"that has seen it, without an index": knowingWithout, "that has seen others": veteran} {
		again := Event{Title: []byte("of the record before")}
		if r, s := d.Decode(value, &again); r != reason || s != detail || !reflect.DeepEqual(e, again) {
			t.Fatalf("record %q:\na new Decoder  %s (%s) %+v\none %s %s (%s) %+v", value, reason, detail, e, name, r, s, again)
		}
		if len(d.keys) >= int(fieldCount) {
			t.Fatalf("%d known keys of %d fields", len(d.keys), fieldCount-1)
		}
	}
	if !bytes.Equal(before, value) {
		t.Fatalf("Decode changed the record\n%q to\n%q", before, value)
	}
	if len(value) > 0 && len(value) <= MaxRecordBytes {
		var slow Event
		slowReason, slowDetail := NewDecoder().authority(value, &slow)
		if reason != slowReason || detail != slowDetail || !reflect.DeepEqual(e, slow) {
			t.Fatalf("record %q:\nDecode    %s (%s) %+v\nauthority %s (%s) %+v", value, reason, detail, e, slowReason, slowDetail, slow)
		}
		if valid := jsontext.Value(value).IsValid() && overLimits(value) == ""; valid != (reason != BadJSON) {
			t.Fatalf("record %q: %s (%s), and package jsontext, which looks for keys that an object has twice, says %v", value, reason, detail,
				valid)
		}
	}
	checkEvent(t, &e, reason, detail)
	checkSchema(t, value, &e, reason)
	return e, reason, detail
}

type limitedText struct {
	text []byte
	max  int
}

// eventTexts are an event's texts with their limits.
func eventTexts(e *Event) map[string]limitedText {
	texts := map[string]limitedText{
		"siteId": {e.SiteID, 128}, "type": {e.Type, 64}, "id": {e.ID, 256},
		"visitorId": {e.VisitorID, 256}, "sessionId": {e.SessionID, 256}, "userId": {e.UserID, 256},
		"url": {e.URL, 2048}, "referrer": {e.Referrer, 2048}, "title": {e.Title, 512}, "userAgent": {e.UserAgent, 1024},
		"name": {e.Name, 128}, "properties": {e.Properties, 16384},
	}
	for i, d := range figures.Given {
		texts[figures.Dimensions[d].Name] = limitedText{e.Given[i], 64}
	}
	return texts
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
	doc, err := os.ReadFile("../../docs/events.md")
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
		Given: [len(figures.Given)][]byte{figures.GivenCountry: []byte("CH"), figures.GivenRegion: []byte("ZH"),
			figures.GivenCity:   []byte("Zürich"),
			figures.GivenDevice: []byte("mobile"), figures.GivenBrowser: []byte("Firefox"), figures.GivenOS: []byte("Android")},
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
		{"a second value", append(recordWith(), "{}"...), BadJSON, "continues"},
		{"a second value after an array", []byte("[] []"), BadJSON, "continues"},
		{"a trailing NUL", append(recordWith(), 0), BadJSON, "continues"},
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
		{"Confluent's header", []byte("\x00\x00\x00\x00\x07\x02a"), BadJSON, "byte 0 at the beginning: schema registry format"},
		{"the header of AWS Glue", []byte("\x03\x00abcdefghijklmnop"), BadJSON, "byte 3 at the beginning: schema registry format"},
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
		Unreadable: true, Panicked: true, NotMapped: true, UnknownSchema: true}
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
