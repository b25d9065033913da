package funnelcount

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/sinks"
)

// ReadPassing reads the raw events that pass filters.
func (f *Reading) ReadPassing(ctx context.Context, asked filters.Params) (filters.Report, error) {
	if err := asked.Check(); err != nil {
		return filters.Report{}, err
	}
	q := passing.NewQuestion(f.Table, f.Span, asked)
	q.Passing, q.Bots = &passingHits{count: f.Count, kept: make(map[string][]byte)}, &f.Bots
	report, err := q.ReadEvents(ctx, func(int64, []string) []*passing.Sums { return nil })
	if refused, ok := errors.AsType[*filters.Error](err); ok { // Breakdowns, which it would recommend, answer no funnel.
		refused.Where = nil
	}
	return report, err
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

func (h *passingHits) Next(it sinks.Item, passes bool) (n int64) {
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

func (h *passingHits) Decide(n int64, passes bool) {
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

func (h *passingHits) Waits() int { return len(h.waiting) }
