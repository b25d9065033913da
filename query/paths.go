package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/query/internal/pathcount"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/paths"
)

// PathsParams are [paths.Params].
type PathsParams = paths.Params

// PathsAnswer says which pages sessions view before or after a page or a goal, or which pairs of entry and exit pages they have.
// Sessions are those that start in the range and pass the filters, with what they view until FilterMargin after it.
type PathsAnswer struct {
	Site string `json:"siteId"`
	Known
	Zone   string       `json:"timeZone"` // by its IANA name
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"` // exclusive
	Filter FilterReport `json:"filter"`
	paths.Start
	Through  []string    `json:"through"`
	Sessions int64       `json:"sessions"` // that view the page or reach the goal; of pairs: that view any page
	Rows     []paths.Row `json:"rows"`     // by step, in each the pages of most sessions first
}

// Paths answers from raw events, as [Reader.FilteredTop] does.
func (r *Reader) Paths(ctx context.Context, p PathsParams) (PathsAnswer, error) {
	return ask(ctx, r, p, answerPaths, "paths of site %q", p.Site)
}

func answerPaths(ctx context.Context, t *sitetable.Store, p PathsParams) (a PathsAnswer, err error) {
	if err := p.Check(); err != nil {
		return a, err
	}
	p.Exact = true
	q, days, known, err := newFilteredHours(ctx, t, FilteredUniquesParams{p.Site, p.From, p.To, p.Zone, p.Consistent, p.Params},
		(*FilterParams).CheckAny)
	if err != nil {
		return a, err
	}
	a = PathsAnswer{Site: p.Site, Known: Known{known}, Zone: days.Loc.String(), From: days.Instant(q.Span.From), To: days.Instant(q.Span.To),
		Filter: q.Report(FromEvents), Start: p.Start(), Through: append([]string{}, p.Through...), Rows: []paths.Row{}}
	if known {
		a.Filter, a.Sessions, a.Rows, err = pathcount.Count(ctx, &q, p)
	}
	return a, err
}
