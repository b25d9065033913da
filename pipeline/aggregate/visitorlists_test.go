package aggregate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// TestListsTakeNoMoreItemsThanCounted: a flush ends early by what it counts of lists while it accumulates.
func TestListsTakeNoMoreItemsThanCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	site := &Site{ID: "s"}
	for _, sessions := range []int{1, 15, 16, 31, 32, 100, 999, 1000, 10_000, 100_000} {
		for _, visitors := range []int{1, 2, 1000, 1_000_000} {
			var count listCount
			var lists visitorLists
			for i := range sessions {
				x := &session{id: fmt.Sprint("session ", i), site: site, awake: &awake{visitor: fmt.Sprint("v", rng.IntN(visitors))}}
				x.Cur.Listed = state.ListedForEver
				count.add(listHour{site, 0})
				lists.add(listHour{site, 0}, entryOf(x))
			}
			var p plan.Plan
			c := &statsCut{accumulating: &accumulating{Place: Place{TP: sinks.TP{Topic: 1}}}, p: &p}
			c.visitorLists(&lists)
			if len(p.Writes) > count.items || count.items > 2*len(p.Writes)+1<<sinks.MaxVisitorDepth {
				t.Errorf("%d sessions of %d visitors: %d items, counted as %d", sessions, visitors, len(p.Writes), count.items)
			}
		}
	}
}
