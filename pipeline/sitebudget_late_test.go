package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
)

// A journaled hour leaves its visitors to the journal, which only has visitors of events in breakdowns. Visitors of events beyond the
// budget are in none of its logs, and must not be lost.
func TestVisitorsBeyondTheBudgetOfAJournaledHour(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 100}
		w.Decide("s", &sites.Rules{Name: "S", EventsPerSecond: 1})
		run := w.Start(o)
		for step := range 3 { // The first writes the hour whole, with more visitors than ride in its stats.
			at := bubbleStart.Add(time.Duration(step) * time.Minute)
			for i := range 70 {
				w.Produce(record{At: at, Value: mustJSON(map[string]any{"siteId": "s", "type": "page_view", "timestamp": bubbleStart.UnixMilli(),
					"visitorId": fmt.Sprint(step, " ", i), "url": "/"})})
			}
			w.Settled()
		}
		run.Drain()
		if it := w.Item(sinks.Keys{}.HourStats("s", bubbleStart.UnixMilli())); it[sinks.AttrOverBudgetEvents].Int() != 30 {
			t.Errorf("the hour is %v, want 30 events beyond the budget", it)
		}
		if n := testpipeline.Journaled(w.World, "s"); n != 2 {
			t.Errorf("the journal has %d entries, want 2", n)
		}
		w.Agrees(o)
	})
}
