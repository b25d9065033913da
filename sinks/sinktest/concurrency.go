package sinktest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/footfall/footfall/sinks"
)

const writers = 24

// together runs f in so many goroutines, and returns when all have ended.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

var concurrencyBehaviours = []behaviour{
	{name: "OneOfManyConditionalPutsWins", check: func(t *testing.T, s Store) {
		var won atomic.Int64
		together(writers, func(i int) {
			r, err := s.Put(t.Context(), sinks.Put{Item: item(key("n"), count("own", int64(i))),
				If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
			if err != nil {
				t.Errorf("Put = %v", err)
			} else if !r.Refused {
				won.Add(1)
			} else if r.Item == nil {
				t.Error("a refusal came without the item that caused it")
			}
		})
		if won.Load() != 1 {
			t.Errorf("%d of %d conditional puts won, want 1", won.Load(), writers)
		}
	}},
	{name: "OneOfManyStepsWins", check: func(t *testing.T, s Store) {
		// The compare-and-set of a chain: every writer wants to move k from the same value.
		update(t, s, sinks.Update{Key: key("n"), Set: []sinks.Attr{count("k", 0)}})
		for k := range int64(5) {
			var won atomic.Int64
			together(writers, func(i int) {
				r, err := s.Update(t.Context(), sinks.Update{Key: key("n"),
					Set: []sinks.Attr{count("k", k+1), count("own", int64(i))},
					If:  []sinks.Cond{{Attr: "k", Op: sinks.Equal, Value: sinks.Int(k)}}, Return: true})
				switch {
				case err != nil:
					t.Errorf("Update = %v", err)
				case !r.Refused:
					won.Add(1)
					if got := r.Item["own"].Int(); got != int64(i) {
						t.Errorf("the winner %d was answered with the item of %d", i, got)
					}
				case r.Item["k"].Int() != k+1:
					t.Errorf("a refusal of step %d came with k = %d", k+1, r.Item["k"].Int())
				}
			})
			if won.Load() != 1 {
				t.Errorf("step %d: %d of %d updates won, want 1", k+1, won.Load(), writers)
			}
		}
	}},
	{name: "GuardedAddsApplyOnceEach", check: func(t *testing.T, s Store) {
		// Many chains share an item, and each repeats its steps.
		const steps = 4
		together(writers, func(i int) {
			mark := fmt.Sprint("ws1_", i)
			for step := int64(1); step <= steps; step++ {
				for try := range 3 {
					r, err := s.Update(t.Context(), sinks.Update{Key: key("n"), Add: []sinks.Attr{count("views", step)},
						Set: []sinks.Attr{count(mark, step)},
						If:  []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: sinks.Int(step)}}})
					if err != nil {
						t.Errorf("Update = %v", err)
					} else if r.Refused != (try > 0) {
						t.Errorf("try %d of step %d of %s: refused is %v", try+1, step, mark, r.Refused)
					}
				}
			}
		})
		want := item(key("n"), count("views", writers*steps*(steps+1)/2))
		for i := range writers {
			want[fmt.Sprint("ws1_", i)] = sinks.Int(steps)
		}
		wantItem(t, "after all chains", get(t, s, key("n")), want)
	}},
	{name: "UnguardedAddsAreNotLost", check: func(t *testing.T, s Store) {
		const each = 10
		seen := make([]map[int64]bool, writers)
		together(writers, func(i int) {
			seen[i] = make(map[int64]bool)
			for range each {
				r, err := s.Update(t.Context(), sinks.Update{Key: key("n"), Add: []sinks.Attr{count("ep", 1)}, Return: true})
				if err != nil {
					t.Errorf("Update = %v", err)
				}
				seen[i][r.Item["ep"].Int()] = true
			}
		})
		all := make(map[int64]bool) // Every epoch was given to one writer.
		for _, epochs := range seen {
			for ep := range epochs {
				if all[ep] {
					t.Errorf("epoch %d was given out twice", ep)
				}
				all[ep] = true
			}
		}
		wantItem(t, "after all writers", get(t, s, key("n")), item(key("n"), count("ep", writers*each)))
	}},
	{name: "DifferentItemsAreWrittenAtOnce", check: func(t *testing.T, s Store) {
		together(writers, func(i int) {
			k := key(fmt.Sprintf("%03d", i))
			for n := range int64(5) {
				if _, err := s.Update(t.Context(), sinks.Update{Key: k, Add: []sinks.Attr{count("n", n)}}); err != nil {
					t.Errorf("Update = %v", err)
				}
				r, err := s.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{k}, Consistent: true})
				if err != nil {
					t.Errorf("BatchGet = %v", err)
				} else if got, want := r.Items[k]["n"].Int(), n*(n+1)/2; len(r.Left) == 0 && got != want {
					t.Errorf("a strong read saw %d after %d was answered", got, want)
				}
			}
		})
	}},
}
