package serve

import (
	"context"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/query"
)

// sitesPerPage is how many sites the overview shows, each for some ten read units.
const sitesPerPage = 25

// fanOut is how many questions of one page are under way at once.
const fanOut = 4

// overview shows the sites of the table with their visitors of the last days.
func (s *server) overview(ctx context.Context, r request, w io.Writer) error {
	list, err := s.reader.Sites(ctx, query.SitesParams{Paging: query.Paging{Limit: sitesPerPage, Cursor: r.values["cursor"]}})
	if err != nil {
		return err
	}
	v := page.SitesView{Sites: list.Sites, Stats: make([]query.StatsAnswer, len(list.Sites)), Cursor: list.Cursor}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for i, site := range list.Sites {
		group.Go(func() (err error) {
			in := &StatsInput{SiteParams: SiteParams{Site: site.SiteID}, By: string(query.Day), Fill: true}
			in.From = page.DefaultFrom
			v.Stats[i], err = api{server: s}.stats(ctx, s.reader, in)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	v.Units = r.read.read()
	return page.Sites(w, v)
}

// find leads to the page of a site whose id was typed.
func (s *server) find(_ context.Context, r request, _ io.Writer) error {
	if r.values["id"] == "" {
		return &redirect{"/"}
	}
	return &redirect{page.SitePath(r.values["id"])}
}
