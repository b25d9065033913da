package serve

import (
	"context"

	"github.com/footfall/footfall/query"
)

// BulkInput asks for the figures of many sites one by one.
type BulkInput struct {
	Sites string `query:"sites" enum:"*" required:"true" doc:"*: all sites that the other parameters allow"`
	SearchParams
	ZoneParams
	By     string `query:"by" enum:"hour,day,week,month,year" default:"day" doc:"Size of a bucket"`
	Limit  int    `query:"limit" minimum:"1" maximum:"5000" default:"1000" doc:"Max. sites of the page"`
	Desc   bool   `query:"desc" doc:"Descending order of sites"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
	BotParams
	ConsistentParams
	FormatParams
}

func (in *BulkInput) reading(a api) reading { return reading{now: a.now(), from: "yesterday"} }

func addBulk(a api) {
	get(a, operation{"get-stats-of-sites", "/stats", "Figures of each site by interval, for exports",
		"The buckets with events of each site, site after site, by default those of yesterday and today. Deleted sites are left out. A day is " +
			"that date in the zone of each site, unless tz names one zone for all. Ask for format=ndjson to get a line for each bucket."},
		within(a, func(ctx context.Context, r *query.Reader, in *BulkInput, s span) (query.EachSiteAnswer, error) {
			return r.StatsOfEach(ctx, query.EachSiteParams{From: s.From, To: s.To, By: query.By(in.By), Unit: s.Unit, Zone: s.zone,
				IncludeBots: in.IncludeBots, SitesParams: query.SitesParams{Only: ownSites(ctx), Owner: in.Owner, Search: in.Search, Prefix: in.Prefix,
					Consistent: in.Consistent, Paging: query.Paging{Limit: in.Limit, Desc: in.Desc, Cursor: in.Cursor}}})
		}))
}
