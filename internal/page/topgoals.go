package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// mostGoals is how many goals a list leads to at most.
const mostGoals = 20

// isGoal reports whether a filter selects the sessions that reach a goal.
func isGoal(c query.Condition) bool { return c.Dimension == query.GoalDimension && c.Op == query.Is }

// byGoal names the goals whose conversions a list has, and links to the list of each goal: breakdowns have the
// conversions of all goals together, and raw events those of each. Those of a page are of sessions that enter by it.
func (v TopView) byGoal(shown []topColumn) (says string, goals []links.Choice) {
	converts := slices.ContainsFunc(shown, func(c topColumn) bool { return c.converts })
	if v.Answer.Dimension == "page" {
		v.Answer.Dimension = query.EntryDimension
	}
	where := append(slices.Clone(v.At.Where), query.Condition{Dimension: v.Answer.Dimension})
	switch {
	case slices.ContainsFunc(v.At.Where, isGoal):
		if !converts {
			return "", nil
		}
		says = locale.Say("Conversions are of the goal that the filter asks for.")
		if !slices.ContainsFunc(v.At.Locked, isGoal) { // Under a locked one there is no rate.
			says += " " + locale.Say("Their rate is of the sessions that pass the other filters.")
		}
		return says, nil
	case query.ScopeOf(where) == query.ScopeEvents || strings.HasPrefix(v.Answer.Dimension, query.PropertyPrefix):
		return "", nil
	}
	for _, g := range v.Goals {
		a := v.At.Under(append(slices.Clone(v.At.Where), query.Condition{Dimension: query.GoalDimension, Op: query.Is, Values: []string{g.ID}}))
		if g.Active && !g.Deleted && len(goals) < mostGoals && len(a.Where) <= query.MaxConditions {
			goals = append(goals, links.Choice{Title: locale.Text(cmp.Or(g.Name, g.ID)), Address: TopView{At: a, Answer: v.Answer}.page("sort",
				"conversions")})
		}
	}
	switch {
	case len(goals) == 0:
	case converts:
		says = locale.Say("Conversions are of all goals together. Raw events say those of one:")
	default:
		says = locale.Say("Raw events say the conversions of a goal:")
	}
	return says, goals
}
