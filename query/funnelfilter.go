package query

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// checkFunnelFilters refuses filters that no funnel can have.
func checkFunnelFilters(p FunnelReportParams) error {
	if p.IncludeBots && len(p.Where) > 0 {
		return &ParamError{Param: "include-bots", Value: "", Remedy: "bots pass no filter: leave it out, or the filters"}
	}
	for _, c := range p.Where {
		if c.ofEvents() {
			return &ParamError{Param: "where", Value: shortened(c.String()),
				Remedy: "the steps of a funnel say which events count: filter by another " +
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
	q.passing, q.bots = &passingHits{count: f.count, kept: make(map[string][]byte)}, &f.bots
	report, err := q.readEvents(ctx, func(int64, []string) []*filterSums { return nil })
	if refused, ok := errors.AsType[*FilterError](err); ok { // Breakdowns, which it recommends, answer no funnel.
		err = refused.Err
	}
	if err != nil {
		return a, err
	}
	a = FunnelReportAnswer{Site: f.p.Site, From: calendar.Instant(f.span.From), To: calendar.Instant(f.span.To), Funnel: funnelOf(stored),
		BotEvents:  f.bots,
		EventsRead: int(report.Cost.EventsRead), ReadUnits: report.Cost.ReadUnits, EventsMissing: report.EventsMissing, Filter: &report}
	a.addSteps(f.count.Steps())
	return a, nil
}

// passingHits gives a funnel the events that pass filters, in their order. Filters by what whole sessions have are decided about later, so
// an event waits until all before it are decided about.
type passingHits struct {
	count   *sites.FunnelCount
	first   int64 // the number of the first one that waits
	waiting []waitingHit
	kept    map[string][]byte // one copy of each type, name and page
}

// A waitingHit is an event that passes all filters but those that need the whole session, or an event after such a one.
type waitingHit struct {
	hit             sites.FunnelHit
	decided, passes bool
}

func (h *passingHits) next(it sinks.Item, passes bool) (n int64) {
	hit := hitOf(it)
	if passes && len(h.waiting) == 0 {
		h.count.Add(hit)
		return -1
	}
	hit.Visitor.ID = strings.Clone(hit.Visitor.ID) // The item has more to it than this.
	hit.Type, hit.Name, hit.Page = h.keep(hit.Type), h.keep(hit.Name), h.keep(hit.Page)
	h.waiting = append(h.waiting, waitingHit{hit, passes, passes})
	return h.first + int64(len(h.waiting)) - 1
}

// keep returns the copy of a text; nil stays nil.
func (h *passingHits) keep(text []byte) []byte {
	own := h.kept[string(text)]
	if own == nil && text != nil {
		own = slices.Clone(text)
		h.kept[string(own)] = own
	}
	return own
}

func (h *passingHits) decide(n int64, passes bool) {
	w := &h.waiting[n-h.first]
	if w.decided, w.passes = true, passes; !passes {
		w.hit = sites.FunnelHit{}
	}
	released := 0
	for released < len(h.waiting) && h.waiting[released].decided {
		if w := h.waiting[released]; w.passes {
			h.count.Add(w.hit)
		}
		h.waiting[released] = waitingHit{}
		released++
	}
	h.first, h.waiting = h.first+int64(released), h.waiting[released:]
}

func (h *passingHits) waits() int { return len(h.waiting) }
