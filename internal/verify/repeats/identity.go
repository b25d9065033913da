package repeats

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// Identity returns what makes an event of its site the same event again: the record that it was published again for, if its headers
// name one, and its own id otherwise; nil without either.
func Identity(k *kgo.Record, e *event.Event) []byte {
	for _, h := range k.Headers {
		if h.Key == event.HeaderSource && event.IsSource(h.Value) {
			return h.Value
		}
	}
	return e.ID
}
