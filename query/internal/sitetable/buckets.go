package sitetable

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// A bucketKind is a kind of items whose sort keys name buckets.
type bucketKind struct {
	Prefix string                      // of the sort keys, before the bucket's name
	parse  func(string) (int64, error) // of the bucket's name, which ends at the next '#'
}

// start reads the bucket that an item's sort key names.
func (k bucketKind) start(it Listed) (int64, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(it.At.Key, k.Prefix), "#")
	start, err := k.parse(name)
	if err != nil {
		return 0, fmt.Errorf("sort key %q of %s: %w", it.At.Key, it.Item[sinks.AttrPK].Str(), err)
	}
	return start, nil
}

// Kinds of items by the hour, the day, the month and the minute.
var (
	HourStats      = bucketKind{sinks.HourStatsPrefix, sinks.ParseHour}
	hourUniques    = bucketKind{sinks.UniquesPrefix, sinks.ParseHour}
	HourBreakdowns = bucketKind{sinks.BreakdownPrefix, sinks.ParseHour}
	DayStats       = bucketKind{sinks.DayStatsPrefix, sinks.ParseDay}
	monthStats     = bucketKind{sinks.MonthStatsPrefix, sinks.ParseMonth}
	Minutes        = bucketKind{sinks.RealtimePrefix, sinks.ParseMinute}
)

// A bucketWalk walks items of a kind in order, expired ones left out.
type bucketWalk struct {
	kind    bucketKind
	m       *Merge
	Within  calendar.Span // where expired items are counted; the walk may read a little beside it
	Expired int
}

// Buckets begins a walk over the items of a kind that a partition key has, between two sort keys.
func (t Table) Buckets(kind bucketKind, pk string, keys calendar.KeyRange) *bucketWalk {
	q := sinks.Query{From: keys.From, To: keys.To, Desc: t.Desc, Consistent: t.Consistent}
	return &bucketWalk{kind: kind, m: t.Walk(q, MaxPage, Position{}, pk)}
}

// HourItems begins a walk over the items of a kind for the hours of a span, and counts those of all of it that have expired.
func (t Table) HourItems(kind bucketKind, pk string, s calendar.Span) *bucketWalk {
	w := t.Buckets(kind, pk, s.HourBounds(kind.Prefix))
	w.Within = s
	return w
}

// A BucketItem is an item and the bucket that it belongs to.
type BucketItem struct {
	sinks.Item
	Start int64 // of the bucket, as the kind parses its name
}

// All yields the items.
func (w *bucketWalk) All(ctx context.Context) iter.Seq2[BucketItem, error] {
	return func(yield func(BucketItem, error) bool) {
		for it, err := range w.m.All(ctx) {
			var start int64
			if err == nil {
				start, err = w.kind.start(it)
			}
			switch {
			case err != nil:
				yield(BucketItem{}, err)
				return
			case !w.m.T.Expired(it.Item):
				if !yield(BucketItem{it.Item, start}, nil) {
					return
				}
			case w.Within.Has(start):
				w.Expired++
			}
		}
	}
}

// keptFor returns how many ms an item outlives its bucket, which ends at end; -1: for ever.
func keptFor(it sinks.Item, end int64) int64 {
	if ttl := it[sinks.AttrTTL]; ttl.Kind() == sinks.Number {
		return ttl.Int()*1000 - end
	}
	return -1
}

// Shorter returns the lesser of two times that items are kept; -1 is for ever.
func Shorter(a, b int64) int64 {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}
