package query

import (
	"context"
	"iter"
)

// filled yields the pairs of a walk, and one without figures for each other bucket of the range up to the current one. It yields no more
// of these after most pairs, because the rest of a walk is for its totals.
func (q statsQuestion) filled(ctx context.Context, w *pairs, most int) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		f := filler{pairs: w, most: most, step: 1, yield: func(p pair) bool { return yield(p, nil) }}
		f.next, f.last = q.cal.Bucket(q.rest.From).N, q.cal.Bucket(min(q.rest.To-1, w.now.Now)).N
		if q.rest.From >= q.rest.To || q.rest.From > w.now.Now {
			f.most = 0
		}
		if q.t.Desc {
			f.next, f.last, f.step = f.last, f.next, -1
		}
		for p, err := range w.all(ctx) {
			if err != nil {
				yield(pair{}, err)
				return
			}
			if !f.until(p.now.N) || !f.yield(p) {
				return
			}
			f.most--
			f.next = p.now.N + f.step
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
	yield      func(pair) bool
}

// until yields the buckets before the n-th, in the order of the walk.
func (f *filler) until(n int64) bool {
	for ; f.next*f.step < n*f.step && f.next*f.step <= f.last*f.step && f.most > 0; f.next += f.step {
		r := f.now.Empty(f.next)
		if r.From >= r.To {
			continue // A date that a zone skipped.
		}
		if f.now.Gone(r) {
			r.Known, r.Incomplete = false, true
		}
		p := pair{now: r}
		if f.paired {
			p.before = f.beforeOf(f.next)
		}
		f.most--
		if !f.yield(p) {
			return false
		}
	}
	return true
}
