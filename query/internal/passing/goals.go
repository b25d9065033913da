package passing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
)

// mostNamedGoals is how many goals an error names at most.
const mostNamedGoals = 20

// goalsAsked returns the site's goals, by id. It refuses filters by others: it names those that may be asked for, which are the active
// ones, and the inactive ones if inactive is set.
func goalsAsked(ctx context.Context, t sitetable.Table, where []filters.Condition, inactive bool) (map[string]sitetable.StoredGoal, error) {
	if !slices.ContainsFunc(where, filters.Condition.OfGoal) {
		return nil, nil
	}
	all, err := t.GoalsOf(ctx, t.Site, t.Consistent)
	if err != nil {
		return nil, err
	}
	goals := make(map[string]sitetable.StoredGoal)
	var offered []string
	for _, g := range all {
		if g.Deleted {
			continue
		}
		if goals[g.ID] = g; !g.Inactive || inactive {
			offered = append(offered, g.ID)
		}
	}
	for _, c := range where {
		for _, id := range c.Values {
			if _, ok := goals[id]; c.OfGoal() && !ok {
				return nil, &filters.GoalError{Err: &ranges.ParamError{Param: "where", Value: readable.Shortened(c.String()),
					Remedy: missingGoal(t.Site, id, offered)}}
			}
		}
	}
	return goals, nil
}

// missingGoal says that a site has no goal of that id, and which may be asked for.
func missingGoal(site, id string, ids []string) string {
	slices.Sort(ids)
	none := fmt.Sprintf("site %q has no goal %q", site, readable.Shortened(id))
	if len(ids) == 0 {
		return none + ", nor any other to filter by: leave it out"
	}
	named := strings.Join(ids[:min(len(ids), mostNamedGoals)], ", ")
	if n := len(ids) - mostNamedGoals; n > 0 {
		named += fmt.Sprintf(", or one of %d others", n)
	}
	return none + ": " + near.Hint(id, ids) + "choose " + named
}

// checkGoals refuses filters by goals that raw events cannot decide.
func (q *Question) checkGoals(ctx context.Context) error {
	goals, err := goalsAsked(ctx, q.Table, q.Params.Where, false)
	if err != nil {
		return err
	}
	for _, c := range q.Params.Where {
		for _, id := range c.Values {
			if c.OfGoal() && goals[id].Inactive {
				return &filters.GoalError{Err: &ranges.ParamError{Param: "where", Value: readable.Shortened(c.String()),
					Remedy: InactiveGoal(id) + ": choose another goal"}}
			}
		}
	}
	return nil
}

// InactiveGoal says why the conversions of an inactive goal are not known.
func InactiveGoal(id string) string {
	return "goal " + strconv.Quote(id) + " is inactive, and raw events do not say what reached it while it was active"
}
