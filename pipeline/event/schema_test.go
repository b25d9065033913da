package event

import (
	"bytes"
	"sync"
	"testing"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/footfall/footfall/docs"
)

// eventSchema is the JSON Schema that producers are given.
var eventSchema = sync.OnceValue(func() *jsonschema.Schema {
	const name = "event.schema.json"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(docs.EventSchema)))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, document); err != nil {
		panic(err)
	}
	return c.MustCompile(name)
})

// checkSchema holds the schema to what Decode has said of a record that is JSON. An event that is counted and of which no field is ignored
// is valid. All others are not, apart from what a schema cannot say, which its description lists.
func checkSchema(t *testing.T, value []byte, e *Event, reason Reason) {
	t.Helper()
	switch reason {
	case TooLarge, Empty, BadJSON:
		return
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		t.Fatalf("record %q: %v", value, err)
	}
	fault := eventSchema().Validate(document)
	switch good := reason == Accepted && e.Notes&^NoteCut == 0; {
	case good && fault != nil:
		t.Fatalf("record %q is counted, and is not valid by the schema: %v", value, fault)
	case !good && fault == nil && !beyondSchema(value, document, reason):
		t.Fatalf("record %q is valid by the schema, and has reason %q, notes %b", value, reason, e.Notes)
	}
}

// beyondSchema reports whether a schema cannot say what is wrong with a record.
func beyondSchema(value []byte, document any, reason Reason) bool {
	if bytes.ContainsFunc(value, func(r rune) bool { return r > unicode.MaxASCII }) || bytes.Contains(value, []byte(`\u`)) {
		return true // Lengths in bytes.
	}
	object, _ := document.(map[string]any)
	if reason == BadTime { // Leap seconds, and zones at either end.
		text, _ := object["timestamp"].(string)
		return len(text) > 19 && (text[17:19] == "60" || text[:4] == "1969" || text[:10] == "1970-01-01" || text[:10] == "9999-12-31")
	}
	_, number := object["value"].(interface{ Int64() (int64, error) }) // Its places.
	properties, _ := object["properties"].(map[string]any)             // Their bytes and depth.
	return reason == Accepted && (number || len(properties) > 0)
}

// TestTheSchemaSaysWhatDecodeSays: decodeBothWays holds the schema to the records of all tests; here are those that only a schema may get
// wrong.
func TestTheSchemaSaysWhatDecodeSays(t *testing.T) {
	for _, c := range []struct {
		name  string
		value []byte
		valid bool
	}{
		{"as plain as can be", recordWith(), true},
		{"a session alone", recordWith("visitorId", "", "sessionId", `"s"`), true},
		{"a placeholder beside an id", recordWith("sessionId", `"undefined"`), true},
		{"placeholders alone", recordWith("visitorId", `"0"`, "sessionId", `"anonymous"`), false},
		{"nobody", recordWith("visitorId", "null", "sessionId", `""`), false},
		{"an id of a visit", recordWith("visitorId", `"~visit-7f99ec72f8645bac-1_17-4711"`), false},
		{"nothing of anything", recordWith("url", "null", "value", "null", "properties", "null", "title", `""`), true},
		{"a url that is cut", recordWith("url", quoted("/"+string(bytes.Repeat([]byte("x"), 3000)))), true},
		{"a name too long", recordWith("name", quoted(string(bytes.Repeat([]byte("x"), 129)))), false},
		{"a billion", recordWith("value", "1e9"), false},
		{"the wrong case", recordWith("SiteId", `"s"`), false},
		{"seconds with a point", recordWith("timestamp", "1778594587.5"), false},
		{"milliseconds with a point", recordWith("timestamp", "1778594587250.0"), true},
		{"no zone", recordWith("timestamp", `"2026-05-12T14:03:07"`), false},
		{"29 February 2100", recordWith("timestamp", `"2100-02-29T00:00:00Z"`), false},
		{"29 February 2400", recordWith("timestamp", `"2400-02-29T00:00:00Z"`), true},
		{"29 February 1968", recordWith("timestamp", `"1968-02-29T00:00:00Z"`), false},
		{"29 February 1972", recordWith("timestamp", `"1972-02-29T00:00:00Z"`), true},
		{"29 February 400", recordWith("timestamp", `"0400-02-29T00:00:00Z"`), false},
		{"an array", []byte(`[1]`), false},
	} {
		e, reason, _ := decodeBothWays(t, c.value)
		if valid := reason == Accepted && e.Notes&^NoteCut == 0; valid != c.valid {
			t.Errorf("%s: reason %q, notes %b; want valid %v", c.name, reason, e.Notes, c.valid)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.value))
		if err != nil {
			t.Fatal(err)
		}
		if fault := eventSchema().Validate(document); (fault == nil) != c.valid {
			t.Errorf("%s: the schema says %v; want valid %v", c.name, fault, c.valid)
		}
	}
}
