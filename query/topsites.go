package query

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// addSites merges the breakdowns of every site of an owner; "": of the table. It returns how many sites there are.
func addSites(ctx context.Context, w *breakdowns.Walk, table *sitetable.Store, s calendar.Span, p TopParams) (asked int, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(sitetable.FanOut)
	for site, err := range sitesOf(ctx, table, p.Owner, p.Consistent) {
		if err != nil {
			stop()
			return 0, errors.Join(err, group.Wait())
		}
		of := sitetable.Table{Store: table, Site: site.SiteID, Clock: calendar.Clock{Rules: site.rules}, Consistent: p.Consistent}
		asked++
		group.Go(func() error { return w.AddSite(gctx, of, s) })
	}
	return asked, group.Wait()
}
