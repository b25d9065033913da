package serve

import (
	"context"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query"
)

// TopInput asks for the values of a dimension.
type TopInput struct {
	SiteParams
	Dimension string `path:"dimension"`
	ZoneParams
	Sort     string `query:"sort" doc:"Figure to sort by, descending; by default pageViews of pages, sessions of entry and exit, uniqueVisitors of all else"`
	Limit    int    `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"Max. rows of the page"`
	MinCount int    `query:"minCount" minimum:"1" maximum:"1000000" doc:"With sort by a rate or average: least number of sessions or page views that it is of; the other rows are in other"`
	Cursor   string `query:"cursor" doc:"Continue after the page that returned this cursor"`
	FilterParams
	BotParams
	ConsistentParams
}

func (in *TopInput) reading(a api) reading { return a.hours(in.Site) }

func addTop(a api) {
	const path = "/sites/{site}/top/{dimension}"
	get(a, operation{"get-top", path, "Top values of a dimension",
		"Pages add up: the rows of all pages so far, other and none are all events in breakdowns. As `footfall query top`."},
		within(a, func(ctx context.Context, r *query.Reader, in *TopInput, s span) (any, error) {
			var err error
			if in.FilterParams, err = in.locked(ctx, a, in.Site); err != nil {
				return nil, err
			}
			if len(in.Where) > 0 || query.FromRawEvents(in.Dimension) {
				return in.filteredTop(ctx, r, s)
			}
			if err := in.unfiltered(); err != nil {
				return nil, err
			}
			return r.Top(ctx, query.TopParams{Site: in.Site, Dimension: in.Dimension, From: s.From, To: s.To, Zone: s.zone, Sort: in.Sort,
				Limit: in.Limit, MinCount: in.MinCount, Cursor: in.Cursor, IncludeBots: in.IncludeBots, Consistent: in.Consistent})
		}))
	eitherOf[query.TopAnswer, query.FilteredTopAnswer](a, path)
	for _, p := range a.OpenAPI().Paths[base+path].Get.Parameters {
		if p.Name == "dimension" {
			var names []string
			for _, d := range figures.Dimensions {
				names = append(names, d.Name)
			}
			p.Description = strings.Join(names, ", ") + ", or property:KEY; entry, exit and type, computed from raw events"
			p.Schema.Description = p.Description
		}
	}
}

// filteredTop answers with values of what passes filters.
func (in *TopInput) filteredTop(ctx context.Context, r *query.Reader, s span) (any, error) {
	f, err := in.filter(ctx, map[string]bool{"includeBots": in.IncludeBots, "cursor": in.Cursor != ""})
	if err != nil {
		return nil, err
	}
	return r.FilteredTop(ctx, query.FilteredTopParams{Site: in.Site, Dimension: in.Dimension, From: s.From, To: s.To, Zone: s.zone,
		Sort: in.Sort, Limit: in.Limit, MinCount: in.MinCount, Consistent: in.Consistent, FilterParams: f})
}
