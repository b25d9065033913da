package simulation_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// TestFaultsAreThoseOfTheRequest: which requests meet which fault does not depend on the order in which they come.
func TestFaultsAreThoseOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		met := func(order []int) (map[int]string, *testpipeline.Coverage) {
			var tasks sync.WaitGroup
			answers, cover := make(map[int]string), testpipeline.NewCoverage()
			f := testpipeline.NewFaulty(discard{}, 7, "process", testpipeline.Mix{Rate: 0.5, Latest: time.Minute}, cover, &tasks)
			for _, i := range order {
				for try := range 3 {
					_, err := f.Update(t.Context(), sinks.Update{Key: sinks.Key{PK: "SITE#s", SK: fmt.Sprint(i)}})
					answers[10*i+try] = fmt.Sprint(err)
				}
			}
			tasks.Wait()
			return answers, cover
		}
		order := rand.New(rand.NewPCG(1, 1)).Perm(100)
		one, coverOne := met(order)
		slices.Reverse(order)
		two, coverTwo := met(order)
		if !maps.Equal(one, two) || !maps.Equal(coverOne.Count, coverTwo.Count) {
			t.Errorf("in another order other requests met faults: %v and %v", coverOne, coverTwo)
		}
		if len(coverOne.Count) < 10 {
			t.Errorf("of all faults they met only %v", coverOne)
		}
	})
}

// discard is a table that takes every update and keeps none.
type discard struct{ sinks.Table }

func (discard) Update(context.Context, sinks.Update) (sinks.Result, error) {
	return sinks.Result{}, nil
}
