package recount

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

func TestRecordThatPanicsIsRejectedAsThePipelineDoes(t *testing.T) {
	v := &Model{} // Without a decoder it panics.
	var e event.Event
	if reason := v.decode("", &kgo.Record{Value: []byte(`{}`)}, &e); reason != event.Panicked {
		t.Errorf("reason %q, want %q", reason, event.Panicked)
	}
	if reason := v.decode("", &kgo.Record{Value: []byte(`{"siteId":"s","type":"click","timestamp":1,"visitorId":"v"}`)}, &e); reason != event.Accepted {
		t.Errorf("the record behind it: reason %q, want it accepted", reason)
	}
}
