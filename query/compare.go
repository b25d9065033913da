package query

import (
	"context"
	"iter"
	"math"
	"math/big"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// Previous is the earlier range that a range is compared with: see [Align]. If the range is not over, the earlier one ends after as much
// of its last day, rounded up to a whole hour, because figures are stored by the hour. If the hours of that day have expired, it ends
// with the day. Until the first hour of the range is over, relative changes from these totals are null.
type Previous struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"` // exclusive
	// Totals and Change are on the first page only, as the totals of the range are; null on others.
	Totals     *Figures `json:"totals"`
	Incomplete bool     `json:"dataExpired"` // as in StatsAnswer
	Change     *Changes `json:"change"`      // from these totals to those of the range
	// DataFrom is the first day with data of the site, if the range begins before all of that day is counted; nil: it does not. Then the range
	// is not comparable as a whole, and relative changes since it are null, as are those of buckets that begin as early. A first day is taken
	// for a part of a day, unless it has something in its first hour.
	DataFrom *time.Time `json:"dataFrom,omitempty"`
	// ToDate says that the range is not over, and that the earlier one ends after as much of it.
	ToDate bool `json:"toDate,omitempty"`
	// ByBucket says that buckets are compared one by one. There is a row then for each bucket that has anything in either range. Hours and
	// days are always compared, with those of the same time or number. Weeks, months and years are if both ranges have as many.
	ByBucket bool `json:"byBucket"`
}

// sumUp fills in the totals, and how those of the range differ, which is early in its first hour or not.
func (p *Previous) sumUp(now, before Figures, early bool) {
	change := now.Since(before)
	if early || p.DataFrom != nil {
		change = change.absolute()
	}
	p.Totals, p.Change = &before, &change
}

// absolute returns the changes without the relative ones.
func (c Changes) absolute() Changes {
	withoutRelative(&c)
	return c
}

// Since returns how f differs from the earlier figures before.
func (f Figures) Since(before Figures) Changes {
	for _, of := range []*Figures{&f, &before} {
		if of.NewSince != nil { // New visitors of a part of the time compare with nothing.
			of.NewVisitors = nil
		}
	}
	var changes Changes
	compare(&f, &before, &changes, changesFields)
	return changes
}

func countChange(now, before int64) Change[int64] {
	return Change[int64]{now - before, relative(float64(now-before), float64(before))}
}

// knownChange is the change of a figure that may be unknown, or none.
func knownChange[N int64 | float64](now, before *N) Change[*N] {
	if now == nil || before == nil {
		return Change[*N]{}
	}
	absolute := *now - *before
	if f, ok := any(absolute).(float64); ok {
		absolute = N(sixPlaces(f)) // As rates have.
	}
	return Change[*N]{&absolute, relative(float64(absolute), float64(*before))}
}

// decimalChange subtracts sums of values, which are exact.
func decimalChange(now, before string) Change[string] {
	n, ok1 := new(big.Rat).SetString(now)
	b, ok2 := new(big.Rat).SetString(before)
	if !ok1 || !ok2 {
		return Change[string]{Absolute: "0"} // Zero Figures, which no table holds.
	}
	n.Sub(n, b)
	absolute, _ := n.Float64()
	base, _ := b.Float64()
	return Change[string]{plain(n), relative(absolute, base)}
}

// knownDecimalChange is the change of a value that may be unknown, or none.
func knownDecimalChange(now, before *string) Change[*string] {
	if now == nil || before == nil {
		return Change[*string]{}
	}
	c := decimalChange(*now, *before)
	return Change[*string]{&c.Absolute, c.Relative}
}

// relative divides a difference by the size of what it is a difference to; nil if that is nothing.
func relative(difference, before float64) *float64 {
	if before == 0 {
		return nil
	}
	q := sixPlaces(difference / math.Abs(before))
	return &q
}

// A pair is a row of a range and the row that it is compared with, nil where none is.
type pair struct{ now, before *sitetable.Row }

// pairs walks the rows of a range, and beside them those of an earlier one.
type pairs struct {
	now, before *sitetable.Rows
	paired      bool
	desc        bool
	pairing     calendar.Pairing
	first, last int64 // buckets that are left of the range
}

// pairs begins a walk over what is left of the question. now and before get the totals, unless nil.
func (q statsQuestion) pairs(now, before *sitetable.Total) *pairs {
	w := &pairs{now: q.t.RowsOf(q.cal, q.span, q.rest, now), paired: q.paired, desc: q.t.Desc, pairing: q.pairing}
	rest := q.before
	switch {
	case q.resumed && (!q.paired || q.rest.From >= q.rest.To):
		rest = calendar.Span{}
	case q.paired:
		w.first, w.last = q.cal.Bucket(q.rest.From).N, q.cal.Bucket(q.rest.To-1).N
		if q.resumed {
			first, _ := q.pairing.Before(w.first)
			end, _ := q.pairing.Before(w.last + 1)
			rest = rest.In(calendar.Span{From: q.cal.At(first).From, To: q.cal.At(end).From})
		}
	}
	w.before = q.t.RowsOf(q.cal, q.before, rest, before)
	w.before.Cut = q.cal.By != Hour
	return w
}

// all yields the pairs. It can be called once.
func (w *pairs) all(ctx context.Context) iter.Seq2[pair, error] {
	if w.paired {
		return w.merged(ctx)
	}
	return func(yield func(pair, error) bool) {
		for now, err := range w.now.All(ctx) {
			if !yield(pair{now: now}, err) {
				return
			}
		}
		for _, err := range w.before.All(ctx) { // For its totals alone.
			if err != nil {
				yield(pair{}, err)
				return
			}
		}
	}
}

// merged yields a pair for each bucket that has anything in either range. Buckets of the earlier range that no bucket is compared with
// are in its totals alone.
func (w *pairs) merged(ctx context.Context) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		now, before := sitetable.HeadOf(w.now.All(ctx)), sitetable.HeadOf(w.before.All(ctx))
		defer now.Stop()
		defer before.Stop()
		err := now.Advance()
		partner := int64(0) // of the earlier row in hand
		if err == nil {
			partner, err = w.next(before)
		}
		for err == nil && (now.Ok || before.Ok) {
			n := w.nearest(now, before, partner)
			p := pair{now.Value, before.Value}
			isNow, isBefore := now.Ok && p.now.N == n, before.Ok && partner == n
			if !isNow {
				p.now = w.now.Empty(n)
			} else {
				err = now.Advance()
			}
			if !isBefore {
				p.before = w.beforeOf(n)
			} else if err == nil {
				partner, err = w.next(before)
			}
			if err == nil && !yield(p, nil) {
				return
			}
		}
		if err != nil {
			yield(pair{}, err)
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
	if c := w.pairing.Cal.At(b); !ok || c.From >= w.before.Span.To || c.From >= c.To { // The last: a date that a zone skipped.
		return nil
	}
	return w.before.Empty(b)
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

// expired is how many items of both ranges the walk has left out so far.
func (w *pairs) expired() int { return w.now.Days.Expired() + w.before.Days.Expired() }
