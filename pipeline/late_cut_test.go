package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
)

// journaled returns how many journal entries a site has of hours of bubbleStart's date.
func (w *world) journaled(site string) int {
	w.t.Helper()
	page, err := w.table.Query(w.t.Context(), sinks.Query{PK: sinks.Keys{}.BreakdownOfDay(site, bubbleStart.UnixMilli()),
		Prefix: sinks.LatePrefix})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(page.Items)
}

// A step that merges the journal of an hour is cut short before the hour's item is written. The entries are still there, and a new owner
// redoes the step from the item and the entries.
func TestJournalStaysUntilItsMergeIsWritten(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		const entries = 2
		var stuck, dead atomic.Bool
		var tries atomic.Int64
		o := w.options()
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: entries}
		o.Table = &via{w.table, func(ctx context.Context, r request, pass func(context.Context) error) error {
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
				w.produce(record{at: time.Now(), value: mustJSON(map[string]any{"siteId": "s", "type": "page_view",
					"timestamp": bubbleStart.UnixMilli(),
					"visitorId": fmt.Sprint(n, i), "sessionId": fmt.Sprint(n, i), "url": fmt.Sprint("/", n)})})
			}
		}
		run := w.start(o)
		for n := range 1 + entries { // The first step writes the item.
			visit(n)
			w.settled()
		}
		if n := w.journaled("s"); n != entries {
			t.Fatalf("the journal has %d entries, want %d: the test is void", n, entries)
		}
		stuck.Store(true)
		visit(1 + entries)
		for tries.Load() == 0 {
			w.pass(time.Second)
		}
		if n := w.journaled("s"); n != entries {
			t.Errorf("the journal has %d entries before the hour's item has them, want %d", n, entries)
		}
		dead.Store(true)
		run.killed()
		o.Table = w.table
		run = w.start(o)
		w.settled()
		visit(2 + entries) // The step after the merge deletes them.
		w.settled()
		run.drain()
		w.agrees(o)
	})
}
