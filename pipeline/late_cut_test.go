package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
)

// A step that merges the journal of an hour is cut short before the hour's item is written. The entries are still there, and a new owner
// redoes the step from the item and the entries.
func TestJournalStaysUntilItsMergeIsWritten(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		const entries = 2
		var stuck, dead atomic.Bool
		var tries atomic.Int64
		o := w.Options()
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: entries}
		o.Table = &via{w.Table, func(ctx context.Context, r request, pass func(context.Context) error) error {
			switch {
			case dead.Load():
				return errKilled
			case stuck.Load() && r.update != nil && strings.HasPrefix(r.update.Key.SK, sinks.BreakdownPrefix):
				tries.Add(1)
				return throttled(ctx)
			}
			return pass(ctx)
		}}
		visit := func(n int) {
			for i := range 5 {
				w.Produce(record{At: time.Now(), Value: mustJSON(map[string]any{"siteId": "s", "type": "page_view",
					"timestamp": bubbleStart.UnixMilli(),
					"visitorId": fmt.Sprint(n, i), "sessionId": fmt.Sprint(n, i), "url": fmt.Sprint("/", n)})})
			}
		}
		run := w.Start(o)
		for n := range 1 + entries { // The first step writes the item.
			visit(n)
			w.Settled()
		}
		if n := testpipeline.Journaled(w.World, "s"); n != entries {
			t.Fatalf("the journal has %d entries, want %d: the test is void", n, entries)
		}
		stuck.Store(true)
		visit(1 + entries)
		for tries.Load() == 0 {
			w.Pass(time.Second)
		}
		if n := testpipeline.Journaled(w.World, "s"); n != entries {
			t.Errorf("the journal has %d entries before the hour's item has them, want %d", n, entries)
		}
		dead.Store(true)
		run.Killed()
		o.Table = w.Table
		run = w.Start(o)
		w.Settled()
		visit(2 + entries) // The step after the merge deletes them.
		w.Settled()
		run.Drain()
		w.Agrees(o)
	})
}
