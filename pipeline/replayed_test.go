package pipeline_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/sinks"
)

func TestSourcesAreReadBack(t *testing.T) {
	for _, s := range []event.Source{{}, {TopicID: [16]byte{0xff, 1, 15: 0xab}, Partition: 1<<31 - 1, Offset: 1<<63 - 1}} {
		parts := strings.Split(s.String(), "/")
		back, err := event.ParseSource(parts[0], parts[1], parts[2])
		if err != nil || back != s {
			t.Errorf("%v was read back as %v, %v", s, back, err)
		}
		k := &kgo.Record{Headers: []kgo.RecordHeader{{Key: event.HeaderSource, Value: []byte(s.String())}}}
		if id := decoding.Identity(k, &event.Event{ID: []byte("own")}); string(id) != s.String() {
			t.Errorf("a record from %v has the identity %q", s, id)
		}
	}
	id := strings.Repeat("0", 32)
	for _, bad := range [][3]string{{"", "0", "0"}, {id[1:], "0", "0"}, {id + "00", "0", "0"}, {strings.Repeat("x", 32), "0", "0"},
		{id, "", "0"}, {id, "-1", "0"}, {id, "2147483648", "0"}, {id, "0", ""}, {id, "0", "-1"}, {id, "0", "9223372036854775808"}} {
		if s, err := event.ParseSource(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%q was read as %v", bad, s)
		}
	}
}

func TestMalformedSourcesAreIgnored(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 2)
	for _, text := range []string{"", "x", id, id + "/", id + "/1", id + "/1/", id + "//1", id + "/1/2/", id + "/1/2/3", id[1:] + "/1/2", id +
		"0/1/2",
		strings.ToUpper(id) + "/1/2", id + "/-1/2", id + "/1/2 ", id + "/1/" + strings.Repeat("1", 256)} {
		k := &kgo.Record{Headers: []kgo.RecordHeader{{Key: event.HeaderSource, Value: []byte(text)}}}
		if have := decoding.Identity(k, &event.Event{ID: []byte("own")}); string(have) != "own" {
			t.Errorf("header %q: identity %q, want the event's own id", text, have)
		}
		if have := decoding.Identity(k, &event.Event{}); have != nil {
			t.Errorf("header %q: identity %q of an event without id", text, have)
		}
	}
}

func TestIdentityAllocatesNothing(t *testing.T) {
	k := &kgo.Record{Headers: []kgo.RecordHeader{{Key: "traceparent", Value: []byte("x")},
		{Key: event.HeaderSource, Value: []byte(event.Source{}.String())}}}
	e := &event.Event{ID: []byte("own")}
	if n := testing.AllocsPerRun(100, func() { decoding.Identity(k, e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestReplayedRecordIsTheOneThatWasRejected: an event that was rejected lies in the duplicates' window under its id. The
// record that is published in its place counts all the same, and once, however often it is published.
func TestReplayedRecordIsTheOneThatWasRejected(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		late := []byte(`{"siteId":"s","type":"click","timestamp":946425600000,"visitorId":"v","id":"a"}`) // 72 h before
		w.Folded(w.Options(), []record{{Key: "s", At: bubbleStart, Value: late}})
		o := w.Options()
		o.Settings.LateMs = -1
		again := &kgo.Record{Topic: w.Topic, Key: []byte("s"), Value: late, Timestamp: bubbleStart,
			Headers: []kgo.RecordHeader{{Key: event.HeaderSource, Value: []byte(event.Source{}.String())}}}
		more := *again
		if err := w.Client.ProduceSync(t.Context(), again, &more).FirstErr(); err != nil {
			t.Fatal(err)
		}
		run := w.Start(o)
		w.Settled()
		run.Drain()
		totals := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats).Totals
		if totals.Counted != 1 || totals.Duplicate != 1 || totals.Rejected[event.TooLate] != 1 {
			t.Errorf("totals %+v, want 1 rejected, 1 counted and 1 duplicate", totals)
		}
	})
}

// TestEntryOfReplayedRecordSaysSo: what is rejected once more can be told apart, so that a replay does not go round for
// ever; where it lies is said as of any other record.
func TestEntryOfReplayedRecordSaysSo(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		source := event.Source{TopicID: [16]byte(bytes.Repeat([]byte{7}, 16)), Partition: 3, Offset: 42}.String()
		for _, value := range []string{source, "nonsense"} {
			r := &kgo.Record{Topic: w.Topic, Value: []byte("{"), Timestamp: bubbleStart,
				Headers: []kgo.RecordHeader{{Key: event.HeaderSource, Value: []byte(value)}}}
			if err := w.Client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		w.Folded(w.Options(), nil)
		entries := w.failedEntries(2)
		for offset, want := range []string{source, ""} {
			if e := entries[int64(offset)]; e == nil || header(e, event.HeaderSource) != want {
				t.Errorf("entry of offset %d: %v, want %s %q", offset, e, event.HeaderSource, want)
			}
		}
	})
}
