//go:build planted

package pipeline_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/footfall/footfall/internal/plant"
)

var plantedSeeds = flag.Int("plantedseeds", 150, "seeds of the simulation in which TestPlantedBugs must notice a bug, and nothing where there is none")

// TestPlantedBugs has the simulation look for each bug of package plant, one after the other, and then for none: what
// notices every mistake that we can think of, and nothing where there is none, is worth believing. A bug that is not
// noticed is a fault of the simulation or of what judges it.
func TestPlantedBugs(t *testing.T) {
	var table strings.Builder
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "bug\tcaught by\tdifferences\ttook\tone of them")
	caught := 0
	for _, bug := range plant.All {
		t.Run(bug.Name, func(t *testing.T) {
			*bug.Planted = true
			defer func() { *bug.Planted = false }()
			start := time.Now()
			s := simulateUntil(t, *plantedSeeds)
			took := time.Since(start).Round(100 * time.Millisecond)
			if s == nil {
				t.Errorf("not caught in %d seeds", *plantedSeeds)
				fmt.Fprintf(rows, "%s\tNOT CAUGHT\t\t%v\t\n", bug.Name, took)
				return
			}
			caught++
			one := s.problems[0]
			fmt.Fprintf(rows, "%s\tsimulation, seed %d\t%d\t%v\t%s\n", bug.Name, s.seed, len(s.problems), took, one[:min(len(one), 110)])
		})
	}
	t.Run("none", func(t *testing.T) {
		if s := simulateUntil(t, *plantedSeeds); s != nil {
			t.Errorf("no bug is planted, and seed %d has %d differences:\n%s", s.seed, len(s.problems), strings.Join(s.problems, "\n"))
		}
	})
	rows.Flush()
	fmt.Printf("%s%d of %d caught\n", &table, caught, len(plant.All))
}

// symptoms are what a seed noticed.
type symptoms struct {
	seed     uint64
	problems []string
}

// simulateUntil runs seeds from 1 on, as many at once as there are cores, until one has differences; nil: none has.
func simulateUntil(t *testing.T, seeds int) *symptoms {
	var next atomic.Uint64
	var found atomic.Pointer[symptoms]
	var lines sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		lines.Go(func() {
			for seed := next.Add(1); seed <= uint64(seeds) && found.Load() == nil; seed = next.Add(1) {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
					if o := simulate(t, seed); len(o.problems) > 0 {
						found.CompareAndSwap(nil, &symptoms{seed, o.problems})
					}
				})
			}
		})
	}
	lines.Wait()
	return found.Load()
}
