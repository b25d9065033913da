package query

import (
	"context"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
)

// A goalReport makes figures of goals.
type goalReport struct {
	table siteTable
	goals map[uint64]Goal
	read  map[calendar.Span]sums // what was read of spans in which goals began
}

// totals returns the figures of goals in a span.
func (r *goalReport) totals(ctx context.Context, f Figures, s calendar.Span, shown []uint64) (GoalTotals, error) {
	t := GoalTotals{Sessions: f.Sessions, Conversions: f.Conversions, Goals: []GoalFigures{}}
	for _, n := range shown {
		sum, g := f.goals[n], r.goals[n]
		_, known := r.goals[n]
		goal := GoalFigures{ID: g.ID, Number: n, Name: g.Name, Deleted: g.Deleted || !known, Conversions: sum.count,
			ValueSum: decimal(sum.valueMicros), Since: g.Since, SessionsSince: f.Sessions, ConversionsSince: sum.count}
		if from := r.since(g); from > s.From {
			since, err := r.sums(ctx, calendar.Span{From: from, To: s.To})
			if err != nil {
				return GoalTotals{}, err
			}
			goal.SessionsSince, goal.ConversionsSince = since.Counts[figures.Sessions], since.goals[n].count
		}
		goal.ConversionRate = ratio(goal.ConversionsSince, goal.SessionsSince)
		t.Goals = append(t.Goals, goal)
	}
	return t, nil
}

// since returns the beginning of the first whole hour in which sessions could reach a goal. The sessions of the hour in which it began
// are those before and those after: they would make the rate too low.
func (r *goalReport) since(g Goal) int64 {
	if g.Since == nil {
		return 0
	}
	at := g.Since.UnixMilli()
	if hour := r.table.clock.Hour(at); hour.From < at {
		return hour.To
	}
	return at
}

// sums returns the sums of a span, which is read once.
func (r *goalReport) sums(ctx context.Context, s calendar.Span) (sums, error) {
	if s.From >= s.To {
		return sums{}, nil
	}
	if sum, ok := r.read[s]; ok {
		return sum, nil
	}
	sum, err := r.table.sums(ctx, s)
	r.read[s] = sum
	return sum, err
}

// sums adds up the stats of a span of whole hours: those of the days that it holds whole, and of hours before and after them.
func (t siteTable) sums(ctx context.Context, s calendar.Span) (sum sums, err error) {
	days := calendar.Span{From: t.clock.Day(s.From).From, To: t.clock.Day(s.To).From}
	if days.From < s.From {
		days.From = t.clock.Day(s.From).To
	}
	if days.From >= days.To {
		return sum, sum.addAll(ctx, t.hourItems(hourStats, t.keys.Site(t.site), s), s)
	}
	err = sum.addAll(ctx, t.days(days), days)
	for _, rest := range []calendar.Span{{From: s.From, To: days.From}, {From: days.To, To: s.To}} {
		if err == nil && rest.From < rest.To {
			err = sum.addAll(ctx, t.hourItems(hourStats, t.keys.Site(t.site), rest), rest)
		}
	}
	return sum, err
}

// addAll folds in the items of a walk that begin in a span.
func (s *sums) addAll(ctx context.Context, walk *bucketWalk, in calendar.Span) error {
	for it, err := range walk.all(ctx) {
		if err != nil {
			return err
		}
		if in.Has(it.start) {
			s.add(it.Item)
		}
	}
	return nil
}
