package outgoing

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// TestEntriesHaveTheRecordsHeaders: a record's headers are in its entry as far as they fit, the one of a replay only as what it is.
func TestEntriesHaveTheRecordsHeaders(t *testing.T) {
	large := []byte(strings.Repeat("x", maxOwnHeaders))
	own := ownHeaders(&kgo.Record{Headers: []kgo.RecordHeader{{Key: "a", Value: []byte("1")}, {Key: "large", Value: large},
		{Key: event.HeaderSource, Value: []byte("2")}, {Key: "a", Value: nil}}})
	if len(own) != 2 || own[0].Key != "header.a" || string(own[0].Value) != "1" || own[1].Key != "header.a" {
		t.Errorf("the headers are %q, want both of a", own)
	}
}
