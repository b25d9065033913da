package checkpoint_test

import (
	"reflect"
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// TestScriptFromRawEvents: a flush has records of raw events or of the topic, and says which.
func TestScriptFromRawEvents(t *testing.T) {
	raw := func(s checkpoint.Span) checkpoint.Span {
		s.Settings.FromRaw = true
		return s
	}
	script := checkpoint.Script{{To: 10, Rev: 1}, {To: 20, Rev: 2, Today: true}, {To: 30, Rev: 3}}
	for _, c := range []struct {
		to   int64
		want checkpoint.Script
	}{
		{0, script},
		{5, checkpoint.Script{raw(checkpoint.Span{To: 5, Rev: 1}), script[0], script[1], script[2]}},
		{10, checkpoint.Script{raw(script[0]), script[1], script[2]}},
		{15, checkpoint.Script{raw(script[0]), raw(checkpoint.Span{To: 15, Rev: 2, Today: true}), script[1], script[2]}},
		{40, checkpoint.Script{raw(script[0]), raw(script[1]), raw(script[2])}},
	} {
		if have := script.FromRaw(c.to); !reflect.DeepEqual(have, c.want) {
			t.Errorf("up to %d: %+v, want %+v", c.to, have, c.want)
		}
	}
}
