package answers_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/query"
)

// TestVisitorsOfJournalOutliveAStepWithoutBreakdowns: an hour has an item of visitors and a journal entry with one more. Then a step
// under settings without breakdowns, which reads no journal, writes the item of visitors under a later mark than the entry's. All
// visitors still count, to readers and to the recount, and so they do after a step with breakdowns has merged the entry.
func TestVisitorsOfJournalOutliveAStepWithoutBreakdowns(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		visitors := uint64(0)
		run := func(breakdowns int, rule aggregate.Journal, visits int) {
			t.Helper()
			o := w.Options()
			o.Settings.Breakdowns, o.Limits.Journal = breakdowns, rule
			p := w.Start(o)
			for range visits {
				visitors++
				w.Produce(record{At: time.Now(), Value: mustJSON(map[string]any{"siteId": "s", "type": "page_view", "url": "/",
					"visitorId": fmt.Sprint("v", visitors), "timestamp": bubbleStart.UnixMilli()})})
			}
			w.Settled()
			p.Drain()
			u, err := query.New(w.Table, time.Now).Uniques(t.Context(),
				query.UniquesParams{Site: "s", From: bubbleStart.Truncate(time.Hour), To: bubbleStart.Truncate(time.Hour).Add(time.Hour)})
			if err != nil || u.UniqueVisitors != visitors {
				t.Errorf("after a step with %d breakdowns: %+v, %v, want %d visitors", breakdowns, u, err, visitors)
			}
			w.Recounted()
		}
		always, never := aggregate.Journal{MinItem: 1, Entries: math.MaxInt}, aggregate.Journal{MinItem: math.MaxInt}
		run(10, always, aggregate.InlineVisitors+1)
		run(10, always, 1)
		if n := testpipeline.Journaled(w.World, "s"); n != 1 {
			t.Fatalf("%d journal entries, want 1", n)
		}
		run(0, always, 1)
		run(10, never, 1)
	})
}
