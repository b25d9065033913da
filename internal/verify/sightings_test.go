package verify_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A record that repeats one which the log has lost is neither expected in the table nor missed there.
func TestRepetitionOfALostRecordIsLeftOut(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.Settings.Duplicates = checkpoint.Duplicates{WindowMs: time.Hour.Milliseconds(), Positions: 5}
		event := func(id string, after time.Duration) record {
			return record{0, w.event(plainSite, "page_view", after, "id", id, "visitorId", "v1")}
		}
		w.produce(event("a", 1), event("b", 2), event("b", time.Second), event("c", 3))
		w.run(o)
		r := w.verify(nil)
		want(t, "the whole log", r, 0)
		if r.Compared["event"] != 3 {
			t.Errorf("compared %v, want 3 raw events", r.Compared)
		}
		w.trim(0, 2)
		r = w.verify(nil)
		if r.DifferenceCount != 0 || r.LeftOut[becauseLog] == 0 {
			t.Errorf("a log without the first b: %+v", r)
		}
	})
}

func TestWrongVerdictOnADuplicateIsFound(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.Settings.Duplicates = checkpoint.Duplicates{WindowMs: time.Hour.Milliseconds(), Positions: 5}
		event := record{0, w.event(plainSite, "page_view", 0, "id", "a", "visitorId", "v1")}
		w.produce(event, event)
		w.run(o)
		want(t, "a duplicate", w.verify(nil), 0)
		for key, it := range w.snapshot() {
			if it[sinks.AttrEntity].Str() == sinks.EntityCheckpoint && it["totals"].Str() != "" {
				wrong := make(sinks.Item)
				for name, v := range it {
					wrong[name] = v
				}
				wrong["totals"] = sinks.Str(`{"counted":2,"duplicate":0,"sessionless":2}`)
				if key == (sinks.Keys{}).Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats) {
					w.set(key, wrong)
				}
			}
		}
		want(t, "a duplicate that is booked as counted", w.verify(nil), finding.ExitDifferent)
	})
}
