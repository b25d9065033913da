package serve

import (
	"context"
	"net/http"
	"slices"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// PathsInput asks for the pages before or after a page or a goal.
type PathsInput struct {
	SiteParams
	ZoneParams
	FromPage string   `query:"fromPage" doc:"Page that steps follow, as in /pricing"`
	ToPage   string   `query:"toPage" doc:"Page that steps precede"`
	FromGoal string   `query:"fromGoal" doc:"Id of the goal that steps follow"`
	ToGoal   string   `query:"toGoal" doc:"Id of the goal that steps precede"`
	Through  []string `query:"through,explode" doc:"Page of the first step, which later steps go through. Repeat it for the second step, and so on"`
	Steps    int      `query:"steps" minimum:"1" maximum:"5" doc:"Number of steps; by default 3, or one more than through names"`
	Limit    int      `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Max. pages of a step, or pairs"`
	FilterParams
	ConsistentParams
}

func (in *PathsInput) reading(a api) reading { return a.hours(in.Site) }

func addPaths(a api) {
	get(a, operation{"get-paths", "/sites/{site}/paths", "Pages before or after a page or a goal, or entry and exit pages",
		"Computed from raw events, so it costs what reading them does. Filters by page, event, type and property are refused. " +
			"As `footfall query paths`."},
		within(a, func(ctx context.Context, r *query.Reader, in *PathsInput, s span) (none query.PathsAnswer, err error) {
			if in.FilterParams, err = in.locked(ctx); err != nil {
				return none, err
			}
			p := in.params(s)
			if p.Params, err = in.filter(ctx, nil); err == nil {
				err = checkPaths(ctx, p.Where)
			}
			if err != nil {
				return none, err
			}
			return r.Paths(ctx, p)
		}))
}

// params is the question without its filters.
func (in *PathsInput) params(s span) query.PathsParams {
	return query.PathsParams{Site: in.Site, FromPage: in.FromPage, ToPage: in.ToPage, FromGoal: in.FromGoal, ToGoal: in.ToGoal,
		Through: in.Through, Steps: in.Steps, Rows: in.Limit, From: s.From, To: s.To, Zone: s.zone, Consistent: in.Consistent}
}

// checkPaths refuses filters of a viewer with a range by what sessions have: they read what comes after the range, too.
func checkPaths(ctx context.Context, where []query.Condition) error {
	if !access.Of(ctx).Limits.Ranged() {
		return nil
	}
	for _, c := range where {
		if c.OfWhole() && !slices.Contains(permit.Locked(ctx), c.String()) {
			return problem.New(http.StatusForbidden, "where: a credential that is limited to a range cannot filter paths by "+c.Dimension+
				": leave it out")
		}
	}
	return nil
}
