package query

import (
	"context"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
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
	t, err := answerGoalTotals(ctx, r.store, p)
	return about(t, err, "goals of site %q", p.Site)
}

func answerGoalTotals(ctx context.Context, t *store, p GoalTotalsParams) (GoalTotals, error) {
	if err := checkID("site", p.Site); err != nil {
		return GoalTotals{}, err
	}
	table, _, err := t.siteTable(ctx, p.Site, p.Consistent)
	if err != nil {
		return GoalTotals{}, err
	}
	s, _, err := table.wholeHours(p.From, p.To, p.Zone)
	if err != nil {
		return GoalTotals{}, err
	}
	goals, err := t.allGoals(ctx, p.Site, p.Consistent)
	if err != nil {
		return GoalTotals{}, err
	}
	report := goalReport{table: table, goals: goals, read: make(map[calendar.Span]sums)}
	sum, err := report.sums(ctx, s)
	if err != nil {
		return GoalTotals{}, err
	}
	f := Figures{Sessions: sum.Counts[figures.Sessions], Conversions: sum.Counts[figures.Conversions], goals: sum.goals}
	return report.totals(ctx, f, s, shownGoals(goals, sum.goals))
}

// shownGoals are the numbers of the goals that a range's totals have: those that exist, and others that were reached.
func shownGoals(goals map[uint64]Goal, reached goalSums) []uint64 {
	shown := reached.numbers()
	for n, g := range goals {
		if !g.Deleted && !slices.Contains(shown, n) {
			shown = append(shown, n)
		}
	}
	slices.Sort(shown)
	return shown
}
