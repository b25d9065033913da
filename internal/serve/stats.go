package serve

import (
	"context"

	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// StatsInput asks for figures by interval.
type StatsInput struct {
	SiteParams
	ZoneParams
	By      string `query:"by" enum:"hour,day,week,month,year" doc:"Size of a bucket; by default by the length of the range"`
	Compare string `query:"compare" doc:"Compare with previous, the range before; year, the same dates a year before; or a range: a period, or FROM..TO"`
	Align   string `query:"align" enum:"weekday,year" doc:"With compare: the earlier range has the same days of the week, or the same dates of the year before"`
	Fill    bool   `query:"fill" doc:"A row also for each bucket without events, up to the current one"`
	FilterParams
	BotParams
	PageParams
	ConsistentParams
}

func (in *StatsInput) reading(a api) reading { return a.hours(in.Site) }

func addStats(a api) {
	get(a, operation{"get-stats", "/sites/{site}/stats", "Figures by hour, day, week, month or year, with totals",
		"The first page has the totals of the range. As `footfall query stats`."}, func(ctx context.Context, r *query.Reader,
		in *StatsInput) (any,
		error) {
		if in.Align != "" && in.Compare == "" {
			return nil, problem.AtFault("align", in.Align, "add compare, whose earlier range it chooses, or leave it out")
		}
		var err error
		if in.FilterParams, err = in.locked(ctx, a, in.Site); err != nil {
			return nil, err
		}
		if len(in.Where) > 0 {
			return within(a, func(ctx context.Context, r *query.Reader, in *StatsInput, s span) (any, error) {
				return in.filteredStats(ctx, r, s)
			})(ctx, r, in)
		}
		if err := in.unfiltered(); err != nil {
			return nil, err
		}
		return a.stats(ctx, r, in)
	})
	eitherOf[query.StatsAnswer, query.FilteredStatsAnswer](a, "/sites/{site}/stats")
}

func (a api) stats(ctx context.Context, r *query.Reader, in *StatsInput) (none query.StatsAnswer, err error) {
	return within(a, func(ctx context.Context, r *query.Reader, in *StatsInput, s span) (query.StatsAnswer, error) {
		return r.Stats(ctx, query.StatsParams{Site: in.Site, From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone, By: query.By(in.By),
			Compare: in.Compare != "", Against: in.Compare, Align: query.Align(in.Align), Fill: in.Fill, IncludeBots: in.IncludeBots,
			Consistent: in.Consistent, Paging: in.paging()})
	})(ctx, r, in)
}

// filteredStats answers with figures of what passes filters.
func (in *StatsInput) filteredStats(ctx context.Context, r *query.Reader, s span) (any, error) {
	f, err := in.filter(ctx, map[string]bool{"includeBots": in.IncludeBots, "cursor": in.Cursor != "", "desc": in.Desc})
	if err != nil {
		return nil, err
	}
	return r.FilteredStats(ctx, query.FilteredStatsParams{Site: in.Site, From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone,
		By: query.By(in.By), Compare: in.Compare != "", Against: in.Compare, Align: query.Align(in.Align), Fill: in.Fill,
		Consistent: in.Consistent, FilterParams: f})
}
