package produce_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/event"
)

var wikiMapping = mapping.Config{
	Map:  []string{"siteId=channel", "timestamp=time", "visitorId=user", "url=/wiki/{page}"},
	Set:  []string{"type=edit"},
	Rest: true,
}

// TestWikipediaEdits maps 39,244 real lines, has the pipeline decode each, and compares with a count by an
// independent script.
func TestWikipediaEdits(t *testing.T) {
	slow.Unraced(t)
	var expected struct {
		Records int
		Pages   int            `json:"distinct_pages"`
		Events  map[string]int `json:"events_per_channel"`
		Users   map[string]int `json:"users_per_channel"`
		Hours   map[string]int `json:"events_per_hour_of_day"`
		Sums    struct{ Added, Deleted, Delta int64 }
		Top     [][2]any `json:"top10_pages"`
	}
	in := realData(t, "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz", &expected)
	m, err := produce.NewMapping(wikiMapping, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	records, refused := readAll(t, in, m)
	if len(records) != expected.Records || len(refused) != 0 {
		t.Errorf("%d records, %v refused, want %d and none", len(records), refused, expected.Records)
	}
	events, users, hours, pages := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	seen := map[[2]string]bool{}
	var added, deleted, delta int64
	d := event.NewDecoder()
	for _, r := range records {
		e := decode(t, d, r)
		site := string(e.SiteID)
		if string(r.Key) != site {
			t.Fatalf("key = %q of site %q", r.Key, site)
		}
		events[site]++
		if pair := [2]string{site, string(e.VisitorID)}; !seen[pair] {
			seen[pair] = true
			users[site]++
		}
		hours[r.Time.Format("15")]++
		page, err := url.PathUnescape(strings.TrimPrefix(string(e.Page()), "/wiki/"))
		if err != nil || strings.Count(string(e.Page()), "/") != 2 {
			t.Fatalf("page %q is not one segment below /wiki: %v", e.Page(), err)
		}
		pages[page]++
		var p struct {
			Added, Deleted, Delta int64
			Channel, Time, User   any
			Namespace             *string
		}
		if err := json.Unmarshal(e.Properties, &p); err != nil {
			t.Fatal(err)
		}
		if p.Channel != nil || p.Time != nil || p.User != nil || p.Namespace == nil {
			t.Fatalf("properties hold what is mapped, or not the rest: %s", e.Properties)
		}
		added, deleted, delta = added+p.Added, deleted+p.Deleted, delta+p.Delta
	}
	equalCounts(t, "events", events, expected.Events)
	equalCounts(t, "users", users, expected.Users)
	equalCounts(t, "events by hour", hours, expected.Hours)
	if len(pages) != expected.Pages {
		t.Errorf("%d pages, want %d", len(pages), expected.Pages)
	}
	for _, top := range expected.Top {
		if got, want := pages[top[0].(string)], int(top[1].(float64)); got != want {
			t.Errorf("%d edits of %q, want %d", got, top[0], want)
		}
	}
	if want := expected.Sums; added != want.Added || deleted != want.Deleted || delta != want.Delta {
		t.Errorf("added %d deleted %d delta %d, want %+v", added, deleted, delta, want)
	}
}

func TestMappingMakesEvents(t *testing.T) {
	base := mapping.Config{Map: []string{"siteId=s", "timestamp=t", "visitorId=v"}, Set: []string{"type=x"}}
	const start = `{"siteId":"a","type":"x","timestamp":1778594587250,"visitorId":"u"`
	tests := []struct {
		name string
		add  []string // to Map
		rest bool
		line string // behind {"s":"a","t":1778594587250,"v":"u"
		want string // behind start; or
		not  string // the reason for which it is refused
	}{
		{name: "nothing else", want: `}`},
		{name: "values in a path are percent-encoded", add: []string{"url=/wiki/{page}"},
			line: `,"page":"Über/50% #1?"`, want: `,"url":"/wiki/%C3%9Cber%2F50%25%20%231%3F"}`},
		{name: "values in a query are percent-encoded", add: []string{"url=https://h/s?q={q}&n={n}"},
			line: `,"q":"a&b c","n":1.50`, want: `,"url":"https://h/s?q=a%26b+c&n=1.50"}`},
		{name: "a url that is one key stays", add: []string{"url=u"}, line: `,"u":"/a b?c=d#e"`, want: `,"url":"/a b?c=d#e"}`},
		{name: "a template of another field is not encoded", add: []string{"title={a} – {b}"},
			line: `,"a":"x/y","b":true`, want: `,"title":"x/y – true"}`},
		{name: "null makes no field", add: []string{"country=c", "url=/{c}"}, line: `,"c":null`, want: `}`},
		{name: "a lacking key is a fault", add: []string{"country=c"},
			not: `country: the line has no key "c" (if some lines have none, write c? in the mapping)`},
		{name: "a lacking key that may lack", add: []string{"country=c?", "url=/{p?}"}, want: `}`},
		{name: "a key as it stands, or nothing for null", add: []string{"url=https://{h}{+p}?{+q}"}, line: `,"h":"h","p":"/a b/%C3","q":null`,
			want: `,"url":"https://h/a b/%C3"}`},
		{name: "a key as it stands that lacks", add: []string{"title={+p}"}, not: `title: the line has no key "p"`},
		{name: "parameters, without those that have no value", add: []string{"url=/p{?a,b,c,d}"}, line: `,"b":"x&y z","c":null,"d":1`,
			want: `,"url":"/p?b=x%26y+z&d=1"}`},
		{name: "parameters after others", add: []string{"url=/p?{+q}{?a}"}, line: `,"q":"n=1","a":"2"`, want: `,"url":"/p?n=1&a=2"}`},
		{name: "a key within an object", add: []string{"country=geo.at.country", "city=geo.city"}, rest: true,
			line: `,"geo":{"at":{"country":"DE"},"city":"Köln"}`,
			want: `,"country":"DE","city":"Köln","properties":{"geo":{"at":{"country":"DE"},"city":"Köln"}}}`},
		{name: "a key with a dot goes first", add: []string{"city=geo.city"}, line: `,"geo.city":"Bonn","geo":{"city":"Köln"}`,
			want: `,"city":"Bonn"}`},
		{name: "an object is no text", add: []string{"city=geo"}, line: `,"geo":{}`, not: `city: key "geo" holds an object`},
		{name: "an array is no text", add: []string{"city=geo"}, line: `,"geo":[]`, not: `city: key "geo" holds an array`},
		{name: "the rest is verbatim", rest: true, line: `,"n":1.50e+2,"big":12345678901234567890.1,"s2":"\u0041 \n","o":{"b":[1, 2]},"na\"me":null`,
			want: `,"properties":{"n":1.50e+2,"big":12345678901234567890.1,"s2":"\u0041 \n","o":{"b":[1, 2]},"na\"me":null}}`},
		{name: "no rest is left", rest: true, want: `}`},
		{name: "a value", add: []string{"value=n"}, line: `,"n":12.30`, want: `,"value":12.30}`},
		{name: "a value in a string", add: []string{"value=n"}, line: `,"n":"12.30"`, want: `,"value":12.30}`},
		{name: "a value that is none", add: []string{"value=n"}, line: `,"n":"12,30"`, not: `value: "12,30" is not a number: if its comma is the decimal sign, add --decimal-comma`},
		{name: "no number with a comma either", add: []string{"value=n"}, line: `,"n":"12,30,4"`, not: `value: "12,30,4" is not a number`},
		{name: "properties of a key", add: []string{"properties=p"}, line: `,"p":{"a": 1}`, want: `,"properties":{"a": 1}}`},
		{name: "properties that are no object", add: []string{"properties=p"}, line: `,"p":[1]`, not: `properties: "[1]" is not an object`},
		{name: "an id too long", add: []string{"userId=n"}, line: `,"n":"` + strings.Repeat("x", 257) + `"`,
			not: `userId: "` + strings.Repeat("x", 60) + `…" has 257 bytes, more than 256`},
		{name: "an event too large", add: []string{"title=n"}, line: `,"n":"` + strings.Repeat("x", 70_000) + `"`,
			not: `the event has 70078 bytes, more than the 65536 that the pipeline takes`},
		{name: "a key twice", line: `,"s":"b"`, not: `not JSON: duplicate object member name "s"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := base
			c.Map = append(append([]string{}, base.Map...), test.add...)
			c.Rest = test.rest
			m, err := produce.NewMapping(c, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			records, refused := readAll(t, strings.NewReader(`{"s":"a","t":1778594587250,"v":"u"`+test.line+"}"), m)
			if test.not != "" {
				if len(refused) != 1 || !strings.HasPrefix(refused[0].Reason, test.not) {
					t.Fatalf("refused = %v, want %q", refused, test.not)
				}
				return
			}
			if len(records) != 1 {
				t.Fatalf("refused = %v, want a record", refused)
			}
			if got, want := string(records[0].Value), start+test.want; got != want {
				t.Errorf("value = %s\nwant    %s", got, want)
			}
			decode(t, event.NewDecoder(), records[0])
		})
	}
}

func TestMappingRequiresWhatEventsNeed(t *testing.T) {
	m, err := produce.NewMapping(mapping.Config{Map: []string{"siteId=s", "timestamp=t", "visitorId=v?", "type=k"}}, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	lines := []struct{ line, reason string }{
		{`{"s":"","t":1778594587250,"v":"u","k":"x"}`, "siteId: empty or null, and every event needs one"},
		{`{"s":null,"t":1778594587250,"v":"u","k":"x"}`, "siteId: empty or null, and every event needs one"},
		{`{"s":"` + strings.Repeat("s", 129) + `","t":1778594587250,"v":"u","k":"x"}`, `siteId: "sss`},
		{`{"s":"a","t":1778594587250,"v":"u","k":null}`, "type: empty or null, and every event needs one"},
		{`{"s":"a","t":null,"v":"u","k":"x"}`, "timestamp: there is none"},
		{`{"s":"a","t":"2015-09-12 00:46:58","v":"u","k":"x"}`, `timestamp: "2015-09-12 00:46:58" is not RFC 3339`},
		{`{"s":"a","t":"2015-09-12T0:46:58Z","v":"u","k":"x"}`, `timestamp: "2015-09-12T0:46:58Z" is not RFC 3339`},
		{`{"s":"a","t":1.5,"v":"u","k":"x"}`, "timestamp: 1.5 is not a whole number"},
		{`{"s":"a","t":-1,"v":"u","k":"x"}`, "timestamp: 1969-12-31T23:59:59Z is not between 1970 and 9999"},
		{`{"s":"a","t":1778594587,"v":"u","k":"x"}`, "timestamp: 1778594587 is 1970-01-21T14:03:14Z in milliseconds, when no event is counted, " +
			"and looks like seconds: add --time-unit s"},
		{`{"s":"a","t":true,"v":"u","k":"x"}`, "timestamp: neither a string nor a number"},
		{`{"s":"a","t":1778594587250,"v":null,"k":"x"}`, "visitorId: the line gives neither it nor a sessionId"},
		{`{"s":"a","t":1778594587250,"k":"x"}`, "visitorId: the line gives neither it nor a sessionId"},
		{`{"s":"a","t":1778594587250,"v":0,"k":"x"}`, "visitorId: the line gives neither it nor a sessionId"},
	}
	var text bytes.Buffer
	for _, l := range lines {
		text.WriteString(l.line + "\n")
	}
	records, refused := readAll(t, &text, m)
	if len(records) != 0 || len(refused) != len(lines) {
		t.Fatalf("%d records, %d refused, want 0 and %d", len(records), len(refused), len(lines))
	}
	for i, l := range lines {
		if refused[i].Line != int64(i+1) || !strings.HasPrefix(refused[i].Reason, l.reason) {
			t.Errorf("%s: %v, want line %d: %s", l.line, &refused[i], i+1, l.reason)
		}
	}
}

func TestMappingFaultsAreAllNamed(t *testing.T) {
	_, err := produce.NewMapping(mapping.Config{
		Map:  []string{"siteID=s", "url=/a/{b", "title=}x", "name", "city=", "city={}", "country=a", "country=b", "properties=p"},
		Set:  []string{"country=DE", "os=\xff"},
		Rest: true,
	}, "", 1)
	if err == nil {
		t.Fatal("NewMapping found nothing wrong")
	}
	for _, want := range []string{
		`--map siteID=s: events have no field "siteID": choose one of siteId, type,`,
		`--map url=/a/{b: "/a/{b" has a { without a }`,
		`--map title=}x: "}x" has a } without a {`,
		`--map name: write FIELD=KEY`,
		`--map city=: write FIELD=KEY`,
		`--map city={}: "{}": "" names no key`,
		`--map country=b: country is given twice`,
		`--set country=DE: country is given twice`,
		`--set "os=\xff": not valid UTF-8`,
		"no siteId: every event needs one",
		"no type: every event needs one",
		"no timestamp: every event needs one",
		"neither visitorId nor sessionId",
		"--properties rest and a mapping of properties: choose one",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}

func BenchmarkMapping(b *testing.B) {
	m, err := produce.NewMapping(wikiMapping, "", 1)
	if err != nil {
		b.Fatal(err)
	}
	line := `{"time":"2015-09-12T00:46:58.771Z","channel":"#en.wikipedia","cityName":null,"comment":"added project","countryIsoCode":null,"countryName":null,"isAnonymous":false,"isMinor":false,"isNew":false,"isRobot":false,"isUnpatrolled":false,"metroCode":null,"namespace":"Talk","page":"Talk:Oswald Tilghman","regionIsoCode":null,"regionName":null,"user":"GELongstreet","delta":36,"added":36,"deleted":0}` + "\n"
	f, err := produce.NewFile(strings.NewReader(strings.Repeat(line, 200_000)), m)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Next(); err != nil {
			b.StopTimer()
			f, _ = produce.NewFile(strings.NewReader(strings.Repeat(line, 200_000)), m)
			b.StartTimer()
		}
	}
}

// FuzzMapping shows that what the mapping accepts is JSON whose only possible fault is an id that stands for nobody.
func FuzzMapping(f *testing.F) {
	f.Add([]byte(`{"s":"a","t":1778594587250,"v":"u","n":1e3,"p":"\u0000/\ud83d\ude00","o":{"a":[{}]}}`))
	f.Add([]byte(`{"s":0,"t":"2000-01-01T0:00:00Z","v":true}`))
	f.Add([]byte(`{"s":7,"t":"2015-09-12T00:46:58.771Z","v":true,"n":"0.1","p":null}`))
	d := event.NewDecoder()
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsRune(line, '\n') {
			return // Two lines.
		}
		m, err := produce.NewMapping(mapping.Config{Rest: true, Set: []string{"type=x"},
			Map: []string{"siteId=s", "timestamp=t", "visitorId=v", "value=n?", "url=/{p?}?{o.a?}", "title={p?}"}}, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := readAll(t, bytes.NewReader(line), m)
		for _, r := range records {
			var e event.Event
			if reason, detail := d.Decode(r.Value, &e); reason != event.Accepted && reason != event.MissingVisitor {
				t.Fatalf("the pipeline rejects %s as %s: %s", r.Value, reason, detail)
			}
		}
	})
}

// With a decimal comma, dots stand between thousands. Numbers are as JSON has them.
func TestValuesWithADecimalComma(t *testing.T) {
	m, err := produce.NewMapping(mapping.Config{Map: []string{"value=n", "timestamp=t"}, DecimalComma: true,
		Set: []string{"siteId=s", "type=x", "visitorId=v"}}, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{`"12,50"`: "12.50", `"1.234,5"`: "1234.5", `"-7"`: "-7", `"1.234"`: "1234", `1.25`: "1.25",
		`"12;5"`: "", `"1.50"`: "", `"1.2.3,4"`: "", `"12,5,0"`: "", `"1234.567,8"`: "", `"1234,8"`: "1234.8"} {
		f, err := produce.NewFile(strings.NewReader(`{"t":"2026-05-12T00:00:00Z","n":`+text+"}\n"), m)
		if err != nil {
			t.Fatal(err)
		}
		record, err := f.Next()
		if _, refused := errors.AsType[*produce.Refusal](err); want == "" && refused {
			continue
		}
		if err != nil || !strings.Contains(string(record.Value), `"value":`+want+"}") {
			t.Errorf("%s: %s, %v, want %s", text, record.Value, err, want)
		}
	}
}
