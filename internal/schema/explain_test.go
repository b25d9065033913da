package schema_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

var hashKey = []byte("0123456789abcdef")

func printed(t *testing.T, f show.Format, x schema.Explanation) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := show.Print(&out, &out, show.Layout{Format: f}, x); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What a real pipeline wrote, explained an hour later: realtime minutes have expired by then.
func TestItemsAreExplainedAsTheirGoldenFiles(t *testing.T) {
	inWorld(t, hashKey, func(t *testing.T, w *world) {
		w.create()
		w.traffic()
		w.fold()
		w.seal()
		keys, tp0, tp1, at := sinks.Keys{}, sinks.TP{Topic: 1}, sinks.TP{Topic: 1, Partition: 1}, w.start.UnixMilli()
		for name, key := range map[string]sinks.Key{
			"hour":        keys.HourStats(shop, at),
			"uniques":     keys.Uniques(blog, at, tp0),
			"month":       keys.MonthStats(blog, at),
			"day-uniques": keys.DayUniques(blog, at),
			"breakdown":   keys.Breakdown(shop, at, tp0),
			"session":     keys.Session(shop, "s-1", tp0, sinks.DefaultShards),
			"cut-session": keys.Session(cutSite, strings.Repeat("%", 100), tp1, sinks.DefaultShards),
			"visitor":     keys.VisitorState(shop, "v-5", tp1, sinks.DefaultShards),
			"new":         keys.NewSessions(shop, at, tp0, 1),
			"realtime":    keys.Realtime(blog, at, tp0),
			"cut-site":    keys.Realtime(cutSite, at, tp1),
			"site":        keys.Metadata(shop),
			"event":       w.eventKey("e-2"),
		} {
			x := schema.Explain(w.item(key), nil, sinks.DefaultShards, w.start.Add(time.Hour))
			golden.Check(t, "testdata/"+name+".table", string(printed(t, show.Table, x)))
			golden.Check(t, "testdata/"+name+".json", string(printed(t, show.JSON, x)))
		}
		x := schema.Explain(w.item(keys.Checkpoint(tp0, checkpoint.LaneStats)), nil, sinks.DefaultShards, w.start)
		text := string(printed(t, show.Table, x))
		for _, want := range []string{"checkpoint",
			"66 records: 65 counted, 0 of them without a sessionId, 0 duplicates, rejected too_late 1",
			fmt.Sprintf("fold version %d; too late after 48h0m0s", checkpoint.FoldVersion),
			"window of duplicates: 15m0s of record time, 251658 positions at most",
			"breakdowns of 512 rows",
			"bots by more than 300 events of a session in a minute",
			"visits of events without a sessionId, at most 30m0s apart and 24h0m0s long"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not said of a checkpoint:\n%s", want, text)
			}
		}
	})
}

// assumesUTC is said of hours and days of an item whose site's zone is not known.
const assumesUTC = "The zone of its site is not known here: its span assumes UTC."

