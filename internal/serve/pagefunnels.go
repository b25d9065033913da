package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// funnels reads the funnels of a site's page, for those who may ask for their reports.
func (ps pages) funnels(ctx context.Context, v *page.SiteView) error {
	if access.Of(ctx).Check(access.Need{Right: access.Read, Site: v.At.Site, Bounded: true}) != nil {
		return nil
	}
	a, err := ps.reader.Funnels(ctx, query.FunnelsParams{Site: v.At.Site, Paging: query.Paging{Limit: page.ListedFunnels}})
	if err == nil {
		a, err = permit.Hold(ctx, a)
	}
	v.Funnels = &a
	return err
}

// funnel shows how far visitors got in a funnel. Its question is that of the API, and its cost is bounded as that of filters is.
func (ps pages) funnel(ctx context.Context, r request, w io.Writer) error {
	at := links.Address{Look: lookOf(ctx), Site: links.Unspelled(r.PathValue("site")), Funnel: links.Unspelled(r.PathValue("funnel")),
		Values: r.values}
	switch given, err := rangeOfForm(r.values); {
	case err != nil:
		return err
	case given:
		return &redirect{at.With()}
	}
	v := page.FunnelView{At: at, Limited: !permit.OwnsAll(ctx)}
	if v.Limited && r.values[links.MaxEventsParam] != "" {
		return problem.New(http.StatusForbidden, "maxEvents: a limited credential cannot choose how many raw events are read: leave it out")
	}
	bound, err := funnelBound(r.values[links.MaxEventsParam])
	if err != nil {
		return err
	}
	if v.Zone, err = ps.zoneOf(ctx, at); err != nil {
		return err
	}
	in := &FunnelInput{SiteParams: SiteParams{Site: at.Site}, Funnel: at.Funnel, ZoneParams: zoneParams(r.values)}
	span, err := in.read(ctx, ps.reader, in.reading(api{server: ps.server}))
	if err != nil {
		return err
	}
	v.Read = ps.now()
	v.Answer, err = ps.reader.FunnelReport(ctx, query.FunnelReportParams{Site: at.Site, Funnel: at.Funnel, From: span.From, To: span.To,
		MaxEvents: bound, OnEstimate: func(c query.FilterCost, packed int64) error {
			v.Cost = &c
			return ps.tooDear(c, packed, bound)
		}})
	dear, isDear := errors.AsType[*dearError](err)
	hidden := v.Limited && (isDear || permit.TooFewOrMany(err)) // How many there are is not for them.
	if err == nil {
		v.Answer, err = permit.Hold(ctx, v.Answer)
	} else {
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
	case err != nil:
		return err
	}
	if v.Why != "" {
		if err := ps.funnelAlone(ctx, &v, span); err != nil {
			return err
		}
	}
	return page.Funnel(w, v)
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
	if err == nil {
		v.Answer, err = permit.Hold(ctx, v.Answer)
	}
	return err
}

// funnelBound reads how many packed raw events the page of a funnel reads; "": as many as filters read.
func funnelBound(text string) (int, error) {
	if text == "" {
		return page.FilterEvents, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > page.MostFunnelEvents {
		return 0, problem.AtFault(links.MaxEventsParam, text, fmt.Sprintf("write a whole number from 1 to %d", page.MostFunnelEvents))
	}
	return n, nil
}
