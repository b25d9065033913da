package compared

import (
	"context"
	"iter"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
)

// A Pair is a row of a range and the row that it is compared with, nil where none is.
type Pair struct{ Now, Before *sitetable.Row }

// pairs walks the rows of a range, and beside them those of an earlier one.
type pairs struct {
	Now, Before *sitetable.Rows
	paired      bool
	desc        bool
	pairing     calendar.Pairing
	first, last int64 // buckets that are left of the range
}

// Pairs begins a walk over what is left of the question. now and before get the totals, unless nil.
func (q Question) Pairs(now, before *sitetable.Total) *pairs {
	w := &pairs{Now: q.Table.RowsOf(q.Cal, q.Span, q.Rest, now), paired: q.Paired, desc: q.Table.Desc, pairing: q.Pairing}
	rest := q.Before
	switch {
	case q.Resumed && (!q.Paired || q.Rest.From >= q.Rest.To):
		rest = calendar.Span{}
	case q.Paired:
		w.first, w.last = q.Cal.Bucket(q.Rest.From).N, q.Cal.Bucket(q.Rest.To-1).N
		if q.Resumed {
			first, _ := q.Pairing.Before(w.first)
			end, _ := q.Pairing.Before(w.last + 1)
			rest = rest.In(calendar.Span{From: q.Cal.At(first).From, To: q.Cal.At(end).From})
		}
	}
	w.Before = q.Table.RowsOf(q.Cal, q.Before, rest, before)
	w.Before.Cut = q.Cal.By != ranges.Hour
	return w
}

// All yields the pairs. It can be called once.
func (w *pairs) All(ctx context.Context) iter.Seq2[Pair, error] {
	if w.paired {
		return w.merged(ctx)
	}
	return func(yield func(Pair, error) bool) {
		for now, err := range w.Now.All(ctx) {
			if !yield(Pair{Now: now}, err) {
				return
			}
		}
		for _, err := range w.Before.All(ctx) { // For its totals alone.
			if err != nil {
				yield(Pair{}, err)
				return
			}
		}
	}
}

// merged yields a pair for each bucket that has anything in either range. Buckets of the earlier range that no bucket is compared with
// are in its totals alone.
func (w *pairs) merged(ctx context.Context) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		now, before := sitetable.HeadOf(w.Now.All(ctx)), sitetable.HeadOf(w.Before.All(ctx))
		defer now.Stop()
		defer before.Stop()
		err := now.Advance()
		partner := int64(0) // of the earlier row in hand
		if err == nil {
			partner, err = w.next(before)
		}
		for err == nil && (now.Ok || before.Ok) {
			n := w.nearest(now, before, partner)
			p := Pair{now.Value, before.Value}
			isNow, isBefore := now.Ok && p.Now.N == n, before.Ok && partner == n
			if !isNow {
				p.Now = w.Now.Empty(n)
			} else {
				err = now.Advance()
			}
			if !isBefore {
				p.Before = w.beforeOf(n)
			} else if err == nil {
				partner, err = w.next(before)
			}
			if err == nil && !yield(p, nil) {
				return
			}
		}
		if err != nil {
			yield(Pair{}, err)
		}
	}
}

// next advances to the next row of the earlier range that a bucket of the range is compared with, and returns its number.
func (w *pairs) next(before *sitetable.Head[*sitetable.Row]) (partner int64, err error) {
	for {
		if err := before.Advance(); err != nil || !before.Ok {
			return 0, err
		}
		n, ok := w.pairing.After(before.Value.N)
		if b := w.pairing.Cal.At(n); ok && w.first <= n && n <= w.last && b.From < b.To { // Not a date that a zone skipped.
			return n, nil
		}
	}
}

// beforeOf makes the row of a bucket that has nothing, with which the n-th is compared; nil if there is none.
func (w *pairs) beforeOf(n int64) *sitetable.Row {
	b, ok := w.pairing.Before(n)
	if c := w.pairing.Cal.At(b); !ok || c.From >= w.Before.Span.To || c.From >= c.To { // The last: a date that a zone skipped.
		return nil
	}
	return w.Before.Empty(b)
}

// nearest returns the number of the next bucket that has anything in either range.
func (w *pairs) nearest(now, before *sitetable.Head[*sitetable.Row], partner int64) int64 {
	switch {
	case !before.Ok:
		return now.Value.N
	case !now.Ok:
		return partner
	case w.desc:
		return max(now.Value.N, partner)
	}
	return min(now.Value.N, partner)
}

// Expired is how many items of both ranges the walk has left out so far.
func (w *pairs) Expired() int { return w.Now.Days.Expired() + w.Before.Days.Expired() }
