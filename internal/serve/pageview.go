package serve

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// addressOf is what a page about a site shows.
func (ps pages) addressOf(ctx context.Context, r request) (at links.Address, err error) {
	at = links.Address{Look: lookOf(ctx), Site: links.Unspelled(r.PathValue("site")), Values: r.values, Segment: r.values[links.SegmentParam]}
	delete(r.values, links.SegmentParam)
	if at.Segmented, err = ps.segmented(ctx, at.Site, at.Segment); err != nil {
		return at, err
	}
	at, err = filtersOf(ctx, r, at)
	if err == nil && slices.ContainsFunc(at.Where, func(c query.Condition) bool { return c.Dimension == query.GoalDimension }) {
		at.Goals, err = ps.goalNames(ctx, at.Site)
	}
	return at, err
}

// segmented are the filters of a segment; "": there are none.
func (ps pages) segmented(ctx context.Context, site, name string) ([]query.Condition, error) {
	if err := permit.CheckSegment(ctx, name); err != nil || name == "" {
		return nil, err
	}
	return segments.Resolve(ctx, ps.table, site, name)
}

// segments are the names of a site's segments, for those who may use them.
func (ps pages) segments(ctx context.Context, at links.Address) ([]string, error) {
	if len(at.Locked) > 0 {
		return nil, nil
	}
	all, err := segments.All(ctx, ps.table, segments.ListParams{Site: at.Site})
	return segments.Names(all), err
}

// zoneParams are the parameters of the range of a site's page, with the range that is the default.
func zoneParams(values map[string]string) ZoneParams {
	p := rangeOf(values)
	if p.From == "" && p.To == "" && p.Period == "" {
		p.From = links.DefaultFrom
	}
	return p
}

// rangeOf are the parameters of the range of a page.
func rangeOf(values map[string]string) ZoneParams {
	return ZoneParams{RangeParams: RangeParams{From: values["from"], To: values["to"], Period: values["period"]}, Zone: values["tz"]}
}

// fanOut is how many questions of one page are under way at once.
const fanOut = 4

// checkSiteParams refuses values that only the page has.
func checkSiteParams(values map[string]string) error {
	known := map[string][]string{"by": query.Sizes, "figure": chart.Figures()}
	for _, name := range lists.Params {
		if tabs := lists.Tabs(name); tabs != nil {
			known[name] = tabs
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if value := values[name]; value != "" && !slices.Contains(known[name], value) {
			return problem.AtFault(name, value, "choose "+strings.Join(known[name], ", ")+", or leave it out")
		}
	}
	return nil
}

// goalNames are the names of a site's goals, by id.
func (ps pages) goalNames(ctx context.Context, site string) (map[string]string, error) {
	a, err := ps.reader.Goals(ctx, query.GoalsParams{Site: site})
	names := make(map[string]string, len(a.Goals))
	for _, g := range a.Goals {
		names[g.ID] = g.Name
	}
	return names, err
}
