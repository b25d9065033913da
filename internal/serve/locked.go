package serve

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/query"
)

// lockedOf returns the filters that the grant of a request has: all answers are under them.
func lockedOf(ctx context.Context) []string { return access.Of(ctx).Limits.Where }

// checkLocked refuses a grant whose filters cannot be read, or lack a value. Who signs a filter from parts and has none for the viewer
// would show what no viewer has.
func checkLocked(ctx context.Context) error {
	where, err := query.ParseConditions(lockedOf(ctx))
	if err == nil {
		err = query.CheckValues(where)
	}
	if err != nil {
		return &access.DeniedError{Reason: "the filters of the credential cannot be read: " + err.Error()}
	}
	return nil
}

// locked adds the filters of the grant to those of the request, and refuses parameters that would say something of what is beyond the
// grant.
func (p FilterParams) locked(ctx context.Context) (FilterParams, error) {
	switch {
	case ownsAll(ctx):
		return p, nil
	case p.Estimate:
		return p, problem(http.StatusForbidden, "estimate: a limited credential does not hear what raw events cost: leave it out")
	case p.MaxEvents != 0 && p.MaxEvents != defaultMaxEvents:
		return p, problem(http.StatusForbidden, "maxEvents: a limited credential cannot choose how many raw events are read: leave it out")
	}
	locked := lockedOf(ctx)
	own := slices.DeleteFunc(slices.Clone(p.Where), func(text string) bool { return slices.Contains(locked, text) })
	p.Where = slices.Concat(locked, own)
	return p, nil
}

// defaultMaxEvents is the default of maxEvents.
const defaultMaxEvents = 2_000_000

// filterOf returns what an answer says of its filters; nil: it has none.
func filterOf(answer any) *query.FilterReport {
	switch a := answer.(type) {
	case query.FilteredStatsAnswer:
		return &a.Filter
	case query.FilteredUniquesAnswer:
		return &a.Filter
	case query.FilteredGoalsAnswer:
		return &a.Filter
	case query.FilteredTopAnswer:
		return &a.Filter
	}
	return nil
}

// underLocked returns an answer without what it says of events that do not pass the filters of the grant. An answer that is not under
// them is a problem: no operation that forgets them can answer.
func underLocked(ctx context.Context, answer any) (any, error) {
	locked := lockedOf(ctx)
	if len(locked) == 0 {
		return answer, nil
	}
	report := filterOf(answer)
	if report == nil {
		return nil, problem(http.StatusForbidden, "the credential has filters, and this answer cannot be put under them")
	}
	for _, filter := range locked {
		if !slices.Contains(report.Where, filter) {
			return nil, problem(http.StatusForbidden, "the credential has filters, and this answer is not under "+filter)
		}
	}
	if top, ok := answer.(query.FilteredTopAnswer); ok && slices.ContainsFunc(locked, func(filter string) bool {
		return strings.HasPrefix(filter, query.GoalDimension+string(query.Is))
	}) {
		answer = withoutEligible(top)
	}
	return withReport(answer, func(r *query.FilterReport) { r.Locked = locked }), nil
}

// withoutEligible returns a list without what it says of sessions that do not reach the goal of its filters.
func withoutEligible(a query.FilteredTopAnswer) query.FilteredTopAnswer {
	a.Rows = slices.Clone(a.Rows)
	for i := range a.Rows {
		a.Rows[i].EligibleSessions, a.Rows[i].ConversionRate = nil, nil
	}
	for _, counts := range []**query.FilteredTopCounts{&a.None, &a.Totals} {
		if *counts != nil {
			own := **counts
			own.EligibleSessions, own.ConversionRate = nil, nil
			*counts = &own
		}
	}
	return a
}

// withReport returns a filtered answer whose report is changed; any other as it is.
func withReport(answer any, change func(*query.FilterReport)) any {
	switch a := answer.(type) {
	case query.FilteredStatsAnswer:
		change(&a.Filter)
		return a
	case query.FilteredUniquesAnswer:
		change(&a.Filter)
		return a
	case query.FilteredGoalsAnswer:
		change(&a.Filter)
		return a
	case query.FilteredTopAnswer:
		change(&a.Filter)
		return a
	}
	return answer
}

// spelledFilters are the filters of an answer as a header has them, like parameters of an address; "": it has none.
func spelledFilters(answer any) string {
	if report := filterOf(answer); report != nil {
		return url.Values{"where": report.Where}.Encode()
	}
	return ""
}
