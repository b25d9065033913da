package query

import (
	"context"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// A goalReport makes figures of goals.
type goalReport struct {
	table sitetable.Table
	goals map[uint64]Goal
	read  map[calendar.Span]sitetable.Sums // what was read of spans in which goals began
}

// reachedGoals are the sessions and conversions of a span.
type reachedGoals struct {
	sessions, conversions int64
	goals                 sitetable.GoalSums
}

// totals returns the figures of goals in a span.
func (r *goalReport) totals(ctx context.Context, f reachedGoals, s calendar.Span, shown []uint64) (GoalTotals, error) {
	t := GoalTotals{Sessions: f.sessions, Conversions: f.conversions, Goals: []GoalFigures{}}
	for _, n := range shown {
		sum, g := f.goals[n], r.goals[n]
		_, known := r.goals[n]
		goal := GoalFigures{ID: g.ID, Number: n, Name: g.Name, Deleted: g.Deleted || !known, Conversions: sum.Count,
			ValueSum: numbers.Decimal(sum.ValueMicros), Since: g.Since, SessionsSince: f.sessions, ConversionsSince: sum.Count}
		if from := r.since(g); from > s.From {
			since, err := r.sums(ctx, calendar.Span{From: from, To: s.To})
			if err != nil {
				return GoalTotals{}, err
			}
			goal.SessionsSince, goal.ConversionsSince = since.Counts[figures.Sessions], since.Goals[n].Count
		}
		goal.ConversionRate = numbers.CappedRatio(goal.ConversionsSince, goal.SessionsSince)
		t.Goals = append(t.Goals, goal)
	}
	return t, nil
}

// since returns from when on the figures of a goal are of it alone.
func (r *goalReport) since(g Goal) int64 {
	if g.Since == nil {
		return 0
	}
	return r.table.GoalFrom(g.Since.UnixMilli())
}

// sums returns the sums of a span, which is read once.
func (r *goalReport) sums(ctx context.Context, s calendar.Span) (sitetable.Sums, error) {
	if s.From >= s.To {
		return sitetable.Sums{}, nil
	}
	if sum, ok := r.read[s]; ok {
		return sum, nil
	}
	sum, err := r.table.SumsOf(ctx, s)
	r.read[s] = sum
	return sum, err
}
