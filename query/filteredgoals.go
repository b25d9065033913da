package query

import (
	"context"
	"time"

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
	ConversionRate   *float64   `json:"conversionRate"` // null as well: no sessions, or the filters select events
	Since            *time.Time `json:"since"`
	SessionsSince    *int64     `json:"sessionsSince"` // null as well: the filters select events
	ConversionsSince *int64     `json:"conversionsSince"`
	Refused          string     `json:"refused,omitempty"` // why raw events do not say the figures; "": they do
}

// FilteredGoals answers as [Reader.GoalStats] does for a whole range, of what passes filters, from what [Reader.FilteredStats] reads.
func (r *Reader) FilteredGoals(ctx context.Context, p FilteredGoalsParams) (FilteredGoalsAnswer, error) {
	a, err := answerFilteredGoals(ctx, r.store, p)
	return about(a, err, "goals of site %q", p.Site)
}

func answerFilteredGoals(ctx context.Context, t *sitetable.Store, p FilteredGoalsParams) (a FilteredGoalsAnswer, err error) {
	p.Exact = true
	q, days, known, err := newFilteredHours(ctx, t, FilteredUniquesParams(p))
	if err != nil {
		return a, err
	}
	a = FilteredGoalsAnswer{Site: p.Site, Known: Known{known}, Zone: days.Loc.String(), From: days.Instant(q.span.From),
		To: days.Instant(q.span.To), Filter: q.report(FromEvents)}
	if q.goals, err = newGoalScan(ctx, q.t, q.span); err != nil {
		return a, err
	}
	total := newFilterSums()
	if known {
		if a.Filter, err = q.readEvents(ctx, func(at int64, _ []string) []*filterSums {
			return q.goals.and([]*filterSums{total}, at)
		}); err != nil || p.EstimateOnly {
			return a, err
		}
	}
	a.Totals = q.goals.totals(total, q.scope)
	return a, nil
}
