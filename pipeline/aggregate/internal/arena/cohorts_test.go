package arena

import "testing"

// weighed is a state of some bytes.
type weighed struct {
	step  int64
	bytes int32
	gone  bool
}

func (w *weighed) LastStep() int64 { return w.step }

func (w *weighed) Drop() int {
	w.gone = true
	return int(w.bytes)
}

// TestCohortsKeepBytes has a step of many small states and one of few large ones: what they take decides what is kept.
func TestCohortsKeepBytes(t *testing.T) {
	const kilobyte = 1000 - entryBytes
	for _, c := range []struct {
		name  string
		sizes [3]int // of the states of each step
		each  [3]int // how many it has
		gone  [3]bool
	}{
		{"all fit", [3]int{kilobyte, kilobyte, kilobyte}, [3]int{30, 30, 40}, [3]bool{}},
		{"the first step's have to go", [3]int{kilobyte, kilobyte, kilobyte}, [3]int{30, 30, 41}, [3]bool{true, false, false}},
		{"few large ones are as heavy", [3]int{10*kilobyte + 9*entryBytes, kilobyte, kilobyte}, [3]int{3, 30, 41}, [3]bool{true, false, false}},
		{"many small ones are light", [3]int{kilobyte / 10, kilobyte / 10, kilobyte / 10}, [3]int{300, 300, 200}, [3]bool{}},
		{"one that is too large by itself goes", [3]int{kilobyte, kilobyte, 200 * kilobyte}, [3]int{1, 1, 1}, [3]bool{true, true, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := Cohorts{Keep: 100, Max: 100_000}
			var all [3][]*weighed
			live := 0
			for i, n := range c.each {
				var states []Cached
				for range n {
					w := &weighed{step: int64(i)}
					k.Weigh(&w.bytes, 1)
					k.Weigh(&w.bytes, c.sizes[i])
					all[i], states = append(all[i], w), append(states, w)
				}
				k.Add(int64(i), states)
			}
			k.Settled(int64(len(all)) - 1)
			for i, gone := range c.gone {
				for _, w := range all[i] {
					if w.gone != gone {
						t.Fatalf("a state of step %d is gone: %v, want %v", i, w.gone, gone)
					}
				}
				if !gone {
					live += len(all[i])
				}
			}
			if k.Live != live || k.Held() > k.Max {
				t.Errorf("%d states of %d bytes are kept, want %d, and %d bytes at most", k.Live, k.Held(), live, k.Max)
			}
		})
	}
}
