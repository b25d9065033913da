package permit

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// Locked returns the filters that the grant of a request has: all answers are under them.
func Locked(ctx context.Context) ([]query.Condition, error) {
	return filters.FromStored(access.Of(ctx).Limits.Where)
}

// CheckLocked refuses a grant whose filters cannot be read, or lack a value. Who signs a filter from parts and has none for the viewer
// would show what no viewer has.
func CheckLocked(ctx context.Context) error {
	where, err := Locked(ctx)
	if err == nil {
		err = query.CheckValues(where)
	}
	if err != nil {
		return &access.DeniedError{Reason: "the filters of the credential cannot be read: " + err.Error()}
	}
	return nil
}

// CheckSegment refuses a segment to a grant with filters, whether there is one of that name or not; "": none is asked for. Segments are
// about all of the site, and what such a grant may see of them was copied into its filters.
func CheckSegment(ctx context.Context, name string) error {
	if name == "" || !access.Of(ctx).Limits.Filtered() {
		return nil
	}
	return problem.New(http.StatusForbidden, "segment: a credential with filters has no segments: leave it out")
}

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
	case query.PathsAnswer:
		return &a.Filter
	case query.FunnelReportAnswer:
		return a.Filter
	}
	return nil
}

// underLocked returns an answer without what it says of events that do not pass the filters of the grant. An answer that is not under
// them is a problem: no operation that forgets them can answer.
func underLocked(ctx context.Context, answer any) (any, error) {
	locked, err := Locked(ctx)
	if len(locked) == 0 || err != nil {
		return answer, err
	}
	report := filterOf(answer)
	if report == nil {
		return nil, problem.New(http.StatusForbidden, "the credential has filters, and this answer cannot be put under them")
	}
	texts := filters.Texts(locked)
	for _, text := range texts {
		if !slices.Contains(report.Where, text) {
			return nil, problem.New(http.StatusForbidden, "the credential has filters, and this answer is not under "+text)
		}
	}
	if top, ok := answer.(query.FilteredTopAnswer); ok && RatesHidden(ctx) {
		if top.Sort == "conversionRate" { // Their order says what sessions do not reach the goal.
			return nil, problem.New(http.StatusForbidden, "the credential has a goal for a filter, so rows cannot be sorted by conversionRate")
		}
		answer = withoutEligible(top)
	}
	if funnel, ok := answer.(query.FunnelReportAnswer); ok { // Bots pass no filter.
		funnel.BotEvents = 0
		answer = funnel
	}
	return withReport(answer, func(r *query.FilterReport) { r.Locked = texts }), nil
}

// RatesHidden reports whether the filters of a grant have a goal: then it hears nothing of sessions that do not reach it, nor their rates.
func RatesHidden(ctx context.Context) bool {
	locked, err := Locked(ctx)
	return err != nil || slices.ContainsFunc(locked, query.Condition.Converts)
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
	case query.PathsAnswer:
		change(&a.Filter)
		return a
	case query.FunnelReportAnswer:
		if a.Filter != nil {
			own := *a.Filter
			change(&own)
			a.Filter = &own
		}
		return a
	}
	return answer
}

// Filters are the filters of an answer as a header has them, like parameters of an address; "": it has none.
func Filters(answer any) string {
	if report := filterOf(answer); report != nil {
		return url.Values{"where": report.Where}.Encode()
	}
	return ""
}
