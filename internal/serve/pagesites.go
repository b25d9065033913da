package serve

import (
	"context"
	"io"

	"github.com/footfall/footfall/internal/page"
)

// sitesPerPage is how many sites the overview shows, each for some twenty read units.
const sitesPerPage = 25

// fanOut is how many questions of one page are under way at once.
const fanOut = 4

// overview shows the sites of the table with their figures. If there is only one, it leads to the page of that site.
func (s *server) overview(ctx context.Context, r request, w io.Writer) error {
	in := &OverviewInput{Limit: sitesPerPage, Cursor: r.values["cursor"], ZoneParams: rangeOf(r.values)}
	in.Search = r.values["search"]
	answer, err := (api{server: s}).overview(ctx, s.reader, in)
	if err != nil {
		return err
	}
	if len(answer.Sites) == 1 && answer.Cursor == "" && len(r.values) == 0 {
		return &redirect{baseOf(ctx) + page.SitePath(answer.Sites[0].SiteID)}
	}
	return page.Sites(w, page.SitesView{Look: lookOf(ctx), SitesFiguresAnswer: answer, Values: r.values, Units: r.read.read()})
}

// find leads to the page of a site whose id was typed.
func (s *server) find(ctx context.Context, r request, _ io.Writer) error {
	if r.values["id"] == "" {
		return &redirect{baseOf(ctx) + "/"}
	}
	return &redirect{baseOf(ctx) + page.SitePath(r.values["id"])}
}
