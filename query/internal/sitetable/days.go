package sitetable

import (
	"context"
	"fmt"
	"iter"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// A date is a part of a range on one date in UTC, with the sums of its hours.
type date struct {
	calendar.Span
	of   int64 // its first instant
	Sums Sums  // of the hours that have not expired
}

// DatesOf returns the dates of a span that have hours, in order. They are those of the hours' stats, also of expired ones: what else there
// is of an hour is never without them for longer than a flush is being written.
func (t Table) DatesOf(ctx context.Context, s calendar.Span) iter.Seq2[date, error] {
	keys := s.HourBounds(sinks.HourStatsPrefix)
	q := sinks.Query{PK: t.Keys.Site(t.Site), From: keys.From, To: keys.To, Consistent: t.Consistent}
	return func(yield func(date, error) bool) {
		var d date
		for it, err := range t.Items(ctx, q) {
			var hour int64
			if err == nil {
				hour, err = hourOf(it)
			}
			if err != nil {
				yield(date{}, err)
				return
			}
			if begin := dateOf(hour); begin != d.of {
				if d.From < d.To && !yield(d, nil) {
					return
				}
				d = date{Span: s.In(calendar.Span{From: begin, To: begin + calendar.DayMs}), of: begin}
			}
			if s.Has(hour) && !t.Expired(it) {
				d.Sums.AddStats(it)
			}
		}
		if d.From < d.To {
			yield(d, nil)
		}
	}
}

// hourOf reads the hour that the sort key of hour stats names.
func hourOf(it sinks.Item) (int64, error) {
	key := it.Key()
	hour, err := sinks.ParseHour(key.SK[len(sinks.HourStatsPrefix):])
	if err != nil {
		return 0, fmt.Errorf("sort key %q of %s: %w", key.SK, key.PK, err)
	}
	return hour, nil
}
