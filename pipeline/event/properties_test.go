package event

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzProperties compares the members of objects with those that encoding/json finds.
func FuzzProperties(f *testing.F) {
	for _, text := range []string{`{}`, `{ "a" : "x" , "b":12.50,"c":[1,{"d":"]}"}],"e":null}`, `{"a":"\\\"}","\u0062":true,"":"y"}`,
		`{"o":{"a":{"b":"{"}},"a":-1e9 }`, `{"a":"","b":false}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var members map[string]json.RawMessage
		if !jsontext.Value(object).IsValid() || json.Unmarshal(object, &members) != nil || object[0] != '{' {
			return // The decoder of events refuses it.
		}
		want, have := make(map[string]string), make(map[string]string)
		for key, raw := range members {
			var text any
			if json.Unmarshal(raw, &text) != nil {
				continue
			}
			switch value := text.(type) {
			case string:
				want[key] = value
			case float64, bool:
				want[key] = string(raw)
			}
		}
		maps.DeleteFunc(want, func(_, value string) bool { return value == "" })
		e := Event{Properties: bytes.TrimSpace(object)} // From brace to brace.
		e.EachProperty(func(key, value []byte) { have[string(key)] = string(value) })
		if !maps.Equal(have, want) {
			t.Errorf("%s: %q, want %q", object, have, want)
		}
	})
}
