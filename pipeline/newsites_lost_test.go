package pipeline_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// The count of new sites is lost, and the chains admit as many again. verify recounts from what the quarantine has put in its place: it
// names the lost span, and neither the sites nor the totals differ.
func TestLostCountOfNewSitesIsNoDifference(t *testing.T) {
	t.Parallel()
	for _, attr := range []string{sinks.AttrSites, sinks.AttrHour, sinks.AttrPrevSites} {
		t.Run(attr, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.Options()
				o.Settings.NewSites = 3
				publish := func(sites string) {
					for _, letter := range sites {
						w.Produce(clickOf(string(letter), bubbleStart))
					}
				}
				publish("abcd")
				w.Folded(o, nil)
				var keys []sinks.Key
				for _, lane := range checkpoint.Lanes {
					key := sinks.Keys{}.NewSites(sinks.TP{Topic: 1}, lane)
					if _, err := w.Table.Update(t.Context(), sinks.Update{Key: key,
						Set: []sinks.Attr{{Name: attr, Value: sinks.Str("damaged")}}}); err != nil {
						t.Fatal(err)
					}
					keys = append(keys, key)
				}
				publish("efghia")
				run := w.Start(o)
				w.parkedOf(0)
				for _, key := range keys {
					w.quarantine(key)
					w.Pass(30 * time.Second)
				}
				w.Settled()
				run.Drain()
				counted := int64(3 + 1) // What is known counts on; a loss of what was before the last step changes nothing.
				if attr == sinks.AttrSites {
					counted += 3
				}
				if have := w.totals(0); have.Counted != counted || have.Records() != 10 {
					t.Errorf("totals %+v, want %d counted of 10", have, counted)
				}
				if lost := w.lostItems(); len(lost) != len(keys) {
					t.Errorf("verify names %v as lost, want %v", lost, keys)
				}
			})
		})
	}
}
