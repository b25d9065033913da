package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// funnels reads the funnels of a site's page, for those who may ask for their reports.
func (ps pages) funnels(ctx context.Context, v *page.SiteView) error {
	if access.Of(ctx).Check(access.Need{Right: access.Read, Site: v.At.Site, Bounded: true, Filtered: true}) != nil {
		return nil
	}
	a, err := ps.reader.Funnels(ctx, query.FunnelsParams{Site: v.At.Site, Paging: query.Paging{Limit: page.ListedFunnels}})
	if err == nil && len(v.At.Locked) == 0 { // Under locked filters the page has their names alone, as of goals.
		a, err = permit.Hold(ctx, a)
	}
	v.Funnels = &a
	return err
}

// funnel shows how far visitors got in a funnel. Its question is that of the API, and its cost is bounded as that of filters is.
func (ps pages) funnel(ctx context.Context, r request, w io.Writer) error {
	at, err := ps.addressOf(ctx, r)
	if err != nil {
		return err
	}
	at.Funnel = links.Unspelled(r.PathValue("funnel"))
	v := page.FunnelView{At: at, Limited: !permit.OwnsAll(ctx), Read: ps.now()}
	if v.Limited && r.values[links.MaxEventsParam] != "" {
		return problem.New(http.StatusForbidden, "maxEvents: a limited credential cannot choose how many raw events are read: leave it out")
	}
	if v.Zone, err = ps.zoneOf(ctx, at); err != nil {
		return err
	}
	if v.Segments, err = ps.segments(ctx, at); err != nil {
		return err
	}
	in := &FunnelInput{SiteParams: SiteParams{Site: at.Site}, Funnel: at.Funnel, ZoneParams: zoneParams(r.values)}
	span, err := in.read(ctx, ps.reader, in.reading(api{server: ps.server}))
	if err != nil {
		return err
	}
	p := query.FunnelReportParams{Site: at.Site, Funnel: at.Funnel, From: span.From, To: span.To}
	read := ps.ofAll
	if len(at.Where) > 0 {
		read = ps.ofPassing
	}
	answered, err := read(ctx, &v, p)
	if err == nil && !answered {
		err = ps.funnelAlone(ctx, &v, span)
	}
	if err == nil {
		v.Answer, err = permit.Hold(ctx, v.Answer)
	}
	if err != nil {
		return err
	}
	return page.Funnel(w, v)
}

// ofPassing reports on the events that pass the filters of the page. If they are not read, answered is false and the view says why.
func (ps pages) ofPassing(ctx context.Context, v *page.FunnelView, p query.FunnelReportParams) (answered bool, err error) {
	v.Filtering, answered, err = ps.filters.by(ctx, v.At, func(f query.FilterParams) (report query.FilterReport, err error) {
		p.Where, p.Locked, p.Saved, p.Within, p.MaxEvents = f.Where, f.Locked, f.Saved, f.Within, f.MaxEvents
		p.OnEstimate = func(c query.FilterCost, _ int64) error { return f.OnEstimate(c) }
		if v.Answer, err = ps.reader.FunnelReport(ctx, p); err == nil {
			report = *v.Answer.Filter
		}
		return report, err
	})
	if err == nil {
		v.Filtering.From, v.Filtering.To = p.From, p.To
	}
	return answered, err
}

// ofAll reports on all events. If they are not read, answered is false and the view says why.
func (ps pages) ofAll(ctx context.Context, v *page.FunnelView, p query.FunnelReportParams) (answered bool, err error) {
	bound, err := filterBound(ctx, v.At.Values, page.MostFunnelEvents)
	if err != nil {
		return false, err
	}
	p.MaxEvents = bound
	p.OnEstimate = func(c query.FilterCost, packed int64) error {
		v.Cost = &c
		return ps.tooDear(c, packed, bound)
	}
	v.Answer, err = ps.reader.FunnelReport(ctx, p)
	dear, isDear := errors.AsType[*dearError](err)
	hidden := v.Limited && (isDear || permit.TooFewOrMany(err)) // How many there are is not for them.
	if err != nil {
		err = permit.Error(ctx, err)
	}
	raw, isRaw := errors.AsType[*query.RawEventsError](err)
	wrong, isParam := errors.AsType[*query.ParamError](err)
	switch {
	case hidden:
		v.Why = "They were not read: raw events of this range are missing, or are more than a page may read."
	case isDear:
		v.Why, v.TooMany = dear.Error(), dear.more
	case isRaw:
		v.Why = "They cannot be read: " + raw.Error() + "."
	case isParam && wrong.Param == "max-events":
		v.Why = "They were not read: " + wrong.Remedy + "."
	default:
		return err == nil, err
	}
	return false, nil
}

// A dearError says that raw events are not read because of their cost.
type dearError struct {
	says string
	more bool // they are read if the page is asked to
}

func (e *dearError) Error() string { return e.says }

// tooDear refuses a cost beyond the bound of the page, given in packed events, or of this server; nil: it is within both.
func (ps pages) tooDear(c query.FilterCost, packed int64, bound int) error {
	switch {
	case packed > int64(bound):
		return &dearError{page.TooDear(c, bound), bound < page.MostFunnelEvents && packed <= page.MostFunnelEvents}
	case c.ReadUnitsEstimated > ps.limits.ReadUnits:
		return &dearError{says: fmt.Sprintf("Reading the %d raw events of this range would cost about %.0f read units, and this server reads "+
			"at most %.0f for a page: choose a shorter range.", c.EventsEstimated, c.ReadUnitsEstimated, ps.limits.ReadUnits)}
	}
	return nil
}

// funnelAlone reads what a funnel is where it has no report, and names the range.
func (ps pages) funnelAlone(ctx context.Context, v *page.FunnelView, of span) error {
	funnel, err := ps.reader.Funnel(ctx, query.FunnelParams{Site: v.At.Site, Funnel: v.At.Funnel})
	if of.To.IsZero() {
		of.To = ps.now()
	}
	v.Answer = query.FunnelReportAnswer{Site: v.At.Site, From: of.From, To: of.To, Funnel: funnel.Funnel}
	if len(v.At.Where) > 0 {
		v.Answer.Filter = &query.FilterReport{Where: filters.Texts(v.At.Where)}
	}
	return err
}
