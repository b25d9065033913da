package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// FilteredGoalsParams ask for the conversions of a site's goals by events that pass filters.
type FilteredGoalsParams FilteredUniquesParams

// FilteredGoalsAnswer holds the conversions of a site's goals by events that pass filters, always from raw events.
type FilteredGoalsAnswer struct {
	Site string `json:"siteId"`
	Known
	Zone   string              `json:"timeZone"` // by its IANA name
	From   time.Time           `json:"from"`
	To     time.Time           `json:"to"` // exclusive
	Filter FilterReport        `json:"filter"`
	Totals *FilteredGoalTotals `json:"totals"` // of the whole range; null: only the cost was asked for
}

// FilteredGoalTotals are the sessions and conversions of what passes filters.
type FilteredGoalTotals struct {
	Sessions    *int64         `json:"sessions"`    // that pass; null: the filters select events
	Conversions int64          `json:"conversions"` // of all goals whose figures are known
	Goals       []FilteredGoal `json:"goals"`       // those of the site, in the order of their numbers
}

// FilteredGoal are the conversions of a goal, as those of GoalFigures. Figures are null if Refused says why they are unknown.
type FilteredGoal struct {
	ID               string     `json:"goalId"`
	Number           uint64     `json:"number"`
	Name             string     `json:"name"`
	Conversions      *int64     `json:"conversions"`
	ValueSum         *string    `json:"valueSum"`
	ConversionRate   *float64   `json:"conversionRate"` // at most 1, as in GoalFigures; null as well: no sessions, or the filters select events
	Since            *time.Time `json:"since"`
	SessionsSince    *int64     `json:"sessionsSince"` // null as well: the filters select events
	ConversionsSince *int64     `json:"conversionsSince"`
	Refused          string     `json:"refused,omitempty"` // why raw events do not say the figures; "": they do
}

// FilteredGoals answers as [Reader.GoalStats] does for a whole range, of what passes filters, from what [Reader.FilteredStats] reads.
func (r *Reader) FilteredGoals(ctx context.Context, p FilteredGoalsParams) (FilteredGoalsAnswer, error) {
	return ask(ctx, r, p, answerFilteredGoals, "goals of site %q", p.Site)
}

func answerFilteredGoals(ctx context.Context, t *sitetable.Store, p FilteredGoalsParams) (a FilteredGoalsAnswer, err error) {
	p.Exact = true
	q, days, known, err := newFilteredHours(ctx, t, FilteredUniquesParams(p), (*FilterParams).Check)
	if err != nil {
		return a, err
	}
	a = FilteredGoalsAnswer{Site: p.Site, Known: Known{SiteKnown: known}, Zone: days.Loc.String(), From: days.Instant(q.Span.From),
		To: days.Instant(q.Span.To), Filter: q.Report(FromEvents)}
	if q.Goals, err = passing.NewGoalScan(ctx, q.Table, q.Span); err != nil {
		return a, err
	}
	total := passing.NewSums()
	if known {
		if a.Filter, err = q.ReadEvents(ctx, func(at int64, _ []string) []*passing.Sums {
			return q.Goals.And([]*passing.Sums{total}, at)
		}); err != nil || p.EstimateOnly {
			return a, err
		}
	}
	a.Totals = goalTotals(q.Goals, total, q.Scope)
	return a, nil
}

// goalTotals are the figures of all goals, given the sums of what passes. nil: goals were not asked for.
func goalTotals(g *passing.GoalScan, total *passing.Sums, scope Scope) *FilteredGoalTotals {
	if g == nil {
		return nil
	}
	t := &FilteredGoalTotals{Goals: []FilteredGoal{}}
	if scope == ScopeSessions {
		t.Sessions = new(total.Sessions)
	}
	for _, goal := range g.Goals {
		f := FilteredGoal{ID: goal.ID, Number: goal.N, Name: goal.Name, Since: instantOf(goal.Since)}
		if goal.Inactive {
			f.Refused = passing.InactiveGoal(goal.ID)
			t.Goals = append(t.Goals, f)
			continue
		}
		t.Conversions += goal.All.Count
		f.Conversions, f.ValueSum, f.ConversionsSince = new(goal.All.Count), new(numbers.Decimal(goal.All.ValueMicros)), new(goal.Later.Count)
		if scope == ScopeSessions {
			since := total
			if goal.Sums != nil {
				since = goal.Sums
			}
			f.SessionsSince, f.ConversionRate = new(since.Sessions), numbers.CappedRatio(goal.Later.Count, since.Sessions)
		}
		t.Goals = append(t.Goals, f)
	}
	return t
}
