package serve

import (
	"context"

	"github.com/footfall/footfall/query"
)

// GoalsInput asks for the conversions of all goals.
type GoalsInput struct {
	SiteParams
	ZoneParams
	By string `query:"by" enum:"hour,day,week,month,year" doc:"Size of a bucket; by default by the length of the range"`
	PageParams
	ConsistentParams
}

func (in *GoalsInput) reading(a api) reading { return a.hours(in.Site) }

func addGoals(a api) {
	get(a, operation{"get-goals", "/sites/{site}/goals", "Conversions, values and rates of all goals",
		"By hour, day, week, month or year, with totals on the first page. As `footfall query goals`."},
		within(a, func(ctx context.Context, r *query.Reader, in *GoalsInput, s span) (query.GoalStatsAnswer, error) {
			return r.GoalStats(ctx, query.StatsParams{Site: in.Site, From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone, By: query.By(in.By),
				Consistent: in.Consistent, Paging: in.paging()})
		}))
}

// ConversionsInput asks for the conversions of a goal.
type ConversionsInput struct {
	SiteParams
	Goal string `path:"goal" doc:"Id of the goal"`
	ZoneParams
	RecentParams
}

func (in *ConversionsInput) ids() []*string { return []*string{&in.Site, &in.Goal} }

func (in *ConversionsInput) reading(a api) reading { return a.open(in.Site) }

func addConversions(a api) {
	get(a, operation{"list-conversions", "/sites/{site}/goals/{goal}/conversions", "Conversions of a goal",
		"With visitor and event, the newest first. Reads are always strongly consistent. As `footfall query conversions`."},
		within(a, func(ctx context.Context, r *query.Reader, in *ConversionsInput, s span) (query.ConversionsAnswer, error) {
			return r.Conversions(ctx, query.ConversionsParams{Site: in.Site, Goal: in.Goal, From: s.From, To: s.To, Paging: in.paging()})
		}))
}
