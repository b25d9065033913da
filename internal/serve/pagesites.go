package serve

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// sitesPerPage is how many sites the overview shows, each for some twenty read units.
const sitesPerPage = 25

// overview shows the sites of the table with their figures. If there is only one, it leads to the page of that site.
func (ps pages) overview(ctx context.Context, r request, w io.Writer) error {
	in := &OverviewInput{Limit: sitesPerPage, Cursor: r.values["cursor"], ZoneParams: rangeOf(r.values)}
	in.Search = r.values["search"]
	answer, err := ps.overviewBy(ctx, in, r.values["sort"])
	if err != nil {
		return err
	}
	if len(answer.Sites) == 1 && answer.Cursor == "" && len(r.values) == 0 {
		return &redirect{baseOf(ctx) + links.SitePath(answer.Sites[0].SiteID)}
	}
	return page.Sites(w, page.SitesView{Look: lookOf(ctx), SitesFiguresAnswer: answer, Values: r.values, Read: ps.now(), Units: r.read.Read()})
}

// overviewBy reads the sites of the overview, sorted. The cursor of sites that are sorted by a figure is how many come before the page.
func (ps pages) overviewBy(ctx context.Context, in *OverviewInput, sort string) (query.SitesFiguresAnswer, error) {
	if sort == "" {
		return (api{server: ps.server}).overview(ctx, ps.reader, in)
	}
	if !slices.Contains(page.SitesSorts, sort) {
		return query.SitesFiguresAnswer{}, problem.AtFault("sort", sort, "choose "+strings.Join(page.SitesSorts, ", ")+", or leave it out")
	}
	first := 0
	if in.Cursor != "" {
		n, err := strconv.Atoi(in.Cursor)
		if err != nil || n < 1 || n >= query.MaxLimit {
			return query.SitesFiguresAnswer{}, problem.AtFault("cursor", in.Cursor, "not a cursor of sites that are sorted: leave it out")
		}
		first = n
	}
	in.Cursor, in.Limit = "", min(first+sitesPerPage+1, query.MaxLimit)
	answer, err := (api{server: ps.server}).sortedOverview(ctx, ps.reader, in, sort)
	if err != nil {
		return answer, err
	}
	if answer.Sites = answer.Sites[min(first, len(answer.Sites)):]; len(answer.Sites) > sitesPerPage {
		answer.Sites, answer.Cursor = answer.Sites[:sitesPerPage], strconv.Itoa(first+sitesPerPage)
	}
	answer.Totals = query.TotalsOf(answer.Sites)
	return answer, nil
}

// find leads to the page of a site whose id was typed.
func (ps pages) find(ctx context.Context, r request, _ io.Writer) error {
	if r.values["id"] == "" {
		return &redirect{baseOf(ctx) + "/"}
	}
	return &redirect{baseOf(ctx) + links.SitePath(r.values["id"])}
}