// Adelaide sets its clocks on 4 October 2026, by an hour; Lord Howe's are set by half an hour, at 02:00 there.
func TestSpansAreThoseOfTheSitesClocks(t *testing.T) {
	keys, tp := sinks.Keys{}, sinks.TP{Topic: 1}
	at := func(s string) int64 {
		instant, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return instant.UnixMilli()
	}
	day := at("2026-10-04T00:00:00Z")
	const inAdelaide, october = "[2026-10-03T14:30:00Z, 2026-10-04T13:30:00Z)", "[2026-09-30T14:30:00Z, 2026-10-31T13:30:00Z)"
	for _, c := range []struct {
		zone, name string
		key        sinks.Key
		span       string
	}{
		{"Australia/Adelaide", "day", keys.DayStats("shop", day), inAdelaide},
		{"Australia/Adelaide", "day", keys.DayUniques("shop", day), inAdelaide},
		{"Australia/Adelaide", "day", keys.DayBreakdown("shop", day), inAdelaide},
		{"Australia/Adelaide", "month", keys.MonthStats("shop", day), october},
		{"Australia/Adelaide", "month", keys.MonthUniques("shop", day), october},
		{"Australia/Adelaide", "month", keys.MonthBreakdown("shop", day), october},
		{"Australia/Lord_Howe", "day", keys.DayStats("shop", day), "[2026-10-03T13:30:00Z, 2026-10-04T13:00:00Z)"},
		{"Australia/Lord_Howe", "hour", keys.HourStats("shop", at("2026-10-03T15:30:00Z")), "[2026-10-03T15:30:00Z, 2026-10-03T16:00:00Z)"},
		{"Australia/Lord_Howe", "hour", keys.Uniques("shop", at("2026-10-03T15:30:00Z"), tp), "[2026-10-03T15:30:00Z, 2026-10-03T16:00:00Z)"},
		{"Australia/Lord_Howe", "hour", keys.Breakdown("shop", at("2026-10-03T14:30:00Z"), tp), "[2026-10-03T14:30:00Z, 2026-10-03T15:30:00Z)"},
		{"Australia/Lord_Howe", "minute", keys.Realtime("shop", at("2026-10-03T15:30:00Z"), tp), "[2026-10-03T15:30:00Z, 2026-10-03T15:31:00Z)"},
		{"UTC", "day", keys.DayStats("shop", day), "[2026-10-04T00:00:00Z, 2026-10-05T00:00:00Z)"},
		{"", "month", keys.MonthStats("shop", day), "[2026-10-01T00:00:00Z, 2026-11-01T00:00:00Z)"},
	} {
		var ruled *sites.Rules
		if c.zone != "" {
			var err error
			if ruled, err = sites.ParseRules(fmt.Sprintf(`{"zones":[{"zone":%q}]}`, c.zone)); err != nil {
				t.Fatal(err)
			}
		}
		x := schema.Explain(item(c.key, "", nil), ruled, sinks.DefaultShards, time.UnixMilli(day))
		if !slices.ContainsFunc(x.Key, func(f schema.Fact) bool { return f.Name == c.name && f.Meaning == c.span }) {
			t.Errorf("%s, %v: %+v; want the %s %s", c.zone, c.key, x.Key, c.name, c.span)
		}
		if slices.Contains(x.Notes, assumesUTC) {
			t.Errorf("%s, %v: %q, of which nothing is assumed", c.zone, c.key, x.Notes)
		}
	}
}

// An explanation printed as JSON, and DynamoDB's own, read back as the item.
func TestItemsReadBackAsTheyWerePrinted(t *testing.T) {
	inWorld(t, hashKey, func(t *testing.T, w *world) {
		w.create()
		w.traffic()
		w.fold()
		for key, it := range w.items() {
			x := schema.Explain(it, nil, sinks.DefaultShards, w.start)
			dynamo := dynamoJSON(t, x)
			for form, text := range map[string][]byte{"printed": printed(t, show.JSON, x), "DynamoDB": dynamo,
				"an answer of GetItem": fmt.Appendf(nil, `{"Item":%s}`, dynamo)} {
				again, err := schema.ExplainText(bytes.NewReader(text), sinks.DefaultShards, w.start)
				again.Notes = slices.DeleteFunc(again.Notes, func(n string) bool { return n == assumesUTC })
				if err != nil || !reflect.DeepEqual(again, x) {
					t.Errorf("%q, %s: %v, explained as\n%+v, was\n%+v", key, form, err, again, x)
				}
			}
		}
	})
}

// dynamoJSON spells the attributes as the AWS command line does.
func dynamoJSON(t *testing.T, x schema.Explanation) []byte {
	t.Helper()
	all := make(map[string]map[string]any)
	for _, f := range x.Attributes {
		value := f.Value
		if list, ok := value.([]string); ok {
			elements := []map[string]string{}
			for _, s := range list {
				elements = append(elements, map[string]string{"S": s})
			}
			value = elements
		}
		all[f.Name] = map[string]any{f.Type: value}
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// item makes an item of a key and attributes.
func item(key sinks.Key, entity string, more sinks.Item) sinks.Item {
	it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK)}
	if entity != "" {
		it[sinks.AttrEntity], it[sinks.AttrSchema] = sinks.Str(entity), sinks.Int(sinks.SchemaVersion)
	}
	for name, v := range more {
		it[name] = v
	}
	return it
}

func encoded(t *testing.T, s interface{ AppendBinary([]byte) ([]byte, error) }) sinks.Value {
	t.Helper()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return sinks.Bytes(b)
}

