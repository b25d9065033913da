package serve

import (
	"context"

	"github.com/footfall/footfall/query"
)

// OverviewInput asks for the figures of many sites.
type OverviewInput struct {
	SearchParams
	ZoneParams
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"25" doc:"Max. sites of the page. Each costs what stats with a comparison do"`
	Desc   bool   `query:"desc" doc:"Descending order"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
	ConsistentParams
	FormatParams
}

func (in *OverviewInput) reading(a api) reading { return reading{now: a.now(), from: lastWeek} }

// lastWeek is the range of an overview if none is named: seven days, today included.
const lastWeek = "-7d"

func addOverview(a api) {
	get(a, operation{"get-overview", "/overview", "Sites with visitors, page views, trend, days and last event",
		"By id, without deleted sites. A day is that date in the zone of each site, unless tz names one zone for all. As `footfall query sites`."},
		a.overview)
}

func (a api) overview(ctx context.Context, r *query.Reader, in *OverviewInput) (query.SitesFiguresAnswer, error) {
	return a.sortedOverview(ctx, r, in, "")
}

// sortedOverview has the greatest sites by one of [query.SitesSorts] come first, for which all are read; "": as overview.
func (a api) sortedOverview(ctx context.Context, r *query.Reader, in *OverviewInput, sort string) (query.SitesFiguresAnswer, error) {
	return within(a, func(ctx context.Context, r *query.Reader, in *OverviewInput, s span) (query.SitesFiguresAnswer, error) {
		return r.SitesFigures(ctx, query.SitesFiguresParams{From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone, Sort: sort,
			SitesParams: query.SitesParams{Only: ownSites(ctx), Owner: in.Owner, Search: in.Search, Prefix: in.Prefix, Consistent: in.Consistent,
				Paging: query.Paging{Limit: in.Limit, Desc: in.Desc, Cursor: in.Cursor}}})
	})(ctx, r, in)
}
