package query

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// mostNamedGoals is how many goals an error names at most.
const mostNamedGoals = 20

// GoalFilterError reports a filter by a goal that the site does not have, or that is inactive. It unwraps to a [ParamError].
type GoalFilterError struct{ err *ParamError }

func (e *GoalFilterError) Error() string { return e.err.Error() }

// Remedy says what is wrong, and what to do.
func (e *GoalFilterError) Remedy() string { return e.err.Remedy }

// Unwrap returns what is wrong.
func (e *GoalFilterError) Unwrap() error { return e.err }

// goalsAsked returns the site's goals, by id. It refuses filters by others: it names those that may be asked for, which are the active
// ones, and the inactive ones if inactive is set.
func goalsAsked(ctx context.Context, t sitetable.Table, where []Condition, inactive bool) (map[string]Goal, error) {
	if !slices.ContainsFunc(where, Condition.ofGoal) {
		return nil, nil
	}
	all, err := allGoals(ctx, t.Store, t.Site, t.Consistent)
	if err != nil {
		return nil, err
	}
	goals := make(map[string]Goal)
	var offered []string
	for _, g := range all {
		if g.Deleted {
			continue
		}
		if goals[g.ID] = g; g.Active || inactive {
			offered = append(offered, g.ID)
		}
	}
	for _, c := range where {
		if _, ok := goals[c.Value]; c.ofGoal() && !ok {
			return nil, &GoalFilterError{&ParamError{Param: "where", Value: shortened(c.String()), Remedy: missingGoal(t.Site, c.Value, offered)}}
		}
	}
	return goals, nil
}

// missingGoal says that a site has no goal of that id, and which may be asked for.
func missingGoal(site, id string, ids []string) string {
	slices.Sort(ids)
	none := fmt.Sprintf("site %q has no goal %q", site, shortened(id))
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
func (q *filterQuestion) checkGoals(ctx context.Context) error {
	goals, err := goalsAsked(ctx, q.t, q.p.Where, false)
	if err != nil {
		return err
	}
	for _, c := range q.p.Where {
		if c.ofGoal() && !goals[c.Value].Active {
			return &GoalFilterError{&ParamError{Param: "where", Value: shortened(c.String()),
				Remedy: inactiveGoal(c.Value) + ": choose another goal"}}
		}
	}
	return nil
}

// inactiveGoal says why the conversions of an inactive goal are not known.
func inactiveGoal(id string) string {
	return "goal " + strconv.Quote(id) + " is inactive, and raw events do not say what reached it while it was active"
}
