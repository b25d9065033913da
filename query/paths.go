package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/query/internal/pathcount"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/paths"
)

// What package paths declares, and is part of this package, too.
type (
	PathsParams = paths.Params
	PathStart   = paths.Start
	PathRow     = paths.Row
)

// PathsAnswer has the pages that sessions view before or after a page or a goal, or the pairs of entry and exit pages that they have.
type PathsAnswer struct {
	Site string `json:"siteId"`
	Known
	Zone   string       `json:"timeZone"` // by its IANA name
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"` // exclusive
	Filter FilterReport `json:"filter"`
	PathStart
	Through  []string  `json:"through"`
	Sessions int64     `json:"sessions"` // that view the page or reach the goal; of pairs: that view any page
	Rows     []PathRow `json:"rows"`     // by step, in each the pages of most sessions first
}

// Paths answers from raw events, as [Reader.FilteredTop] does.
func (r *Reader) Paths(ctx context.Context, p PathsParams) (PathsAnswer, error) {
	return ask(ctx, r, p, answerPaths, "paths of site %q", p.Site)
}

func answerPaths(ctx context.Context, t *sitetable.Store, p PathsParams) (a PathsAnswer, err error) {
	if err := p.Check(); err != nil {
		return a, err
	}
	q, days, known, err := newFilteredHours(ctx, t, FilteredUniquesParams{p.Site, p.From, p.To, p.Zone, p.Consistent, p.Params},
		(*FilterParams).CheckAny)
	if err != nil {
		return a, err
	}
	a = PathsAnswer{p.Site, Known{SiteKnown: known}, days.Loc.String(), days.Instant(q.Span.From), days.Instant(q.Span.To),
		q.Report(FromEvents), p.Start(), append([]string{}, p.Through...), 0, []PathRow{}}
	if known {
		a.Filter, a.Sessions, a.Rows, err = pathcount.Count(ctx, &q, p)
	}
	return a, err
}
