package serve

import (
	"context"

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
			if in.FilterParams, err = in.locked(ctx, a, in.Site); err != nil {
				return none, err
			}
			p := in.params(s)
			if p.Params, err = in.filter(ctx, nil); err != nil {
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
