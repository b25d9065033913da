package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	rawbatch "github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/event"
)

// entry is an entry of the failed-events topic.
type entry struct {
	class     class
	topic     string // that the record came from
	source    event.Source
	time      int64  // of the record, milliseconds since the epoch
	window    string // of duplicates, that the record was rejected under, as checkpoint.Duplicates.Text spells it; "": it does not say
	truncated bool   // the key or the value is not whole
	lacking   bool   // headers of the record are missing
	key       []byte
	value     []byte
	headers   []kgo.RecordHeader // the record's own
	offset    int64              // in the failed-events topic
}

// class is what entries have a position together for.
type class struct {
	Reason   event.Reason
	Replayed bool // the rejected record was a replayed one
}

// The text of a class, for instance too_late or too_late,replayed.
const replayedMark = ",replayed"

// MarshalText spells the class in a position.
func (c class) MarshalText() ([]byte, error) {
	if c.Replayed {
		return []byte(string(c.Reason) + replayedMark), nil
	}
	return []byte(c.Reason), nil
}

// UnmarshalText reads what MarshalText spelled.
func (c *class) UnmarshalText(b []byte) error {
	reason, replayed := strings.CutSuffix(string(b), replayedMark)
	*c = class{event.Reason(reason), replayed}
	return nil
}

// readEntry reads an entry's headers.
func readEntry(k *kgo.Record) (*entry, error) {
	h := make(map[string]string, len(k.Headers))
	var own []kgo.RecordHeader
	for _, x := range k.Headers {
		h[x.Key] = string(x.Value)
		if name, ok := strings.CutPrefix(x.Key, event.HeaderOwn); ok {
			own = append(own, kgo.RecordHeader{Key: name, Value: x.Value})
		}
	}
	e := &entry{topic: h[event.HeaderTopic], key: k.Key, value: k.Value, headers: own, offset: k.Offset}
	e.class.Reason = event.Reason(h[event.HeaderReason])
	_, e.class.Replayed = h[event.HeaderSource]
	if cut, ok := h[event.HeaderTruncated]; ok {
		cuts := strings.Split(cut, ",")
		e.lacking = slices.Contains(cuts, event.TruncatedHeaders)
		e.truncated = !e.lacking || len(cuts) > 1
	}
	if e.topic == "" || !slices.Contains(event.Reasons, e.class.Reason) {
		return nil, fmt.Errorf("topic %q, reason %q: this release writes no such entries", e.topic, e.class.Reason)
	}
	e.truncated = e.truncated || rawbatch.Length(k) > int64(len(k.Value)) || rawbatch.KeyCut(k) || rawbatch.HeadersCut(k)
	var err error
	if e.source, err = event.ParseSource(h[event.HeaderTopicID], h[event.HeaderPartition], h[event.HeaderOffset]); err != nil {
		return nil, err
	}
	if e.time, err = strconv.ParseInt(h[event.HeaderTime], 10, 64); err != nil {
		return nil, fmt.Errorf("header %s: %w", event.HeaderTime, err)
	}
	e.window = h[event.HeaderWindow]
	return e, nil
}

// record makes the record that is published.
func (e *entry) record(topic string) *kgo.Record {
	r := e.rejected()
	r.Topic, r.Partition = topic, e.source.Partition
	r.Headers = append(r.Headers, kgo.RecordHeader{Key: event.HeaderSource, Value: []byte(e.source.String())})
	return r
}

// rejected is the record as it was rejected.
func (e *entry) rejected() *kgo.Record {
	return &kgo.Record{Key: e.key, Value: e.value, Timestamp: time.UnixMilli(e.time), Headers: slices.Clone(e.headers)}
}

// selection says which entries a run takes.
type selection struct {
	Reasons  []event.Reason `json:"reasons,omitempty"` // none: all
	Replayed bool           `json:"replayed,omitempty"`
	From     int64          `json:"from,omitempty"` // least time of a record, milliseconds since the epoch; those before are passed over
}

func newSelection(o Options) selection {
	s := selection{Reasons: o.Reasons, Replayed: o.Replayed}
	if !o.From.IsZero() {
		s.From = o.From.UnixMilli()
	}
	return s
}

func (s selection) takes(c class) bool { return s.why(c) == "" }

// why says why a class is not taken; "" if it is.
func (s selection) why(c class) Skipped {
	switch {
	case len(s.Reasons) > 0 && !slices.Contains(s.Reasons, c.Reason):
		return NotChosen
	case c.Replayed && !s.Replayed:
		return RejectedAgain
	case !c.Replayed && s.Replayed:
		return NotChosen
	}
	return ""
}

// classes lists the classes that are taken.
func (s selection) classes() []class {
	var all []class
	for _, reason := range event.Reasons {
		if c := (class{reason, s.Replayed}); s.takes(c) {
			all = append(all, c)
		}
	}
	return all
}
