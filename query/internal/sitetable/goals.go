package sitetable

import (
	"context"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// StoredGoal is a goal of a site, also one that was deleted.
type StoredGoal struct {
	sites.Goal
	Deleted  bool
	Revision int64 // of the site settings, as of its last change
}

// ReadGoal reads the item of a goal. Since is from when on it holds in the generation.
func (t *Store) ReadGoal(it sinks.Item) (StoredGoal, error) {
	g, err := sites.ParseGoal(it[sinks.AttrDefinition].Str())
	if err != nil {
		return StoredGoal{}, err
	}
	g.Since = t.SinceOf(g.Since)
	return StoredGoal{*g, it[sinks.AttrDeleted].Int() == 1, it[sinks.AttrRev].Int()}, nil
}

// GoalsOf reads the goals of a site in the order of their keys, those that were deleted among them.
func (t *Store) GoalsOf(ctx context.Context, site string, consistent bool) (goals []StoredGoal, err error) {
	list := sinks.Query{PK: sinks.Decided(site), From: sinks.GoalPrefix, To: sinks.GoalPrefix + "~", Consistent: consistent}
	for it, err := range t.Items(ctx, list) {
		if err != nil {
			return nil, err
		}
		g, err := t.ReadGoal(it)
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}

// GoalFrom returns the beginning of the first whole hour in which sessions could reach a goal that is there since an instant; 0: from the
// beginning. The sessions of the hour in which it began are those before and those after: they would make the rate too low.
func (t Table) GoalFrom(since int64) int64 {
	if since <= 0 {
		return 0
	}
	if since == t.Since { // A date, whose beginning is that of the site's clocks.
		return t.Clock.Rules.Begin(since)
	}
	if hour := t.Clock.Hour(since); hour.From < since {
		return hour.To
	}
	return since
}
