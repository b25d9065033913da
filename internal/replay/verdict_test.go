package replay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// What became of a record whose rejection somebody published, the step that has the record says.

// late publishes events that happened two hours before their records, to all partitions, with the ids [from, to).
func (w *world) late(from, to int) {
	w.t.Helper()
	for i := from; i < to; i++ {
		r := &kgo.Record{Topic: topic, Partition: int32(i % 3), Key: []byte("s"), Timestamp: start, Value: fmt.Appendf(nil,
			`{"siteId":"s","type":"page_view","timestamp":%d,"visitorId":"v%d","id":"e%d"}`, start.Add(-2*time.Hour).UnixMilli(), i, i)}
		if err := w.client.ProduceSync(w.t.Context(), r).FirstErr(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// lateness returns the default settings with this lateness.
func lateness(d time.Duration) checkpoint.Settings {
	s := checkpoint.DefaultSettings()
	s.LateMs = d.Milliseconds()
	return s
}

// TestRecordsThatAnotherStepAcceptedAreNotReplayed: a process rejects records and is killed before it has begun their step;
// another folds them under settings that accept them. The entries of the first stay behind, and are left out.
func TestRecordsThatAnotherStepAcceptedAreNotReplayed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t) // The pipeline makes its own.
		w.late(0, 60)
		w.leave(lateness(time.Hour))
		w.fold(lateness(48 * time.Hour))
		for range 2 {
			sum := w.replay(nil)
			if sum.Published != 0 {
				t.Errorf("summary %+v, want none published", sum)
			}
			w.fold(lateness(48 * time.Hour))
			if have := w.totals(); have.Counted != 60 || len(have.Rejected) > 0 {
				t.Errorf("totals %+v, want 60 counted", have)
			}
		}
		sum := w.replay(func(o *replay.Options) { o.Again = true })
		var text strings.Builder
		if err := sum.WriteText(&text); err != nil || !strings.Contains(text.String(), "Counted after all: 60. ") ||
			sum.Skipped[replay.Counted][event.TooLate] != 60 || sum.Published != 0 {
			t.Errorf("summary %+v, %v, want 60 counted after all:\n%s", sum, err, text.String())
		}
		w.verified()
	})
}

// TestRepetitionsThatAnotherStepFoundAreNotReplayed: a process without a window of duplicates rejects late repetitions and
// is killed before it has begun their step; another folds them as what they are. What is late and no repetition has two
// entries then, of which the step's own is published, also by a later run.
func TestRepetitionsThatAnotherStepFoundAreNotReplayed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t)
		w.late(0, 30)
		w.late(0, 30)
		s := lateness(time.Hour)
		s.Duplicates = checkpoint.Duplicates{}
		w.leave(s)
		s.Duplicates = checkpoint.Duplicates{WindowMs: time.Hour.Milliseconds(), Positions: 100}
		w.fold(s)
		for i, c := range []struct{ limit, published, left int64 }{{7, 7, 60}, {0, 23, 0}} { // The entries have one key: one partition.
			sum := w.replay(func(o *replay.Options) { o.Limit = c.limit })
			if sum.Published != c.published || sum.Skipped[replay.LeftBehind][event.TooLate] != c.left {
				t.Errorf("run %d: summary %+v, want %d published and %d left behind", i, sum, c.published, c.left)
			}
		}
		s.LateMs = -1
		w.fold(s)
		if have := w.totals(); have.Counted != 30 || have.Duplicate != 30 || have.Rejected[event.TooLate] != 30 {
			t.Errorf("totals %+v, want 30 counted, 30 duplicates, and 30 rejected", have)
		}
		w.verified()
	})
}

// TestReplayWaitsForTheStepOfARecord: the entries of a process that was killed before it had begun their step are left
// until a step has their records, and published once if that rejects them, too.
func TestReplayWaitsForTheStepOfARecord(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t)
		w.late(0, 30)
		w.fold(lateness(time.Hour))
		w.late(30, 60)
		w.leave(lateness(time.Hour))
		for i, published := range []int64{30, 0} {
			sum := w.replay(nil)
			var text strings.Builder
			if err := sum.WriteText(&text); err != nil || !strings.Contains(text.String(), "Not decided yet: 30. ") ||
				sum.Skipped[replay.NotDecided][event.TooLate] != 30 || sum.Published != published {
				t.Errorf("run %d: summary %+v, %v, want %d published and 30 not decided yet:\n%s", i, sum, err, published, text.String())
			}
		}
		w.fold(lateness(time.Hour))
		if sum := w.replay(nil); sum.Published != 30 || len(sum.Skipped[replay.NotDecided]) > 0 {
			t.Errorf("summary %+v, want 30 published", sum)
		}
		w.fold(lateness(48 * time.Hour))
		if have := w.totals(); have.Counted != 30 || have.Rejected[event.TooLate] != 90 {
			t.Errorf("totals %+v, want 30 counted, and 60 and 30 that were replayed rejected", have)
		}
		w.verified()
	})
}
