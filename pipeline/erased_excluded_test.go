package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// TestErasureDeletesExcludedEvents: an event of an excluded page is in no session, but has the id of one. If it has no visitor and that
// session is erased, its raw event is deleted, and no difference. One of another visitor's session stays, and is a difference without it.
func TestErasureDeletesExcludedEvents(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		w.Decide("s", &sites.Rules{ExcludedPaths: []string{"/private*"}})
		w.Folded(o, []record{
			eventOf("gone", "a", "1", 0), eventOf("", "a", "private 1", time.Second),
			eventOf("stays", "b", "2", 0), eventOf("", "b", "private 2", time.Second),
		})
		gone, stays := w.rawOf("private 1"), w.rawOf("private 2")
		if it := w.Item(gone); it[sinks.AttrExcluded].Int() != 1 {
			t.Fatalf("the event is not excluded: %v", it)
		}
		run := w.Start(o)
		if report, err := erase.Run(t.Context(), w.Erasure("gone")); err != nil || !report.Over() {
			t.Fatalf("%+v, %v", report, err)
		}
		run.Drain()
		if it := w.Item(gone); it != nil {
			t.Errorf("the raw event of the erased session is still there: %v", it)
		}
		if w.Item(stays) == nil {
			t.Error("the raw event of the other session is gone")
		}
		if r, list := w.Differences(o); len(list) > 0 || r.ComparedCount == 0 {
			t.Errorf("of %d compared items differ %q", r.ComparedCount, list)
		}
		if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: stays}); err != nil {
			t.Fatal(err)
		}
		if _, list := w.Differences(o); len(list) != 1 || !strings.Contains(list[0], stays.SK) {
			t.Errorf("without %v differ %q", stays, list)
		}
	})
}
