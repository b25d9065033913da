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

// ConversionsInput asks for the conversions of a goal.
type ConversionsInput struct {
	SiteParams
	Goal string `path:"goal" doc:"Id of the goal"`
	ZoneParams
	RecentParams
}

// RecentParams are PageParams of a list that has the newest first.
type RecentParams struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"Max. rows of the page"`
	Desc   bool   `query:"desc" default:"true" doc:"The newest first"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
}

func (p RecentParams) paging() query.Paging { return PageParams(p).paging() }

// FunnelsInput asks for funnels.
type FunnelsInput struct {
	SiteParams
	PageParams
	ConsistentParams
}

// FunnelInput asks how far visitors got.
type FunnelInput struct {
	SiteParams
	Funnel string `path:"funnel" doc:"Id of the funnel"`
	ZoneParams
	IncludeBots bool `query:"includeBots" doc:"Count events of bots, too"`
	MaxEvents   int  `query:"maxEvents" minimum:"1" maximum:"1000000" default:"100000" doc:"Max. raw events to read; a range that has more is refused before it costs anything"`
	ConsistentParams
}

func (a api) addGoals() {
	get(a, operation{"get-goals", "/sites/{site}/goals", "Conversions, values and rates of all goals",
		"By hour, day, week, month or year, with totals on the first page. As `footfall query goals`."},
		func(ctx context.Context, r *query.Reader, in *GoalsInput) (query.GoalStatsAnswer, error) {
			s, err := in.read(ctx, r, a.hours(in.Site))
			if err != nil {
				return query.GoalStatsAnswer{}, err
			}
			return r.GoalStats(ctx, query.StatsParams{Site: in.Site, From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone, By: query.By(in.By),
				Consistent: in.Consistent, Paging: in.paging()})
		})
	get(a, operation{"list-conversions", "/sites/{site}/goals/{goal}/conversions", "Conversions of a goal",
		"With visitor and event, the newest first. Reads are always strongly consistent. As `footfall query conversions`."},
		func(ctx context.Context, r *query.Reader, in *ConversionsInput) (query.ConversionsAnswer, error) {
			s, err := in.read(ctx, r, a.open(in.Site))
			if err != nil {
				return query.ConversionsAnswer{}, err
			}
			return r.Conversions(ctx, query.ConversionsParams{Site: in.Site, Goal: in.Goal, From: s.From, To: s.To, Paging: in.paging()})
		})
	get(a, operation{"list-funnels", "/sites/{site}/funnels", "List the funnels of a site", "As `footfall funnel list`."},
		func(ctx context.Context, r *query.Reader, in *FunnelsInput) (query.FunnelsAnswer, error) {
			return r.Funnels(ctx, query.FunnelsParams{Site: in.Site, Consistent: in.Consistent, Paging: in.paging()})
		})
	get(a, operation{"report-funnel", "/sites/{site}/funnels/{funnel}/report", "How far visitors got in a funnel",
		"Computed from raw events, so it costs what reading them does. As `footfall funnel report`, but for at most 100,000 events by default."},
		func(ctx context.Context, r *query.Reader, in *FunnelInput) (query.FunnelReportAnswer, error) {
			s, err := in.read(ctx, r, reading{site: in.Site, now: a.now(), from: lastDay})
			if err != nil {
				return query.FunnelReportAnswer{}, err
			}
			return r.FunnelReport(ctx, query.FunnelReportParams{Site: in.Site, Funnel: in.Funnel, From: s.From, To: s.To,
				IncludeBots: in.IncludeBots, MaxEvents: in.MaxEvents, Consistent: in.Consistent})
		})
}
