package serve

import (
	"context"
	"io"
	"net/http"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// top shows the whole list of a dimension, by pages, or what a search finds among its greatest values.
func (ps pages) top(ctx context.Context, r request, w io.Writer) error {
	at, err := ps.addressOf(ctx, r)
	if err != nil {
		return err
	}
	v := page.TopView{At: at, Read: ps.now()}
	span, err := zoneParams(r.values).read(ctx, ps.reader, api{server: ps.server}.hours(v.At.Site))
	if err != nil {
		return err
	}
	p := query.TopParams{Site: v.At.Site, Dimension: r.PathValue("dimension"), From: span.From, To: span.To, Zone: span.zone,
		Sort: r.values["sort"], Limit: page.TopRows, Cursor: r.values["cursor"]}
	if least := r.values[links.MinCountParam]; least != "" {
		if p.MinCount, err = wholeNumber(links.MinCountParam, least, query.MaxMinCount); err != nil {
			return err
		}
	}
	if r.values["search"] != "" {
		p.Limit = page.TopSearched
	}
	if len(at.Where) > 0 {
		p.Dimension, p.Sort = filtered.Dimension(p.Dimension, p.Sort)
	}
	if len(at.Where) > 0 || query.FromRawEvents(p.Dimension) {
		err = ps.filters.top(ctx, &v, p, span)
	} else {
		v.Answer, err = ps.reader.Top(ctx, p)
	}
	if err != nil {
		return err
	}
	if err := permit.CheckSpans(ctx, v.Answer); err != nil {
		return err
	}
	if v.Answer.UnknownSite() {
		return problem.New(http.StatusNotFound, "The site is not known: none of its events was counted, and it was not created.")
	}
	goals, err := ps.reader.Goals(ctx, query.GoalsParams{Site: p.Site})
	if err != nil {
		return err
	}
	v.Goals = goals.Goals
	if v.Segments, err = ps.segments(ctx, at); err != nil {
		return err
	}
	if len(at.Where) == 0 {
		if v.Before, err = ps.topBefore(ctx, p, span, r); err != nil {
			return err
		}
	}
	if permit.OwnsAll(ctx) {
		v.Units = r.read.Read()
	}
	return page.Top(w, v)
}

// topBefore reads the same list of the range that a page's is compared with; nil: it is not compared. Which range that is, stats say.
func (ps pages) topBefore(ctx context.Context, p query.TopParams, of span, r request) (*query.TopAnswer, error) {
	in := &StatsInput{SiteParams: SiteParams{Site: p.Site}, ZoneParams: zoneParams(r.values)}
	if in.Compare = comparison(ctx, r.values["compare"]); in.Compare == "" || query.FromRawEvents(p.Dimension) {
		return nil, nil
	}
	in.Limit = 1
	stats, err := ps.comparedStats(ctx, in)
	if err != nil || !ps.comparable(stats) {
		return nil, err
	}
	p.From, p.To, p.Limit, p.Cursor, p.Zone = stats.Previous.From, stats.Previous.To, query.MaxLimit, "", of.zone
	before, err := ps.reader.Top(ctx, p)
	return &before, err
}
