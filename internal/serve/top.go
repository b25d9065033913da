package serve

import (
	"context"

	"github.com/footfall/footfall/query"
)

// TopInput asks for the values of a dimension.
type TopInput struct {
	SiteParams
	Dimension string `path:"dimension" doc:"hostname, page, referrer, channel, utm_source, utm_medium, utm_campaign, utm_content, utm_term, country, region, city, device, browser, os, event, or property:KEY; entry, exit and type, computed from raw events"`
	ZoneParams
	Sort   string `query:"sort" doc:"Figure to sort by, descending; by default pageViews of pages, sessions of entry and exit, uniqueVisitors of all else"`
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"Max. rows of the page"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
	FilterParams
	BotParams
	ConsistentParams
}

func (in *TopInput) reading(a api) reading { return a.hours(in.Site) }

func addTop(a api) {
	get(a, operation{"get-top", "/sites/{site}/top/{dimension}", "Top values of a dimension",
		"Pages add up: the rows of all pages so far, other and none are all events in breakdowns. As `footfall query top`."},
		within(a, func(ctx context.Context, r *query.Reader, in *TopInput, s span) (any, error) {
			var err error
			if in.FilterParams, err = in.locked(ctx); err != nil {
				return nil, err
			}
			if len(in.Where) > 0 || query.FromRawEvents(in.Dimension) {
				return in.filteredTop(ctx, r, s)
			}
			if err := in.unfiltered(); err != nil {
				return nil, err
			}
			return r.Top(ctx, query.TopParams{Site: in.Site, Dimension: in.Dimension, From: s.From, To: s.To, Zone: s.zone, Sort: in.Sort,
				Limit: in.Limit, Cursor: in.Cursor, IncludeBots: in.IncludeBots, Consistent: in.Consistent})
		}))
	eitherOf[query.TopAnswer, query.FilteredTopAnswer](a, "/sites/{site}/top/{dimension}")
}
