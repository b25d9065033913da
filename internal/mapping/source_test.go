package mapping

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/event"
)

// base has what every event needs from its first four letters on.
func base(maps ...string) Config {
	return Config{Map: append([]string{"siteId=s", "timestamp=t", "visitorId=v"}, maps...), Set: []string{"type=x"}, Configured: true}
}

const required = `{"s":"a","t":1778594587250,"v":"u"`

// TestSourcesOfFields: each way to say where a field comes from, and what it gives.
func TestSourcesOfFields(t *testing.T) {
	record := &kgo.Record{Key: []byte("k"), Timestamp: time.UnixMilli(1778594587250),
		Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("first")}, {Key: "h", Value: []byte("last")}, {Key: "bad", Value: []byte{0xff}}}}
	for _, c := range []struct {
		source string
		line   string // after the required keys
		want   string // after the required fields; or
		not    string // why it is refused
	}{
		{source: "title=a|b|c?", line: `,"b":"B","c":"C"`, want: `,"title":"B"`},
		{source: "title=a|b?", line: `,"a":"","b":"B"`, want: `,"title":"B"`},
		{source: "title=a|b?", line: `,"a":null,"b":7`, want: `,"title":"7"`},
		{source: "title=a|b?", want: ``},
		{source: "title=a|b", line: `,"a":null`, want: ``},
		{source: "title=a|b", not: `title: the record has none of the keys "a", "b" (if some records have none, write ? after the last`},
		{source: "title=a.x[0]|b?", line: `,"a":{"x":["X"]},"b":"B"`, want: `,"title":"X"`},
		{source: "title=k==page=>Page|k==1=>One|k?", line: `,"k":"page"`, want: `,"title":"Page"`},
		{source: "title=k==page=>Page|k==1=>One|k?", line: `,"k":1`, want: `,"title":"One"`},
		{source: "title=k==page=>Page|k==1=>One|k?", line: `,"k":"other"`, want: `,"title":"other"`},
		{source: "title=k==direct=>|k?", line: `,"k":"direct"`, want: ``},
		{source: "title=download=>Download|link=>Link", line: `,"download":"","link":"https://x"`, want: `,"title":"Link"`},
		{source: "title=download=>Download|link=>Link", want: ``},
		{source: "title=p[key=page].value.text?", line: `,"p":[{"key":"x"},7,{"key":"page","value":{"text":"T"}}]`, want: `,"title":"T"`},
		{source: "title=p[key=page].value.text?", line: `,"p":[{"key":"pages","value":{"text":"T"}}]`, want: ``},
		{source: "url=/{a|b}", line: `,"b":"x/y"`, want: `,"url":"/x%2Fy"`},
		{source: "url=https://{+a?}{+b?}", want: ``},
		{source: "url=https://{+a?}{+b?}", line: `,"b":"h/p"`, want: `,"url":"https://h/p"`},
		{source: "url=/p?{+q?}", line: `,"q":"a=1"`, want: `,"url":"/p?a=1"`},
		{source: "url={+p}?{+q?}", line: `,"p":"/p"`, want: `,"url":"/p"`},
		{source: "title=p.a.b?", line: `,"p":"{\"a\":{\"b\":\"T\"}}"`, want: `,"title":"T"`},
		{source: "title=p.a?", line: `,"p":"{a"`, want: ``},
		{source: "url=https://{+a?}", line: `,"a":"http://h/p"`, want: `,"url":"http://h/p"`},
		{source: "url={+p}?{+q?}", line: `,"p":"/p","q":""`, want: `,"url":"/p"`},
		{source: "title=kafka:key", want: `,"title":"k"`},
		{source: "title=kafka:header:h", want: `,"title":"last"`},
		{source: "title=kafka:header:gone?", want: ``},
		{source: "title=kafka:header:gone", not: `title: the record has no header "gone"`},
		{source: "title=kafka:header:bad", not: `title: the record's header bad is not valid UTF-8`},
		{source: "title=kafka:timestamp", want: `,"title":"2026-05-12T14:03:07.250Z"`},
		{source: "value=n?", line: `,"n":"12.5"`, want: `,"value":12.5`},
		{source: "value=n?", line: `,"n":"many"`, want: `,"value":"many"`}, // It counts as absent.
		{source: "value=n", line: `,"n":"many"`, not: `value: "many" is not a number`},
		{source: "properties=p?", line: `,"p":[1]`, want: `,"properties":[1]`},
		{source: "properties=p", line: `,"p":[1]`, not: `properties: "[1]" is not an object`},
		{source: "properties.plan=a.plan?", line: `,"a":{"plan":{"x":1}}`, want: `,"properties":{"plan":{"x":1}}`},
		{source: "properties.plan=a.plan?", want: ``},
		{source: "title=n?", line: `,"n":{"x":1}`, want: `,"title":{"x":1}`}, // It counts as absent.
		{source: "title=n", line: `,"n":{"x":1}`, not: `title: key "n" holds an object`},
		{source: "userId=n?", line: `,"n":"` + strings.Repeat("u", 300) + `"`, want: `,"userId":"` + strings.Repeat("u", 300) + `"`},
		{source: "userId=a|b?", line: `,"a":"null","b":"ada"`, want: `,"userId":"ada"`},
		{source: "title=p[k=a|b].t|q?", line: `,"p":[{"k":"a|b","t":"T"}]`, want: `,"title":"T"`},
		{source: "title=p[1].t?", line: `,"p":"[{},{\"t\":\"T\"}]"`, want: `,"title":"T"`},
	} {
		t.Run(c.source+c.line, func(t *testing.T) {
			m, err := New(base(c.source))
			if err != nil {
				t.Fatal(err)
			}
			record.Value = []byte(required + c.line + "}")
			e, reason := m.Event(record)
			if c.not != "" {
				if !strings.Contains(reason, c.not) {
					t.Errorf("made %s, refused with %q; want %q", e.JSON, reason, c.not)
				}
				return
			}
			want := `{"siteId":"a","type":"x","timestamp":1778594587250,"visitorId":"u"` + c.want + `}`
			if reason != "" || string(e.JSON) != want {
				t.Errorf("made %s (%s), want %s", e.JSON, reason, want)
			}
			var into event.Event
			if why, detail := m.Decode(event.NewDecoder(), record, &into); why != event.Accepted {
				t.Errorf("decoded: %s, %s", why, detail)
			}
		})
	}
}