func TestOddItemsAreExplainedAsFarAsTheyAreKnown(t *testing.T) {
	keys, now := sinks.Keys{}, time.Date(2026, 5, 12, 14, 35, 0, 0, time.UTC)
	hour, tp := now.Truncate(time.Hour).UnixMilli(), sinks.TP{Topic: 1, Partition: 17}
	large := sketch.NewHour()
	for i := range uint64(5000) {
		large.Add(i * 0x9e3779b97f4a7c15)
	}
	busy := sketch.NewTop(2)
	for i := range 9 {
		busy.AddString([]string{"/", "/a", "/b"}[i%3])
	}
	day := func(entity string, more sinks.Item) sinks.Item {
		return item(keys.DayStats("shop", hour), entity, more)
	}
	part := func(u *sketch.Uniques) sinks.Item {
		return item(keys.Uniques("shop", hour, tp), sinks.EntityUniques, sinks.Item{sinks.AttrPart: encoded(t, u), "ws1_17": sinks.Int(42)})
	}
	huge := int128.From(1 << 62).Plus(int128.From(1 << 62))
	for _, c := range []struct {
		name string
		item sinks.Item
		says []string // in the table, in any order
	}{
		{"a key of nobody", item(sinks.Key{PK: "a", SK: "b"}, "", sinks.Item{"x": sinks.Int(1), sinks.AttrTTL: sinks.Int(now.Unix() - 1)}),
			[]string{"unknown item", "No template of footfall spells this key.", "expired at 2026-05-12T14:34:59Z"}},
		{"an entity type of a later release", item(sinks.Key{PK: "SITE#shop#MAPS", SK: "b"}, "Map", nil),
			[]string{`"Map" is none of this footfall`}},
		{"a known entity type under a foreign key",
			item(sinks.Key{PK: "SITE#shop", SK: "SESSION#s"}, sinks.EntitySession, sinks.Item{sinks.AttrUserID: sinks.Str("u")}),
			[]string{"session", "lies at SITE#{site}#SHARD#{nn} / SESSION#{session}#{tp}",
				"the first user; absent: `gsi1pk` spells it whole, or none is known"}},
		{"an item without an entity type", day("", nil), []string{"day stats", "has no entity type"}},
		{"another entity type than the key's", day(sinks.EntityEvent, nil),
			[]string{"Its entity type is Event, and what footfall writes to such a key is Stats"}},
		{"a later schema", day(sinks.EntityStats, sinks.Item{sinks.AttrSchema: sinks.Int(9)}),
			[]string{fmt.Sprintf("Its schema version is 9, this footfall knows %d.", sinks.SchemaVersion)}},
		{"a foreign attribute", day(sinks.EntityStats, sinks.Item{"mine": sinks.Str("x")}), []string{`have no attribute "mine"`}},
		{"an attribute of the wrong type", day(sinks.EntityStats, sinks.Item{sinks.AttrEvents: sinks.Str("3")}),
			[]string{`"events" is of type S, and footfall writes N`}},
		{"a sum beyond 64 bits", day(sinks.EntityStats, sinks.Item{sinks.AttrValueMicros: sinks.Num(huge)}),
			[]string{"9223372036854775808", "9223372036854.775808"}},
		{"damaged bytes", item(keys.HourStats("shop", hour), sinks.EntityStats, sinks.Item{"h1_17": sinks.Bytes([]byte("x"))}),
			[]string{`Attribute "h1_17" cannot be read`}},
		{"a sketch of the other kind", part(sketch.NewMinute()), []string{"a sketch of precision 10 where one of 14 belongs"}},
		{"an estimate", part(large), []string{fmt.Sprintf("about %d visitors, an estimate from 16384 registers", large.Estimate()),
			"partition 17 of topic 1, lane stats: up to flush 42"}},
		{"evicted pages", item(keys.Realtime("shop", hour, tp), sinks.EntityRealtime, sinks.Item{sinks.AttrPages: encoded(t, busy)}),
			[]string{"2 values: ", "; others " + fmt.Sprint(busy.Other()), " to "}},
		{"a key that no writer spells", item(sinks.Key{PK: "SITE#shop", SK: "STATS#hour#2026-05-12T14:00"}, sinks.EntityStats, nil),
			[]string{"footfall writes that to SITE#shop / STATS#hour#2026-05-12T14."}},
		{"keys of an index that no writer spells", item(keys.Metadata("shop"), sinks.EntitySite,
			sinks.Item{sinks.AttrGSI1PK: sinks.Str("OWNER#a%63me"), sinks.AttrGSI1SK: sinks.Str("SITE#shop")}),
			[]string{"footfall writes OWNER#acme / SITE#shop.", "listed by owner acme, site shop"}},
		{"a foreign index", item(keys.Metadata("shop"), sinks.EntitySite, sinks.Item{sinks.AttrGSI1PK: sinks.Str("MINE")}),
			[]string{"No template of footfall spells its key in an index, MINE / ."}},
		{"an item that should not expire", item(keys.Topic("t"), sinks.EntityTopic, sinks.Item{sinks.AttrTTL: sinks.Int(now.Unix() + 60)}),
			[]string{"never expire, and this one does", "2026-05-12T14:36:00Z"}},
		{"a time to live beyond all years", day(sinks.EntityStats, sinks.Item{sinks.AttrTTL: sinks.Int(1 << 62)}),
			[]string{"9999-12-31T23:59:59Z", `Attribute "ttl" cannot be read`}},
		{"a time to live before all years", day(sinks.EntityStats, sinks.Item{sinks.AttrTTL: sinks.Int(-1 << 62)}),
			[]string{"expired at 1970-01-01T00:00:00Z"}},
		{"another generation", item(sinks.Keys{Generation: 3}.DayStats("shop", hour), sinks.EntityStats, nil), []string{" generation  3"}},
		{"the key of the visitors' hash", item(keys.TableSettings(), sinks.EntityTable, sinks.Item{"hashKey": sinks.Bytes(hashKey)}),
			[]string{"(secret)"}},
		{"an open gap", item(keys.Checkpoint(tp, "stats"), sinks.EntityCheckpoint,
			sinks.Item{"gap": sinks.Str(`{"cause":"expired","unreadFrom":3,"unreadTo":5}`)}),
			[]string{"expired: positions [3,5) were never read; not accepted yet"}},
		{"a key that steers the terminal", item(sinks.Key{PK: "SITE#%61\u202e", SK: "METADATA"}, sinks.EntitySite, nil),
			[]string{`footfall writes that to SITE#a\u202e / METADATA.`}},
		{"a user that steers the terminal", item(keys.Session("shop", "s", tp, sinks.DefaultShards), sinks.EntitySession,
			sinks.Item{sinks.AttrUserID: sinks.Str("/\x1b[31m")}), []string{`/\x1b[31m`}},
	} {
		text := string(printed(t, show.Table, schema.Explain(c.item, nil, sinks.DefaultShards, now)))
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", c.name, want, text)
			}
		}
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%s: the explanation steers the terminal:\n%s", c.name, text)
		}
		document := string(printed(t, show.JSON, schema.Explain(c.item, nil, sinks.DefaultShards, now)))
		if secret := base64.StdEncoding.EncodeToString(hashKey); strings.Contains(text, secret) || strings.Contains(document, secret) {
			t.Errorf("%s: the explanation tells a secret:\n%s", c.name, document)
		}
	}
}

