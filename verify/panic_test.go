package verify

import (
	"testing"

	"github.com/footfall/footfall/pipeline"
)

func TestRecordThatPanicsIsRejectedAsThePipelineDoes(t *testing.T) {
	v := &verifier{} // Without a decoder it panics.
	var e pipeline.Event
	if reason := v.decode([]byte(`{}`), &e); reason != pipeline.Panicked {
		t.Errorf("reason %q, want %q", reason, pipeline.Panicked)
	}
	if reason := v.decode([]byte(`{"siteId":"s","type":"click","timestamp":1,"visitorId":"v"}`), &e); reason != pipeline.Accepted {
		t.Errorf("the record behind it: reason %q, want it accepted", reason)
	}
}
