package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// FilteredUniquesParams ask for the distinct visitors of the events that pass filters.
type FilteredUniquesParams struct {
	Site       string
	From, To   time.Time      // as in UniquesParams
	Zone       *time.Location // as in UniquesParams
	Consistent bool           // strongly consistent reads, at twice the cost
	FilterParams
}

// FilteredUniquesAnswer says how many distinct visitors made the events that pass filters.
type FilteredUniquesAnswer struct {
	Site string `json:"siteId"`
	Known
	Zone   string       `json:"timeZone"` // by its IANA name
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"` // exclusive
	Filter FilterReport `json:"filter"`
	// Totals have the visitors, and all other figures; null: only the cost was asked for.
	Totals         *FilteredFigures `json:"totals"`
	ExpiredOmitted int              `json:"expiredCount"`
}

// FilteredUniques answers as [Reader.Uniques] does, of the events that pass filters, from what [Reader.FilteredStats] reads.
func (r *Reader) FilteredUniques(ctx context.Context, p FilteredUniquesParams) (FilteredUniquesAnswer, error) {
	return ask(ctx, r, p, answerFilteredUniques, "uniques of site %q", p.Site)
}

func answerFilteredUniques(ctx context.Context, t *sitetable.Store, p FilteredUniquesParams) (a FilteredUniquesAnswer, err error) {
	q, days, known, err := newFilteredHours(ctx, t, p, (*FilterParams).Check)
	if err != nil {
		return a, err
	}
	a = FilteredUniquesAnswer{Site: p.Site, Known: Known{SiteKnown: known}, Zone: days.Loc.String(), From: days.Instant(q.Span.From),
		To: days.Instant(q.Span.To), Filter: q.Report(FromBreakdowns)}
	if d, ok := derived.StoredDimension(&q); !known || ok {
		if p.EstimateOnly {
			return a, nil
		}
		walk := breakdowns.NewWalk([]breakdowns.Dimension{d})
		if known {
			err = walk.AddSite(ctx, q.Table, q.Span)
		}
		totals, _ := derived.OfStored(&q, walk.Sum(d))
		a.Totals, a.ExpiredOmitted = &totals, walk.Expired
		return a, err
	}
	sums := []*passing.Sums{passing.NewSums()}
	if a.Filter, err = q.ReadEvents(ctx, func(int64, []string) []*passing.Sums { return sums }); err == nil && !p.EstimateOnly {
		a.Totals = new(derived.OfPassing(sums[0], q.Scope))
	}
	return a, err
}

// newFilteredHours checks a question about a range that is made of whole hours, and its filters as check does.
func newFilteredHours(ctx context.Context, t *sitetable.Store, p FilteredUniquesParams, check func(*FilterParams) error) (
	q passing.Question, days calendar.Calendar, known bool, err error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return q, days, false, err
	}
	if err := check(&p.FilterParams); err != nil {
		return q, days, false, err
	}
	table, created, err := t.Open(ctx, p.Site, p.Consistent)
	if err != nil {
		return q, days, false, err
	}
	s, days, err := table.WholeHours(p.From, p.To, p.Zone)
	if err != nil {
		return q, days, false, err
	}
	known, err = t.Known(ctx, p.Site, created)
	return passing.NewQuestion(table, s, p.FilterParams), days, known, err
}
