package decoding

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// Identity returns what makes an event of its site the same event again: for the duplicates' window and for the key of
// its raw event. It is the event's id, nil without one; for a record that was published again from the failed-events
// topic it is the record that was rejected. The event's own id would not do there: the rejected record lies in the
// window with it, and would hide the one that is published in its place. The bytes belong to the record or the event.
func Identity(k *kgo.Record, e *event.Event) []byte {
	if source := ReplayedFrom(k); source != nil {
		return source
	}
	return e.ID
}

// ReplayedFrom returns the value of the record's HeaderSource, the first that is well-formed; nil without one.
func ReplayedFrom(k *kgo.Record) []byte {
	for i := range k.Headers {
		if h := &k.Headers[i]; h.Key == event.HeaderSource && event.IsSource(h.Value) {
			return h.Value
		}
	}
	return nil
}
