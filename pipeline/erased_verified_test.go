package pipeline_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// TestVerifyFindsWhatAnErasureLeft: once an erasure says that it is done, what it has left, or what came back, is a difference.
func TestVerifyFindsWhatAnErasureLeft(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.StatsInterval = 5 * time.Second
		s := newSpy(w.Table)
		o.Table = s
		w.Produce(eventOf("gone", "a", "1", 0), eventOf("gone", "", "2", time.Second), eventOf("stays", "b", "3", time.Second))
		run := w.Start(o)
		w.Settled()
		before := w.contents(s)
		if report, err := erase.Run(t.Context(), w.Erasure("gone")); err != nil || !report.Over() {
			t.Fatalf("%+v, %v", report, err)
		}
		run.Drain()
		w.Recounted()
		wrong := 0
		for key, it := range before {
			if it[sinks.AttrVisitorID].Str() != "gone" && state.IdentityOf(it).Visitor != "gone" {
				continue
			}
			wrong++
			after := w.Item(key)
			if _, err := w.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Fatal(err)
			}
			if r, err := w.Verify(w.Options()); err != nil || r.DifferenceCount == 0 {
				t.Errorf("%v is there again, and nothing differs: %v, %v", key, r.LeftOut, err)
			}
			if after == nil {
				_, err := w.Table.Delete(t.Context(), sinks.Delete{Key: key})
				if err != nil {
					t.Fatal(err)
				}
			} else if _, err := w.Table.Put(t.Context(), sinks.Put{Item: after}); err != nil {
				t.Fatal(err)
			}
		}
		if wrong != 5 { // Two raw events, a session, a visit and the state of their visits.
			t.Errorf("%d items were of the visitor, want 5", wrong)
		}
	})
}

// TestErasedEventOfARecordThatTheLogLost: two records have one raw event, the erased visitor's was written last and is deleted, and
// the log has lost that visitor's record. The other record's raw event is missing, and no difference.
func TestErasedEventOfARecordThatTheLogLost(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		w.Produce(eventOf("stays", "a", "1", 0))
		w.Settled()
		gone := eventOf("gone", "a", "1", 0)
		gone.Partition = 1
		w.Produce(gone)
		w.Settled()
		if report, err := erase.Run(t.Context(), w.Erasure("gone")); err != nil || !report.Over() || report.Touched[erase.Events] != 1 {
			t.Fatalf("%+v, %v", report, err)
		}
		run.Drain()
		if err := w.Cluster.DeleteRecords(testTopic, 1, -1); err != nil {
			t.Fatal(err)
		}
		if r, list := w.Differences(w.Options()); len(list) > 0 || r.ComparedCount == 0 {
			t.Errorf("of %d compared items differ %q", r.ComparedCount, list)
		}
	})
}
