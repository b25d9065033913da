package sitetable

import (
	"context"

	"github.com/footfall/footfall/query/internal/calendar"
)

// SumsOf adds up the stats of a span of whole hours: those of the days that it holds whole, and of hours before and after them.
func (t Table) SumsOf(ctx context.Context, s calendar.Span) (sum Sums, err error) {
	days := calendar.Span{From: t.Clock.Day(s.From).From, To: t.Clock.Day(s.To).From}
	if days.From < s.From {
		days.From = t.Clock.Day(s.From).To
	}
	if days.From >= days.To {
		return sum, sum.addAll(ctx, t.HourItems(HourStats, t.Keys.Site(t.Site), s), s)
	}
	err = sum.addAll(ctx, t.DaysOf(days), days)
	for _, rest := range []calendar.Span{{From: s.From, To: days.From}, {From: days.To, To: s.To}} {
		if err == nil && rest.From < rest.To {
			err = sum.addAll(ctx, t.HourItems(HourStats, t.Keys.Site(t.Site), rest), rest)
		}
	}
	return sum, err
}

// addAll folds in the items of a walk that begin in a span.
func (s *Sums) addAll(ctx context.Context, walk *bucketWalk, in calendar.Span) error {
	for it, err := range walk.All(ctx) {
		if err != nil {
			return err
		}
		if in.Has(it.Start) {
			s.AddStats(it.Item)
		}
	}
	return nil
}
