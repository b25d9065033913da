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
	FilterParams
	PageParams
	ConsistentParams
}

func (in *GoalsInput) reading(a api) reading { return a.hours(in.Site) }

func addGoals(a api) {
	get(a, operation{"get-goals", "/sites/{site}/goals", "Conversions, values and rates of all goals",
		"By hour, day, week, month or year, with totals on the first page. With where, only totals, computed from raw events. " +
			"As `footfall query goals`."},
		within(a, func(ctx context.Context, r *query.Reader, in *GoalsInput, s span) (any, error) {
			var err error
			if in.FilterParams, err = in.locked(ctx, a, in.Site); err != nil {
				return nil, err
			}
			if len(in.Where) > 0 {
				return in.filtered(ctx, r, s)
			}
			if err := in.unfiltered(); err != nil {
				return nil, err
			}
			return r.GoalStats(ctx, query.StatsParams{Site: in.Site, From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone, By: query.By(in.By),
				Consistent: in.Consistent, Paging: in.paging()})
		}))
	eitherOf[query.GoalStatsAnswer, query.FilteredGoalsAnswer](a, "/sites/{site}/goals")
}

// filtered answers with conversions by events that pass filters.
func (in *GoalsInput) filtered(ctx context.Context, r *query.Reader, s span) (any, error) {
	f, err := in.filter(ctx, map[string]bool{"by": in.By != "", "cursor": in.Cursor != "", "desc": in.Desc})
	if err != nil {
		return nil, err
	}
	return r.FilteredGoals(ctx, query.FilteredGoalsParams{Site: in.Site, From: s.From, To: s.To, Zone: s.zone, Consistent: in.Consistent,
		FilterParams: f})
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
