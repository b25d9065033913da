package outgoing

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// headers are those of an entry with a name.
func headers(e *kgo.Record, name string) (values []string) {
	for _, h := range e.Headers {
		if h.Key == name {
			values = append(values, string(h.Value))
		}
	}
	return values
}

// TestEntriesHaveTheRecordsHeaders: a record's headers are in its entry as far as they fit beside its value, the one of a replay only as
// what it is. The entry says if some are missing.
func TestEntriesHaveTheRecordsHeaders(t *testing.T) {
	const topicTakes = 100_000
	f := FailedEvents{maxBytes: topicTakes - failedHeadroom}
	for _, c := range []struct {
		name         string
		value, large int // bytes
		cuts         string
		whole        bool // the large header is there
	}{
		{"a small value", 100, 80_000, "", true},
		{"no room beside the value", 80_000, 80_000, "headers", false},
		{"no room at all", 100, 2 * topicTakes, "headers", false},
		{"a value that is cut", 2 * topicTakes, 80_000, "value,headers", false},
		{"a value without room for more", topicTakes - failedHeadroom, 10, "", true},
	} {
		raw := &kgo.Record{Key: []byte("k"), Value: make([]byte, c.value-1), Headers: []kgo.RecordHeader{{Key: "a", Value: []byte("1")},
			{Key: "large", Value: make([]byte, c.large)}, {Key: event.HeaderSource, Value: []byte("2")}, {Key: "a", Value: nil}}}
		e := f.entry(&decoding.Record{Raw: raw, Reason: event.BadJSON}, raw.Value, [16]byte{}, "")
		if a := headers(e, "header.a"); !slices.Equal(a, []string{"1", ""}) {
			t.Errorf("%s: the headers a are %q, want both", c.name, a)
		}
		if large := headers(e, "header.large"); (len(large) == 1 && len(large[0]) == c.large) != c.whole {
			t.Errorf("%s: %d large headers", c.name, len(large))
		}
		if cuts := strings.Join(headers(e, event.HeaderTruncated), ";"); cuts != c.cuts {
			t.Errorf("%s: truncated %q, want %q", c.name, cuts, c.cuts)
		}
		if size := decoding.RecordBytes(e); size > topicTakes {
			t.Errorf("%s: the entry takes %d bytes", c.name, size)
		}
		if again := headers(e, "header."+event.HeaderSource); again != nil {
			t.Errorf("%s: the header of a replay is there as %q", c.name, again)
		}
	}
}

// TestRefusedEntriesShrink: an entry that the topic refuses loses the record's headers first, then its value, then its key.
func TestRefusedEntriesShrink(t *testing.T) {
	e := &kgo.Record{Key: []byte("key"), Value: []byte("value"), Headers: []kgo.RecordHeader{{Key: event.HeaderReason, Value: []byte("empty")},
		{Key: event.HeaderOwn + "a", Value: bytes.Repeat([]byte("x"), 1000)}}}
	for i, want := range []string{"headers: key value", "headers,value: key va", "headers,value: key v", "headers,value: key ",
		"headers,value,key: k "} {
		e = shrunk(e)
		if have := headers(e, event.HeaderTruncated)[0] + ": " + string(e.Key) + " " + string(e.Value); have != want {
			t.Errorf("refused %d times: %q, want %q", i+1, have, want)
		}
		if length, reason := headers(e, event.HeaderLength), headers(e, event.HeaderReason); !slices.Equal(length, []string{"5"}) ||
			!slices.Equal(reason, []string{"empty"}) || len(headers(e, event.HeaderOwn+"a")) > 0 {
			t.Errorf("refused %d times: headers %q", i+1, e.Headers)
		}
	}
}
