package serve

import (
	"context"
	"net/http"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// FunnelsInput asks for funnels.
type FunnelsInput struct {
	SiteParams
	PageParams
	ConsistentParams
}

func addFunnels(a api) {
	get(a, operation{"list-funnels", "/sites/{site}/funnels", "List the funnels of a site", "As `footfall funnel list`."},
		func(ctx context.Context, r *query.Reader, in *FunnelsInput) (query.FunnelsAnswer, error) {
			return r.Funnels(ctx, query.FunnelsParams{Site: in.Site, Consistent: in.Consistent, Paging: in.paging()})
		})
}

// FunnelInput asks how far visitors got.
type FunnelInput struct {
	SiteParams
	Funnel string `path:"funnel" doc:"Id of the funnel"`
	ZoneParams
	WhereParams
	IncludeBots bool `query:"includeBots" doc:"Count events of bots, too"`
	MaxEvents   int  `query:"maxEvents" minimum:"1" maximum:"1000000" default:"100000" doc:"Max. raw events to read; a range that has more is refused before it costs anything"`
	ConsistentParams
}

func (in *FunnelInput) ids() []*string { return []*string{&in.Site, &in.Funnel} }

func (in *FunnelInput) reading(a api) reading {
	return reading{site: in.Site, now: a.now(), from: lastDay}
}

// params is the question, under the filters of the segment and of the grant. A bound that a limited grant chooses would say how many raw
// events there are.
func (in *FunnelInput) params(ctx context.Context, a api, s span) (p query.FunnelReportParams, err error) {
	if !permit.OwnsAll(ctx) && in.MaxEvents != 0 && in.MaxEvents != defaultFunnelEvents {
		return p, problem.New(http.StatusForbidden, "maxEvents: a limited credential cannot choose how many raw events are read: leave it out")
	}
	p = query.FunnelReportParams{Site: in.Site, Funnel: in.Funnel, From: s.From, To: s.To, IncludeBots: in.IncludeBots,
		MaxEvents: in.MaxEvents, Consistent: in.Consistent, Within: access.Of(ctx).Limits.Ranged()}
	if in.WhereParams, err = in.locked(ctx, a, in.Site); err != nil {
		return p, err
	}
	if p.Locked, err = permit.Locked(ctx); err == nil {
		p.Where, err = query.ParseConditions(in.Where)
	}
	return p, err
}

// defaultFunnelEvents is the default of maxEvents.
const defaultFunnelEvents = 100_000

func addFunnelReport(a api) {
	get(a, operation{"report-funnel", "/sites/{site}/funnels/{funnel}/report", "How far visitors got in a funnel",
		"Computed from raw events, so it costs what reading them does. As `footfall funnel report`, but for at most 100,000 events by default. " +
			"Filters by page, event, type and property are refused, because the steps match these."},
		within(a, func(ctx context.Context, r *query.Reader, in *FunnelInput, s span) (none query.FunnelReportAnswer, err error) {
			p, err := in.params(ctx, a, s)
			if err != nil {
				return none, err
			}
			return r.FunnelReport(ctx, p)
		}))
}