// TestLongKeysAndHeadersAreRefused: a mapping refuses what is not kept of a record in every batch, and only if it reads it.
func TestLongKeysAndHeadersAreRefused(t *testing.T) {
	key, value := bytes.Repeat([]byte("k"), batch.MaxKeyBytes+1), make([]byte, batch.MaxHeaderBytes)
	for _, c := range []struct {
		source  string
		key     []byte
		headers []kgo.RecordHeader
		want    string
	}{
		{"title=kafka:key", key[1:], nil, ""},
		{"title=kafka:key", key, nil, "title: the record's key is over 64 KiB"},
		{"title=kafka:header:h?", key, []kgo.RecordHeader{{Key: "other", Value: value[:len(value)-100]}}, ""},
		{"title=kafka:header:h?", nil, []kgo.RecordHeader{{Key: "other", Value: value}}, "title: the record's headers are over 64 KiB"},
		{"title=kafka:header:h?", nil, make([]kgo.RecordHeader, batch.MaxHeaderBytes), "title: the record's headers are over 64 KiB"},
		{"title=t?", key, []kgo.RecordHeader{{Key: "other", Value: value}}, ""},
	} {
		m, err := New(base(c.source))
		if err != nil {
			t.Fatal(err)
		}
		if _, reason := m.Event(&kgo.Record{Key: c.key, Value: []byte(required + "}"), Headers: c.headers}); reason != c.want {
			t.Errorf("%s of a key of %d bytes and %d headers: %q, want %q", c.source, len(c.key), len(c.headers), reason, c.want)
		}
	}
}

