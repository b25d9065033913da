package event

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
)

// FuzzDecode holds the scanner to the authority: what it takes, the authority takes, with the same Event, and all that it does
// not take has the authority's reason and detail. decodeBothWays checks the event besides.
func FuzzDecode(f *testing.F) {
	for _, pairs := range []map[string]string{
		{"title": `"caf\u00e9 \ud83d\ude00"`}, {"title": `"\ud800"`}, {"value": "-1.5e-2"}, {"timestamp": "1.5e12"}, {"visitorId": `"0"`},
		{"properties": `{"a":{"b":[1,2,{"c":null}],"b":1}}`}, {"x": `[true,false,null,-0.5E+7]`, "site\\u0049d": "1"},
		{"timestamp": `"2016-12-31T23:59:60.5-00:00"`},
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
	for _, records := range [][][]byte{typicalRecords(2), slashed(typicalRecords(2)),
		trackedRecords(4, true, ""), spaced(trackedRecords(4, true, `,"a":{"b":[null]}`))} {
		for _, value := range records {
			f.Add(value)
			f.Add(value[:len(value)/2])
		}
	}
	f.Fuzz(func(t *testing.T, value []byte) { decodeBothWays(t, value) })
}

// FuzzDecodeRealData does the same from the real data on.
func FuzzDecodeRealData(f *testing.F) {
	for _, value := range wikipediaEdits(f, 100) {
		f.Add(value)
	}
	for _, content := range parsingSuite(f) {
		if len(content) < 4<<10 {
			f.Add(recordWith("properties", string(content)))
		}
	}
	var naughty []string
	if err := json.Unmarshal(realdata.Read(f, "badinput/blns.json"), &naughty); err != nil {
		f.Fatal(err)
	}
	for i, s := range naughty {
		plain, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(recordWith(textFields[i%len(textFields)].name, string(plain), "x", escapeAll(s)))
	}
	f.Fuzz(func(t *testing.T, value []byte) { decodeBothWays(t, value) })
}
