package mapping

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// TestRefusalsNameTheSetting: a record that another setting would read is refused with that setting.
func TestRefusalsNameTheSetting(t *testing.T) {
	for _, c := range []struct {
		unit, layout, value, names string
	}{
		{"", "", `{"at":1747058585250000}`, ": it may be of another unit: write event.timeUnit: us"},
		{"s", "", `{"at":1747058585250000}`, ": it may be of another unit: write event.timeUnit: us"},
		{"s", "", `{"at":"1747058585250000"}`, ": it may be of another unit: write event.timeUnit: us"},
		{"ms", "", `{"at":1747058585250000000}`, ": it may be of another unit: write event.timeUnit: ns"},
		{"", "", `{"at":"1747058585"}`, ": it may be of another unit: write event.timeUnit: s"},
		{"ms", "", `{"at":"noon"}`, `timestamp: "noon" is not a number`},
		{"", "iso8601", `{"at":"1747058585"}`, "does not have the layout of event.timeLayout"},
		{"", "", "\x00\x00\x00\x00\x68\x02a", ": the value begins as one with schema 104 does: set event.registry.urls"},
		{"", "", "\x01", "not JSON: invalid character"},
	} {
		m, err := New(Config{Map: []string{"timestamp=at"}, Set: []string{"siteId=s", "type=page_view", "visitorId=v"}, TimeUnit: c.unit,
			TimeLayout: c.layout, Configured: true})
		if err != nil {
			t.Fatal(err)
		}
		var e event.Event
		reason, detail := m.Decode(event.NewDecoder(), &kgo.Record{Value: []byte(c.value)}, &e)
		hinted := strings.HasPrefix(c.names, ": ")
		if reason != event.NotMapped || !strings.Contains(detail, c.names) ||
			!hinted && (strings.Contains(detail, "another unit") || strings.Contains(detail, "registry")) {
			t.Errorf("unit %q, %q: %s, %s; want %s", c.unit, c.value, reason, detail, c.names)
		}
	}
}
