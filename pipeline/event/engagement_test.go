package event

import (
	"encoding/json"
	"testing"
)

func TestEngagementIsReadFromProperties(t *testing.T) {
	for properties, want := range map[string]Engagement{
		`{}`:                                      {Unsaid, Unsaid},
		`{ }`:                                     {Unsaid, Unsaid},
		`{"engagementMs":1500,"scroll":70}`:       {1500, 70},
		`{ "scroll" : 70.9 , "x":1 }`:             {Unsaid, 70},
		`{"engagementMs":1499.99999999999}`:       {1499, Unsaid},
		`{"engagementMs":1.5e3}`:                  {1500, Unsaid},
		`{"engagementMs":0,"scroll":0}`:           {0, 0},
		`{"engagementMs":-1,"scroll":-0.5}`:       {Unsaid, 0},
		`{"engagementMs":86400000.9,"scroll":-1}`: {86400000, Unsaid},
		`{"engagementMs":86400000,"scroll":100}`:  {86400000, 100},
		`{"engagementMs":86400001,"scroll":101}`:  {Unsaid, 100},
		`{"scroll":100.4}`:                        {Unsaid, 100},
		`{"scroll":2147483647}`:                   {Unsaid, 100},
		`{"scroll":2147483648}`:                   {Unsaid, Unsaid},
		`{"engagementMs":1e999,"scroll":null}`:    {Unsaid, Unsaid},
		`{"engagementMs":"1500","scroll":true}`:   {Unsaid, Unsaid},
		`{"a":{"scroll":1,"b":[{"scroll":2},"}"]},"c":"\",\"scroll\":3","scroll":4}`: {Unsaid, 4},
		`{"scr\u006fll":7}`:                        {Unsaid, 7},
		`{"a":[],"b":{},"c":[ ],"engagementMs":5}`: {5, Unsaid},
	} {
		if !json.Valid([]byte(properties)) {
			t.Fatalf("%s is not valid", properties)
		}
		e := Event{Type: []byte("engagement"), Properties: []byte(properties)}
		if got := e.Engagement(); got != want {
			t.Errorf("%s says %+v, want %+v", properties, got, want)
		}
		e.Type = []byte("ping")
		if got := e.Engagement(); got != (Engagement{Unsaid, Unsaid}) {
			t.Errorf("a ping says %+v", got)
		}
	}
}

// FuzzEngagement: whatever properties an event is accepted with, what they say is what a decoder of JSON finds in them.
func FuzzEngagement(f *testing.F) {
	f.Add([]byte(`{"engagementMs":1500,"scroll":70,"a":[{"scroll":"\"}"}]}`))
	d := NewDecoder()
	f.Fuzz(func(t *testing.T, properties []byte) {
		var e Event
		if reason, _ := d.Decode(recordWith("type", `"engagement"`, "properties", string(properties)), &e); reason != Accepted || e.Properties == nil {
			return
		}
		var all map[string]any
		if err := json.Unmarshal(e.Properties, &all); err != nil {
			return // A number that is too large.
		}
		want := func(key string, most float64) int64 {
			if n, ok := all[key].(float64); ok && -1 < n && n < most+1 {
				return int64(n)
			}
			return Unsaid
		}
		if got := e.Engagement(); got != (Engagement{want("engagementMs", 86_400_000), min(100, want("scroll", 1<<31-1))}) {
			t.Errorf("%s says %+v", e.Properties, got)
		}
	})
}
