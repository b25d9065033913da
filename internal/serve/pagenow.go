package serve

import (
	"context"
	"io"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/serve/permit"
)

// pagesNow shows all pages that realtime figures name, as the API does with pages=50.
func (ps pages) pagesNow(ctx context.Context, r request, w io.Writer) error {
	at, err := ps.addressOf(ctx, r)
	if err != nil {
		return err
	}
	v := page.NowView{At: at}
	if v.Zone, err = ps.zoneOf(ctx, at); err != nil {
		return err
	}
	v.Streamed = access.Of(ctx).Check(access.Need{Right: access.Read, Site: at.Site}) == nil
	if v.Realtime, err = ps.currentFigures(ctx, at.Site, page.MostNowPages); err == nil {
		err = absent(v.Realtime)
	}
	if err != nil {
		return err
	}
	if v.Realtime, err = permit.Hold(ctx, v.Realtime); err != nil {
		return err
	}
	return page.NowPages(w, v)
}