func TestAbsentItemsAreToldByTheirKey(t *testing.T) {
	hours := func(site, hour string) sinks.Key {
		return sinks.Key{PK: "SITE#shop" + site, SK: "STATS#hour#2026-05-12T14" + hour}
	}
	for want, key := range map[string]sinks.Key{
		`it would be of the type hour stats, site "shop#1", hour "2026-05-12T14"`:                           hours("%231", ""),
		"footfall writes no item under such a key":                                                          hours("", "Z"),
		`it would be of the type site list entry, site "shop"; footfall writes that to "SITES#15" / "shop"`: {PK: "SITES#03", SK: "shop"},
	} {
		if got := schema.ExplainKey(key, sinks.DefaultShards); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

func TestWhatIsNoItemIsRefused(t *testing.T) {
	for says, text := range map[string]string{
		"there is no item":                   " \n",
		"not one JSON object":                `{"pk":{"S":"a"}} {}`,
		"as DynamoDB spells it":              `{"pk":"a","sk":"b"}`,
		"not valid UTF-8":                    "{\"pk\":\"\xff\"}",
		`"sk" is missing`:                    `{"pk":{"S":"a"}}`,
		`DynamoDB has no type "X"`:           `{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"X":"true"}}`,
		"not a whole decimal number":         `{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"N":"1.5"}}`,
		"illegal base64":                     `{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"B":"?"}}`,
		"it is no list":                      `{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"L":{}}}`,
		"its Item is not a JSON object":      `{"Item":[]}`,
		"not as footfall prints them":        `{"attributes":[1]}`,
		"more than 3276800 bytes":            strings.Repeat(" ", 4_000_000),
		"a value of type S is a JSON string": `{"attributes":[{"name":"pk","type":"S","value":1}]}`,
	} {
		if it, _, err := schema.ParseItem(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v, %v; want an error that says %q", text, it, err, says)
		}
	}
}

func TestForeignAttributesAreNoted(t *testing.T) {
	x, err := schema.ExplainText(strings.NewReader(`{"pk":{"S":"SITE#shop"},"sk":{"S":"STATS#day#2026-05-12"},"_et":{"S":"Stats"},
		"events":{"N":"3"},"a":{"BOOL":true},"b":{"M":{}},"c":{"L":[{"N":"1"}]},"d":{"NULL":true},"e":{"SS":["x"]}}`), sinks.DefaultShards, time.Now())
	if err != nil || x.Item != "day stats" || len(x.Attributes) != 4 || len(x.Notes) != 6 || x.Notes[0] != assumesUTC {
		t.Fatalf("%+v, %v; want day stats with 4 attributes, a note on each of the 5 that are foreign, and one on the zone", x, err)
	}
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		if want := fmt.Sprintf("Attribute %q is of a type that footfall never writes, and left out.", name); x.Notes[i+1] != want {
			t.Errorf("note %q, want %q", x.Notes[i+1], want)
		}
	}
}

// Whatever is given as an item is explained or refused, and what is explained reads back.
func FuzzExplain(f *testing.F) {
	const hour = `"pk":{"S":"SITE#shop"},"sk":{"S":"STATS#hour#2026-05-12T14"},"_et":{"S":"Stats"}`
	f.Add([]byte(`{` + hour + `,"h1_17":{"B":"AQ=="},"events":{"N":"3"},"ttl":{"N":"4611686018427387904"}}`))
	f.Add([]byte(`{"Item":{"pk":{"S":"CHAIN#1"},"sk":{"S":"P#1#stats"},"totals":{"S":"{}"},"ver":{"S":"{}"},"gap":{"S":"{}"}}}`))
	f.Add([]byte(`{"attributes":[{"name":"pk","type":"S","value":"SITE#a%23#SHARD#01"},{"name":"sk","type":"S","value":"SESSION#s#1_2"},
		{"name":"cur","type":"B","value":"AQA="},{"name":"l","type":"L","value":["a"]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		it, _, err := schema.ParseItem(bytes.NewReader(text))
		if err != nil {
			return
		}
		now := time.Unix(1_778_594_400, 0)
		x := schema.Explain(it, nil, sinks.DefaultShards, now)
		printed(t, show.Table, x)
		back, _, err := schema.ParseItem(bytes.NewReader(printed(t, show.JSON, x)))
		if err != nil {
			t.Fatal(err)
		}
		if again := schema.Explain(back, nil, sinks.DefaultShards, now); x.Bytes == again.Bytes && !reflect.DeepEqual(again, x) {
			t.Errorf("explained as\n%+v, was\n%+v", again, x)
		}
	})
}

// The sums of a goal are said to be of the goal, and of no partition.
func TestSumsOfGoalsAreExplained(t *testing.T) {
	key := sinks.Keys{}.HourStats("shop", 1_778_594_400_000)
	it := item(key, sinks.EntityStats, map[string]sinks.Value{sinks.AttrGoalCount(1): sinks.Int(3),
		sinks.AttrGoalValue(12): sinks.Int(2_500_000)})
	x := schema.Explain(it, nil, sinks.DefaultShards, time.UnixMilli(0))
	for name, want := range map[string]string{"g1": "goal 1", "gv12": "goal 12: 2.5"} {
		i := slices.IndexFunc(x.Attributes, func(f schema.Fact) bool { return f.Name == name })
		if i < 0 || x.Attributes[i].Meaning != want {
			t.Errorf("%s: %+v, want it to mean %q", name, x.Attributes, want)
		}
	}
}
