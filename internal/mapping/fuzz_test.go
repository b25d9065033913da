package mapping

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// FuzzEvent: a mapping makes of any value an event that the decoder takes for one, or says why not; it is the same when the record is
// read again.
func FuzzEvent(f *testing.F) {
	for _, p := range Presets() {
		f.Add(p, "properties.x=a.b[0]|a[k=v]?", []byte(required+`}`), []byte("k"))
	}
	f.Add("", "title={a}{+b?}{?c,d}", []byte(required+`,"a":{"b":[1,{"k":"v"}]}}`), []byte{0xff})
	f.Add("matomo", "title=kafka:key", []byte("?idsite=1&url=%2F&_id=7"), []byte(nil))
	f.Fuzz(func(t *testing.T, preset, assignment string, value, key []byte) {
		c := Config{Set: []string{"siteId=s"}, Configured: true}
		if assignment != "" {
			c.Map = append(c.Map, assignment)
		}
		if c = c.Over(preset); preset == "" {
			c = base(assignment)
		}
		m, err := New(c)
		if err != nil {
			return
		}
		again, err := Parse(c.Canonical(), NoSchemas)
		if err != nil {
			t.Fatalf("%s: %v", c.Canonical(), err)
		}
		r := &kgo.Record{Key: key, Value: value, Timestamp: time.UnixMilli(1778594587250), Headers: []kgo.RecordHeader{{Key: "h", Value: key}}}
		var e, second event.Event
		reason, detail := m.Decode(event.NewDecoder(), r, &e)
		if reason2, detail2 := again.Decode(event.NewDecoder(), r, &second); reason != reason2 || detail != detail2 {
			t.Errorf("%s: %s, and as it was recorded %s: %s", reason, detail, reason2, detail2)
		}
		switch reason {
		case event.Accepted:
			made, _ := m.Event(r)
			if !json.Valid(made.JSON) || made.Site != string(e.SiteID) {
				t.Errorf("made %s, of site %q", made.JSON, e.SiteID)
			}
		case event.NotMapped:
			if detail == "" {
				t.Error("not mapped, without a detail")
			}
		case event.Empty, event.TooLarge:
		default: // What the decoder refuses, the mapping has passed on unread: properties, or a time beyond its range.
			if made, _ := m.Event(r); !strings.Contains(string(made.JSON), `"properties"`) && reason != event.BadTime && reason != event.BadSite &&
				reason != event.BadType && reason != event.MissingVisitor {
				t.Errorf("%s: %s, of %s", reason, detail, made.JSON)
			}
		}
	})
}
