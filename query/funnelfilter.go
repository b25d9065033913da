package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// checkFunnelFilters refuses filters that no funnel can have.
func checkFunnelFilters(p FunnelReportParams) error {
	if p.IncludeBots && len(p.Where) > 0 {
		return &ParamError{"include-bots", "", "bots pass no filter: leave it out, or the filters"}
	}
	for _, c := range p.Where {
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
	hits := passingHits{count: f.count, wait: slices.ContainsFunc(f.p.Where, Condition.ofWhole)}
	q.each, q.bots = hits.next, &f.bots
	report, err := q.readEvents(ctx, func(int64, []string) []*filterSums { return nil })
	if refused, ok := errors.AsType[*FilterError](err); ok { // Breakdowns, which it recommends, answer no funnel.
		err = refused.Err
	}
	if err != nil {
		return a, err
	}
	hits.end()
	a = FunnelReportAnswer{Site: f.p.Site, From: instant(f.span.from), To: instant(f.span.to), Funnel: funnelOf(stored), BotEvents: f.bots,
		EventsRead: int(report.Cost.EventsRead), ReadUnits: report.Cost.ReadUnits, EventsMissing: report.EventsMissing, Filter: &report}
	a.addSteps(f.count.Steps())
	return a, nil
}

// passingHits gives a funnel the events that pass filters, in their order. Filters by what whole sessions have are decided about when a
// session has ended, so events wait.
type passingHits struct {
	count   *sites.FunnelCount
	wait    bool
	seen    int64
	waiting []waitingHit
}

// A waitingHit is the n-th event that passes all filters but those by what whole sessions have.
type waitingHit struct {
	n   int64
	hit sites.FunnelHit
}

// next takes the next event. The funnel gets it if what is returned is called.
func (h *passingHits) next(it sinks.Item) (passes func()) {
	hit := hitOf(it)
	if !h.wait {
		return func() { h.count.Add(hit) }
	}
	h.seen++
	n := h.seen
	hit.Visitor.ID = strings.Clone(hit.Visitor.ID) // The item has more to it than this.
	return func() { h.waiting = append(h.waiting, waitingHit{n, hit}) }
}

// end gives the funnel what has waited.
func (h *passingHits) end() {
	slices.SortFunc(h.waiting, func(a, b waitingHit) int { return cmp.Compare(a.n, b.n) })
	for _, w := range h.waiting {
		h.count.Add(w.hit)
	}
}
