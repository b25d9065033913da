package query

import (
	"context"
	"errors"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// checkFunnelFilters refuses filters that no funnel can have.
func checkFunnelFilters(p FunnelReportParams) error {
	if p.IncludeBots && len(p.Where) > 0 {
		return &ParamError{"include-bots", "", "bots pass no filter: leave it out, or the filters"}
	}
	for _, c := range p.Where {
		if c.ofWhole() {
			return &ParamError{"where", shortened(c.String()), "funnels take no filter by entry or exit page or goal, which a session does not " +
				"say before it has ended: filter by another dimension"}
		}
		if c.ofEvents() {
			return &ParamError{"where", shortened(c.String()), "the steps of a funnel say which events count: filter by another " +
				"dimension than page, event, type and properties"}
		}
	}
	return nil
}

// filtered counts the raw events that pass the filters.
func (f *funnelReading) filtered(ctx context.Context, stored sites.StoredFunnel) (a FunnelReportAnswer, err error) {
	filters := FilterParams{Where: f.p.Where, Exact: true, MaxEvents: f.p.MaxEvents}
	if err := filters.check(); err != nil {
		return a, err
	}
	q := newFilterQuestion(f.t, f.span, filters)
	q.each, q.bots = func(it sinks.Item) { f.count.Add(hitOf(it)) }, &f.bots
	report, err := q.readEvents(ctx, func(int64, []string) []*filterSums { return nil })
	if refused, ok := errors.AsType[*FilterError](err); ok { // Breakdowns, which it recommends, answer no funnel.
		err = refused.Err
	}
	if err != nil {
		return a, err
	}
	a = FunnelReportAnswer{Site: f.p.Site, From: instant(f.span.from), To: instant(f.span.to), Funnel: funnelOf(stored), BotEvents: f.bots,
		EventsRead: int(report.Cost.EventsRead), ReadUnits: report.Cost.ReadUnits, EventsMissing: report.EventsMissing, Filter: &report}
	a.addSteps(f.count.Steps())
	return a, nil
}
