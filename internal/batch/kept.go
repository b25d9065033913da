package batch

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// What is kept of a record that is streamed. It is the same in all readers, and more than a mapping reads. So a record is the same event,
// whether its batch was streamed or not.
const (
	// MaxKeyBytes is the longest key that a mapping reads. One byte more is kept of a longer one.
	MaxKeyBytes = 64 << 10
	// MaxHeaderBytes is the most that HeaderBytes may be where a mapping reads headers. What is kept of more is more than that, too.
	MaxHeaderBytes = 64 << 10
)

// headerCost is what a header counts beside its bytes.
const headerCost = 16

// HeaderBytes is what headers count against MaxHeaderBytes.
func HeaderBytes(headers []kgo.RecordHeader) (n int) {
	for i := range headers {
		n += headerCost + len(headers[i].Key) + len(headers[i].Value)
	}
	return n
}

// cut is what was left out of a record. It travels in the Context of the record.
type cut struct {
	length       int64 // of the value in the log
	key, headers bool
}

// cutOf returns what was left out of a record. ok is false if it is whole.
func cutOf(r *kgo.Record) (c cut, ok bool) {
	if r.Context != nil {
		c, ok = r.Context.Value(cutKey{}).(cut)
	}
	return c, ok
}

// mark notes in a record what was left out of it.
func (c cut) mark(r *kgo.Record) {
	if c.key || c.headers || c.length > int64(len(r.Value)) {
		r.Context = context.WithValue(context.Background(), cutKey{}, c)
	}
}

// Length returns how long a record's value is in the log, which is longer than Value where that was cut.
func Length(r *kgo.Record) int64 {
	if c, ok := cutOf(r); ok {
		return c.length
	}
	return int64(len(r.Value))
}

// KeyCut reports whether the key is longer in the log.
func KeyCut(r *kgo.Record) bool {
	c, _ := cutOf(r)
	return c.key
}

// HeadersCut reports whether the record has more headers in the log, or longer ones.
func HeadersCut(r *kgo.Record) bool {
	c, _ := cutOf(r)
	return c.headers
}

// headers reads the headers of a record, up to the one with which they are more than MaxHeaderBytes. After that one, the first is kept that
// says which record this one repeats, if none did before. whole reports that nothing was left out.
func (s *source) headers(n int64) (kept []kgo.RecordHeader, whole bool, err error) {
	room, repeats := MaxHeaderBytes, false
	whole = true
	for range n {
		// One byte more, of a name or value that is not whole, makes it another one.
		name, nameBytes, err := s.bytes(max(room, len(event.HeaderSource)) + 1)
		if err != nil {
			return nil, false, err
		}
		value, valueBytes, err := s.bytes(max(room-len(name), event.MaxSourceBytes) + 1)
		if err != nil {
			return nil, false, err
		}
		replayed := string(name) == event.HeaderSource && event.IsSource(value)
		if room < 0 && (repeats || !replayed) {
			whole = false
			continue
		}
		whole = whole && int64(len(name)) == nameBytes && int64(len(value)) == valueBytes
		repeats = repeats || replayed
		room -= headerCost + len(name) + len(value)
		kept = append(kept, kgo.RecordHeader{Key: string(name), Value: value})
	}
	return kept, whole, nil
}
