package compared

import (
	"context"
	"iter"
)

// Filled yields the pairs of a walk, and one without figures for each other bucket of the range up to the current one. It yields no more
// of these after most pairs, because the rest of a walk is for its totals.
func (q Question) Filled(ctx context.Context, w *pairs, most int) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		f := filler{pairs: w, most: most, step: 1, yield: func(p Pair) bool { return yield(p, nil) }}
		f.next, f.last = q.Cal.Bucket(q.Rest.From).N, q.Cal.Bucket(min(q.Rest.To-1, w.Now.Now)).N
		if q.Rest.From >= q.Rest.To || q.Rest.From > w.Now.Now {
			f.most = 0
		}
		if q.Table.Desc {
			f.next, f.last, f.step = f.last, f.next, -1
		}
		for p, err := range w.All(ctx) {
			if err != nil {
				yield(Pair{}, err)
				return
			}
			if !f.until(p.Now.N) || !f.yield(p) {
				return
			}
			f.most--
			f.next = p.Now.N + f.step
		}
		f.until(f.last + f.step)
	}
}

// A filler makes the rows between those of a walk.
type filler struct {
	*pairs
	next, last int64 // buckets without a row so far
	step       int64 // 1, or -1 where the walk is descending
	most       int   // pairs to yield
	yield      func(Pair) bool
}

// until yields the buckets before the n-th, in the order of the walk.
func (f *filler) until(n int64) bool {
	for ; f.next*f.step < n*f.step && f.next*f.step <= f.last*f.step && f.most > 0; f.next += f.step {
		r := f.Now.Empty(f.next)
		if r.From >= r.To {
			continue // A date that a zone skipped.
		}
		if f.Now.Gone(r) {
			r.Known, r.Incomplete = false, true
		}
		p := Pair{Now: r}
		if f.paired {
			p.Before = f.beforeOf(f.next)
		}
		f.most--
		if !f.yield(p) {
			return false
		}
	}
	return true
}
