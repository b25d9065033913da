package query

import (
	"context"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// GoalTotalsParams ask for the conversions of a site over a range of whole hours.
type GoalTotalsParams struct {
	Site       string
	From, To   time.Time      // as in UniquesParams
	Zone       *time.Location // as in UniquesParams
	Consistent bool           // strongly consistent reads, at twice the cost
}

// GoalTotals returns the totals of [Reader.GoalStats] for a range that is widened to hours only, even if it is long: days that it holds
// whole are read as such, and hours before and after them. It suits the earlier range of a comparison, which may end within a day.
func (r *Reader) GoalTotals(ctx context.Context, p GoalTotalsParams) (GoalTotals, error) {
	return ask(ctx, r, p, answerGoalTotals, "goals of site %q", p.Site)
}

func answerGoalTotals(ctx context.Context, t *sitetable.Store, p GoalTotalsParams) (GoalTotals, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return GoalTotals{}, err
	}
	table, _, err := t.Open(ctx, p.Site, p.Consistent)
	if err != nil {
		return GoalTotals{}, err
	}
	s, _, err := table.WholeHours(p.From, p.To, p.Zone)
	if err != nil {
		return GoalTotals{}, err
	}
	goals, err := allGoals(ctx, t, p.Site, p.Consistent)
	if err != nil {
		return GoalTotals{}, err
	}
	report := goalReport{table: table, goals: goals, read: make(map[calendar.Span]sitetable.Sums)}
	sum, err := report.sums(ctx, s)
	if err != nil {
		return GoalTotals{}, err
	}
	f := reachedGoals{sum.Counts[figures.Sessions], sum.Counts[figures.Conversions], sum.Goals}
	return report.totals(ctx, f, s, shownGoals(goals, sum.Goals))
}

// shownGoals are the numbers of the goals that a range's totals have: those that exist, and others that were reached.
func shownGoals(goals map[uint64]Goal, reached sitetable.GoalSums) []uint64 {
	shown := reached.Numbers()
	for n, g := range goals {
		if !g.Deleted && !slices.Contains(shown, n) {
			shown = append(shown, n)
		}
	}
	slices.Sort(shown)
	return shown
}
