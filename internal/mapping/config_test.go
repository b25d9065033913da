package mapping

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// TestCanonicalMeansTheSame: what a checkpoint names makes the same events, whatever the order of the configuration was, and a text of
// another version, or with fields that are not known, is refused.
func TestCanonicalMeansTheSame(t *testing.T) {
	c := Config{Map: []string{"type=kind", "siteId=site", "timestamp=at", "visitorId=who", "value=price"}, Default: []string{"type=view"},
		Set: []string{"name=n"}, Rest: true, TimeUnit: "s", DecimalComma: true}
	other := c
	other.Map = []string{"visitorId=who", "timestamp=at", "siteId=site", "value=price", "type=kind"}
	text := c.Canonical()
	if text != other.Canonical() {
		t.Errorf("the order of fields changes %s to %s", text, other.Canonical())
	}
	m, err := Parse(text, NoSchemas)
	if err != nil {
		t.Fatal(err)
	}
	var e event.Event
	reason, detail := m.Decode(event.NewDecoder(), &kgo.Record{Value: []byte(`{"site":"s","at":1700000000,"who":"v","price":"1.234,5","x":1}`)}, &e)
	if reason != event.Accepted || string(e.SiteID) != "s" || string(e.Type) != "view" || e.Timestamp != 1700000000000 ||
		!strings.Contains(string(e.Properties), `"x":1`) {
		t.Errorf("Decode = %s, %s: %+v", reason, detail, e)
	}
	for _, c := range []struct {
		value, detail string
		reason        event.Reason
	}{
		{`{"site":"s","at":1700000000,"who":"v","price":"1.5x"}`, `value: "1.5x" is not a number as in 1.234,50, which event.decimalComma`,
			event.NotMapped},
		{`{"site":"s","who":"v"}`, `timestamp: the record has no key "at"`, event.NotMapped},
		{`[1]`, "not a JSON object", event.NotMapped},
		{"", "no value", event.Empty},
		{strings.Repeat("x", event.MaxRecordBytes+1), "65537 bytes", event.TooLarge},
	} {
		reason, detail := m.Decode(event.NewDecoder(), &kgo.Record{Value: []byte(c.value)}, &e)
		if reason != c.reason || !strings.Contains(detail, c.detail) {
			t.Errorf("Decode(%.60s) = %s, %s; want %s, %s", c.value, reason, detail, c.reason, c.detail)
		}
	}
	for _, bad := range []string{strings.Replace(text, `"v":1`, `"v":2`, 1), strings.Replace(text, `"rest"`, `"other"`, 1), text + "x",
		"{}"} {
		if _, err := Parse(bad, NoSchemas); err == nil {
			t.Errorf("Parse(%s) is no error", bad)
		}
	}
	if m, err := Parse("", NoSchemas); m != nil || err != nil {
		t.Errorf("Parse of no mapping = %v, %v", m, err)
	}
}

// TestConfiguredFaultsNameSettings: faults of a configuration name its settings, and faults of flags the flags.
func TestConfiguredFaultsNameSettings(t *testing.T) {
	bad := Config{Map: []string{"siteid=x", "url={a"}, Set: []string{"type"}, Default: []string{"title=x"}, TimeUnit: "h", TimeZone: "x"}
	for configured, want := range map[bool][]string{
		false: {"--map siteid=x: ", "--map url={a: ", "--set type: ", "--default title=x: no --map", "--time-unit h: "},
		true: {"event.map: siteid=x: ", "event.map: url={a: ", "event.set: type: ", "event.default: title=x: no event.map",
			"event.timeUnit: h: "},
	} {
		bad.Configured = configured
		_, err := New(bad)
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("configured %v: no %q in %v", configured, text, err)
			}
		}
		if configured && strings.Contains(err.Error(), "--") {
			t.Errorf("a fault of settings names a flag: %v", err)
		}
	}
}