// TestTimestampOfTheRecord: where a record's value has no time, its own is taken, whatever the units of the others.
func TestTimestampOfTheRecord(t *testing.T) {
	c := Config{Map: []string{"siteId=s", "timestamp=t|kafka:timestamp", "visitorId=v"}, Set: []string{"type=x"}, TimeUnit: "s",
		TimeLayout: "2006-01-02 15:04:05", Configured: true}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"s":"a","v":"u"}`:                            "2026-05-12T14:03:07.250Z",
		`{"s":"a","v":"u","t":"2026-05-11 10:00:00"}`:  "2026-05-11T10:00:00.000Z",
		`{"s":"a","v":"u","t":"1778594500"}`:           "2026-05-12T14:01:40.000Z",
		`{"s":"a","v":"u","t":1778594500.5}`:           "2026-05-12T14:01:40.500Z",
		`{"s":"a","v":"u","t":"2026-05-11T10:00:00Z"}`: "",
	} {
		e, reason := m.Event(&kgo.Record{Value: []byte(line), Timestamp: time.UnixMilli(1778594587250)})
		if got := e.Time.UTC().Format("2006-01-02T15:04:05.000Z"); (reason == "") != (want != "") || reason == "" && got != want {
			t.Errorf("%s: %s, %s, want %s", line, got, reason, want)
		}
	}
}

// TestUnknownSources: what cannot be read from a record is refused before there is one.
func TestUnknownSources(t *testing.T) {
	for source, want := range map[string]string{
		"title=kafka:offset":      "kafka:offset is unknown: write kafka:key, kafka:timestamp or kafka:header:NAME",
		"title=kafka:header:":     "kafka:header: is unknown",
		"title=a||b":              `"a||b" names no key`,
		"title=|":                 `"|" names no key`,
		"title==>x":               `"=>x" names no key`,
		"properties.=a":           `events have no field "properties."`,
		"siteId=other":            "siteId is given twice",
		"nobody=a":                `events have no field "nobody"`,
		"timestamp=kafka:":        "timestamp is given twice",
		"properties.a=kafka:none": "kafka:none is unknown",
		"title=kind==page":        `"kind==page" says not what it gives: write kind==page=>TEXT`,
		"title=k==a=>{b}":         "write key=>text within the braces",
		"title=a[0":               `"a[0": close each [ with a ]`,
	} {
		if _, err := New(base(source)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
	c := base("title=kafka:key")
	c.Configured = false
	if _, err := New(c); err == nil || !strings.Contains(err.Error(), "lines of files have no record around them") {
		t.Errorf("the key of a line: %v", err)
	}
	c = base()
	c.Input = "xml"
	if _, err := New(c); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("an unknown input: %v", err)
	}
}

// TestInputs: values that are no JSON objects.
func TestInputs(t *testing.T) {
	made := func(input, value string) string {
		t.Helper()
		c := base("title=title?")
		c.Input = input
		c.Map[0], c.Map[1], c.Map[2] = "siteId=app_id", "timestamp=t|kafka:timestamp", "visitorId=domain_userid"
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		e, reason := m.Event(&kgo.Record{Value: []byte(value), Timestamp: time.UnixMilli(1778594587250)})
		return string(e.JSON) + reason
	}
	columns := make([]string, len(snowplowColumns))
	columns[0], columns[15] = "shop", "u"
	for _, c := range [][3]string{
		{inputQuery, "?app_id=a&app_id=b&domain_userid=u%201&title=x+y", `"siteId":"b"`},
		{inputQuery, "https://t.example/m.php?app_id=b&domain_userid=u&title=50%+%2B%zz", `"title":"50% +%zz"`},
		{inputQuery, "app_id=b&domain_userid=u&title=%ff", "not valid UTF-8"},
		{inputQuery, `{"app_id":"b","domain_userid":"u"}`, `"siteId":"b"`},
		{inputQuery, "\xff", "not valid UTF-8"},
		{inputSnowplow, strings.Join(columns, "\t"), `"siteId":"shop"`},
		{inputSnowplow, strings.Join(columns[1:], "\t"), "130 columns, and an enriched event of Snowplow has 131"},
		{inputSnowplow, "{}", "1 columns"},
	} {
		if got := made(c[0], c[1]); !strings.Contains(got, c[2]) {
			t.Errorf("%s: %.80s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// TestPropertiesAreAddedToOthers: properties that are mapped one by one are beside those that are mapped as a whole, and before them.
func TestPropertiesAreAddedToOthers(t *testing.T) {
	m, err := New(base("properties=p?", "properties.plan=plan?"))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`,"p":{"a":1,"plan":"old"},"plan":"pro"`: `"properties":{"a":1,"plan":"pro"}`, `,"plan":"pro"`: `"properties":{"plan":"pro"}`,
		`,"p":{"a":1}`: `"properties":{"a":1}`,
	} {
		e, reason := m.Event(&kgo.Record{Value: []byte(required + line + "}")})
		if reason != "" || !strings.HasSuffix(string(e.JSON), want+"}") {
			t.Errorf("%s: %s %s, want %s", line, e.JSON, reason, want)
		}
	}
}

// TestParametersOfRequests: each is taken once, however it is spelled, and what a url has of its own stays in it.
func TestParametersOfRequests(t *testing.T) {
	c := Config{Set: []string{"siteId=a"}, Map: []string{"visitorId=_id", "timestamp=kafka:timestamp", "url=url?"}, Input: inputQuery,
		Default: nil, Configured: true}
	c.Set = append(c.Set, "type=x")
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"_id=a&%5fid=b":           `"visitorId":"b"`,
		"_id=a&url=http://x/?c=d": `"url":"http://x/?c=d"`,
		"/m.php?_id=a&url=/p":     `"visitorId":"a","url":"/p"`,
		"_id=" + strings.Repeat("a&_id=", 10_000) + "last": `"visitorId":"last"`,
	} {
		e, reason := m.Event(&kgo.Record{Value: []byte(query), Timestamp: time.UnixMilli(1778594587250)})
		if reason != "" || !strings.Contains(string(e.JSON), want) {
			t.Errorf("%.40s: %.200s %s, want %s", query, e.JSON, reason, want)
		}
	}
}

// TestTimeZonesAreTheSameEverywhere: zones are those that footfall ships, and an abbreviation that could be any is refused.
func TestTimeZonesAreTheSameEverywhere(t *testing.T) {
	t.Setenv("ZONEINFO", t.TempDir())
	c := base()
	c.TimeLayout, c.TimeZone = "2006-01-02 15:04 MST", "Europe/Berlin"
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"2026-07-01 12:00 CEST": "2026-07-01T10:00:00Z", "2026-07-01 12:00 UTC": "2026-07-01T12:00:00Z",
		"2026-07-01 12:00 PST": ""} {
		e, reason := m.Event(&kgo.Record{Value: []byte(`{"s":"a","v":"u","t":"` + text + `"}`)})
		if have := e.Time.Format(time.RFC3339); reason == "" && have != want || (reason == "") != (want != "") {
			t.Errorf("%s: %s %s, want %q", text, have, reason, want)
		}
	}
}
