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

// limited refuses parameters that would say something of what is beyond a limited grant: filters by what sessions have read what comes
// after the range, too.
func (in *FunnelInput) limited(ctx context.Context) error {
	switch {
	case permit.OwnsAll(ctx):
	case in.MaxEvents != 0 && in.MaxEvents != defaultFunnelEvents:
		return problem.New(http.StatusForbidden, "maxEvents: a limited credential cannot choose how many raw events are read: leave it out")
	case len(in.Where)+len(in.Segment) > 0 && access.Of(ctx).Limits.Ranged():
		return problem.New(http.StatusForbidden, "where: a credential that is limited to a range cannot filter a funnel: leave it out")
	}
	return nil
}

// defaultFunnelEvents is the default of maxEvents.
const defaultFunnelEvents = 100_000

func addFunnelReport(a api) {
	get(a, operation{"report-funnel", "/sites/{site}/funnels/{funnel}/report", "How far visitors got in a funnel",
		"Computed from raw events, so it costs what reading them does. As `footfall funnel report`, but for at most 100,000 events by default. " +
			"Filters by page, event, type and property are refused, because the steps match these."},
		within(a, func(ctx context.Context, r *query.Reader, in *FunnelInput, s span) (none query.FunnelReportAnswer, err error) {
			err = in.limited(ctx)
			if err == nil {
				in.WhereParams, err = in.under(ctx, a, in.Site)
			}
			if err != nil {
				return none, err
			}
			where, err := query.ParseConditions(in.Where)
			if err != nil {
				return none, err
			}
			return r.FunnelReport(ctx, query.FunnelReportParams{Site: in.Site, Funnel: in.Funnel, From: s.From, To: s.To,
				Where: where, IncludeBots: in.IncludeBots, MaxEvents: in.MaxEvents, Consistent: in.Consistent})
		}))
}
