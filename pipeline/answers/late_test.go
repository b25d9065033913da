package answers_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// TestJournalChangesNoAnswer: merging an hour at every step, at every seventh or never gives equal answers, also where rows are
// evicted and breakdowns are trimmed.
func TestJournalChangesNoAnswer(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	answers := make(map[string]string)
	for name, rule := range map[string]aggregate.Journal{"always": {MinItem: math.MaxInt}, "every seventh": {MinItem: 1, Entries: 7},
		"never": {MinItem: 1, Entries: math.MaxInt}} {
		inWorld(t, 1, func(t *testing.T, w *world) {
			o := w.Options()
			o.Limits.Journal, o.StatsInterval = rule, 2*time.Second
			o.Settings.Breakdowns, o.Settings.BreakdownBytes = 6, 3000
			p := w.Start(o)
			for i, r := range testpipeline.Traffic(1, 1, 400, bubbleStart.Add(-3*time.Hour)) {
				w.Produce(r)
				w.Pass(200 * time.Millisecond)
				if i == 200 { // A new owner goes on from items and journal.
					p.Drain()
					p = w.Start(o)
				}
			}
			w.Settled()
			p.Drain()
			r := query.New(w.Table, time.Now)
			var all strings.Builder
			sites, err := r.Sites(t.Context(), query.SitesParams{})
			if err != nil || len(sites.Sites) == 0 {
				t.Fatal(sites, err)
			}
			for _, s := range sites.Sites {
				for _, d := range sketch.Dimensions() {
					a, err := r.Top(t.Context(), query.TopParams{Site: s.SiteID, Dimension: d.String(), From: bubbleStart.Add(-72 * time.Hour),
						To: bubbleStart.Add(72 * time.Hour)})
					if err != nil {
						t.Fatal(err)
					}
					text, _ := json.Marshal(a)
					fmt.Fprintf(&all, "%s\n", text)
				}
				u, err := r.Uniques(t.Context(), query.UniquesParams{Site: s.SiteID, From: bubbleStart.Add(-72 * time.Hour),
					To: bubbleStart.Add(72 * time.Hour)})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&all, "%+v\n", u)
			}
			answers[name] = all.String()
			if rep, err := w.Verify(o); err != nil || rep.ExitCode() != 0 {
				t.Errorf("%s: verify: %+v, %v", name, rep, err)
			}
		})
	}
	for name, a := range answers {
		if a != answers["always"] {
			t.Errorf("merged %s: other answers than merged always:\n%s\nand\n%s", name, a, answers["always"])
		}
	}
}
