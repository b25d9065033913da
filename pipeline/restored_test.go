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
	w.t.Helper()
	items := make(map[sinks.Key]sinks.Item)
	for _, pk := range s.list() {
		for _, it := range w.query(pk, "") {
			items[it.Key()] = it
		}
	}
	return items
}

// restore makes the table hold just the items.
func (w *world) restore(s *spy, items map[sinks.Key]sinks.Item) {
	w.t.Helper()
	for key := range w.contents(s) {
		if _, err := w.table.Delete(w.t.Context(), sinks.Delete{Key: key}); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, it := range items {
		if _, err := w.table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
			w.t.Fatal(err)
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
				s, n := newSpy(w.table), atomic.Int64{}
				records := traffic(58, 2, 400, bubbleStart)
				w.folded(w.with(s, 0), records[:100])
				run := w.start(w.with(&via{s, func(ctx context.Context, _ request, pass func(context.Context) error) error {
					if n.Add(1) >= int64(at) {
						return errKilled
					}
					return pass(ctx)
				}}, 0))
				w.produce(records[100:200]...)
				if err := run.ended(); !errors.Is(err, errKilled) {
					t.Errorf("Run = %v, want the kill", err)
				}
				snapshot := w.contents(s)
				w.folded(w.with(s, 1), records[200:300])
				w.folded(w.with(s, 2), records[300:])
				w.restore(s, snapshot)
				run = w.start(w.with(s, 3))
				w.settled()
				run.drain()
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
				o := w.with(w.table, 0)
				records := traffic(59, 1, 300, bubbleStart)
				exchange := func(with []sinks.Item) (items []sinks.Item) {
					for _, lane := range lanes {
						items = append(items, w.item(sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane)))
					}
					for _, it := range with {
						if _, err := w.table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
							t.Fatal(err)
						}
					}
					return items
				}
				w.folded(o, records[:50])
				before := exchange(nil)
				w.folded(o, records[50:200])
				w.folded(o, records[200:250])
				after := exchange(before)
				w.produce(records[250:]...)
				run := w.start(o)
				w.until("the partition parks", func() bool { return w.head(0, checkpoint.LaneStats).Park != nil })
				if why := w.head(0, checkpoint.LaneStats).Park.String(); !strings.Contains(why, checkpoint.ErrForeignTable.Error()) ||
					!strings.Contains(why, "restore") {
					t.Errorf("it is parked with %q, want %v and what to do", why, checkpoint.ErrForeignTable)
				}
				run.drain()
				exchange(after)
				if _, err := checkpoint.Resume(t.Context(), checkpoint.Unparking{Topic: w.topic, Table: w.table}); err != nil &&
					!errors.Is(err, checkpoint.ErrNotParked) {
					t.Fatal(err)
				}
				run = w.start(o)
				w.settled()
				run.drain()
				w.recounts(len(records))
			})
		})
	}
}
