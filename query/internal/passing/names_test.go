package passing

import (
	"testing"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestFiltersNameUserAgentsAsTheTableDoes: until the upgrade is finalized, filters say what breakdowns say.
func TestFiltersNameUserAgentsAsTheTableDoes(t *testing.T) {
	event := sinks.Item{"userAgent": sinks.Str("Mozilla/5.0 (Linux; arm_64; Android 15; 2409BRN2CY) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Chrome/140.0.7339.122 YaBrowser/25.10.1.122.00 SA/3 Mobile Safari/537.36"), "os": sinks.Str("HyperOS")}
	for format, want := range map[int]string{sinks.FormatOfPurges: "Chrome", sinks.FormatOfClasses: "Yandex Browser"} {
		v := &eventValues{classifier: classify.New()}
		v.classifyAs(format)
		if got := v.agent(event, sketch.Browser); got != want {
			t.Errorf("in format %d the browser is %q, want %q", format, got, want)
		}
		if got := v.agent(event, sketch.OS); got != "HyperOS" {
			t.Errorf("the system is %q, want that which was sent", got)
		}
	}
	hinted := sinks.Item{"properties": sinks.Str(`{"userAgentData":{"brands":[{"brand":"Brave"}]}}`)}
	v := &eventValues{classifier: classify.New()}
	if got := v.agent(hinted, sketch.Browser); got != "Brave" {
		t.Errorf("by client hints alone the browser is %q, want Brave", got)
	}
}
