package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// contents are all items under the partition keys that s has seen.
func (w *world) contents(s *spy) map[sinks.Key]sinks.Item {
	w.T.Helper()
	items := make(map[sinks.Key]sinks.Item)
	for _, pk := range s.list() {
		for _, it := range w.Query(pk, "") {
			items[it.Key()] = it
		}
	}
	return items
}

// restore makes the table hold just the items.
func (w *world) restore(s *spy, items map[sinks.Key]sinks.Item) {
	w.T.Helper()
	for key := range w.contents(s) {
		if _, err := w.Table.Delete(w.T.Context(), sinks.Delete{Key: key}); err != nil {
			w.T.Fatal(err)
		}
	}
	for _, it := range items {
		if _, err := w.Table.Put(w.T.Context(), sinks.Put{Item: it}); err != nil {
			w.T.Fatal(err)
		}
	}
}

// TestTableRestoredAsAWholeContinuesExactly: the whole table goes back to where it was, in the middle of a step, and
// the log is still there: what was folded since is folded again.
func TestTableRestoredAsAWholeContinuesExactly(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for _, at := range []int{5, 12, 20, 33, 60} { // The request before which the snapshot was taken.
		t.Run(fmt.Sprint("before request ", at), func(t *testing.T) {
			inWorld(t, 2, func(t *testing.T, w *world) {
				s, n := newSpy(w.Table), atomic.Int64{}
				records := traffic(58, 2, 400, bubbleStart)
				w.Folded(w.With(s, 0), records[:100])
				run := w.Start(w.With(&via{s, func(ctx context.Context, _ request, pass func(context.Context) error) error {
					if n.Add(1) >= int64(at) {
						return errKilled
					}
					return pass(ctx)
				}}, 0))
				w.Produce(records[100:200]...)
				if err := run.Ended(); !errors.Is(err, errKilled) {
					t.Errorf("Run = %v, want the kill", err)
				}
				snapshot := w.contents(s)
				w.Folded(w.With(s, 1), records[200:300])
				w.Folded(w.With(s, 2), records[300:])
				w.restore(s, snapshot)
				run = w.Start(w.With(s, 3))
				w.Settled()
				run.Drain()
				w.recounts(len(records))
			})
		})
	}
}

// TestRestoredCheckpointsPark: checkpoints from before some steps meet items that carry later ones; with those
// that belong to the items the chain continues exactly.
func TestRestoredCheckpointsPark(t *testing.T) {
	t.Parallel()
	for name, lanes := range map[string][]string{"realtime": {checkpoint.LaneRealtime}, "both": checkpoint.Lanes} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.With(w.Table, 0)
				records := traffic(59, 1, 300, bubbleStart)
				exchange := func(with []sinks.Item) (items []sinks.Item) {
					for _, lane := range lanes {
						items = append(items, w.Item(sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane)))
					}
					for _, it := range with {
						if _, err := w.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
							t.Fatal(err)
						}
					}
					return items
				}
				w.Folded(o, records[:50])
				before := exchange(nil)
				w.Folded(o, records[50:200])
				w.Folded(o, records[200:250])
				after := exchange(before)
				w.Produce(records[250:]...)
				run := w.Start(o)
				w.until("the partition parks", func() bool { return w.head(0, checkpoint.LaneStats).Park != nil })
				if why := w.head(0, checkpoint.LaneStats).Park.String(); !strings.Contains(why, checkpoint.ErrForeignTable.Error()) ||
					!strings.Contains(why, "restore") {
					t.Errorf("it is parked with %q, want %v and what to do", why, checkpoint.ErrForeignTable)
				}
				run.Drain()
				exchange(after)
				if _, err := checkpoint.Resume(t.Context(), checkpoint.Unparking{Topic: w.Topic, Table: w.Table}); err != nil &&
					!errors.Is(err, checkpoint.ErrNotParked) {
					t.Fatal(err)
				}
				run = w.Start(o)
				w.Settled()
				run.Drain()
				w.recounts(len(records))
			})
		})
	}
}
