package serve

import (
	"context"
	"io"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/paths"
)

// paths shows the pages before or after a page or a goal, or entry and exit pages. Its question is that of the API, and its cost is bounded
// as that of filters is.
func (ps pages) paths(ctx context.Context, r request, w io.Writer) error {
	delete(r.values, links.ThroughParam)
	at, err := ps.addressOf(ctx, r)
	if err != nil {
		return err
	}
	at.OfPaths, at.Through = true, r.URL.Query()[links.ThroughParam]
	v := page.PathsView{At: at, Read: ps.now()}
	in := &PathsInput{SiteParams: SiteParams{Site: at.Site}, ZoneParams: zoneParams(r.values), FromPage: r.values["fromPage"],
		ToPage: r.values["toPage"], FromGoal: r.values["fromGoal"], ToGoal: r.values["toGoal"], Through: at.Through}
	span, err := in.read(ctx, ps.reader, in.reading(api{server: ps.server}))
	if err != nil {
		return err
	}
	if v.Zone, err = ps.zoneOf(ctx, at); err != nil {
		return err
	}
	p := in.params(span)
	if p.Steps = 0; p.Start() != (query.PathStart{}) {
		p.Steps = min(len(at.Through)+1, paths.MaxSteps)
	}
	var ok bool
	v.Filtering, ok, err = ps.filters.by(ctx, at, func(f query.FilterParams) (_ query.FilterReport, err error) {
		p.Params = f
		v.Answer, err = ps.reader.Paths(ctx, p)
		return v.Answer.Filter, err
	})
	if err != nil {
		return err
	}
	v.Filtering.From, v.Filtering.To = span.From, span.To
	if span.To.IsZero() {
		span.To = v.Read
	}
	if !ok { // The answer has the range alone.
		known, err := ps.reader.Site(ctx, query.SiteParams{Site: at.Site})
		if err != nil {
			return err
		}
		v.Answer = query.PathsAnswer{Site: at.Site, Known: known.Known, From: span.From, To: span.To, PathStart: p.Start(),
			Filter: query.FilterReport{Where: filters.Texts(at.Where)}}
	}
	if err := absent(v.Answer); err != nil {
		return err
	}
	if v.Answer, err = permit.Hold(ctx, v.Answer); err != nil {
		return err
	}
	if err := ps.decided(ctx, &v); err != nil {
		return err
	}
	return page.Paths(w, v)
}

// decided reads the goals and segments that the page offers.
func (ps pages) decided(ctx context.Context, v *page.PathsView) error {
	goals, err := ps.reader.Goals(ctx, query.GoalsParams{Site: v.At.Site})
	if err != nil {
		return err
	}
	v.Goals = goals.Goals
	v.Segments, err = ps.segments(ctx, v.At)
	return err
}
