package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/query/internal/readable"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sketch"
)

// FilteredTopParams ask for the values of a dimension among what passes filters.
type FilteredTopParams struct {
	Site      string
	Dimension string         // as in Condition
	From, To  time.Time      // as in TopParams
	Zone      *time.Location // as in TopParams
	// Sort is one of FilteredTopFigures. "": pageViews of pages, sessions of entry and exit pages if they are known, uniqueVisitors of all
	// else.
	Sort       string
	Limit      int  // max. rows, 1 to MaxLimit; 0: DefaultLimit
	MinCount   int  // as in TopParams
	Consistent bool // strongly consistent reads, at twice the cost
	FilterParams
}

// FilteredTopAnswer holds the top values of a dimension among what passes filters. It is computed from raw events, so rows are exact, but
// for visitors above 1,024.
type FilteredTopAnswer struct {
	Site string `json:"siteId"`
	Known
	Dimension string       `json:"dimension"`
	Zone      string       `json:"timeZone"` // by its IANA name
	From      time.Time    `json:"from"`
	To        time.Time    `json:"to"` // exclusive
	Filter    FilterReport `json:"filter"`
	Sort      string       `json:"sort"`
	MinCount  int          `json:"minCount,omitempty"` // as asked for: rows of fewer sessions are left out
	// Goals are the ids of the goals that conversions are of: those that filters ask for (goal=ID), or all active ones if none does.
	Goals  []string           `json:"goals"`
	Rows   []FilteredTopRow   `json:"rows"`
	Values int                `json:"values"` // how many there are with at least MinCount, also beyond the rows
	None   *FilteredTopCounts `json:"none"`   // of what has no value; null: nothing, or only the cost was asked for
	Totals *FilteredTopCounts `json:"totals"` // of all that passes the filters; null: only the cost was asked for
}

// FilteredTopRow is a value with its figures. Figures of sessions are unknown if the dimension is page, event, type or a property.
type FilteredTopRow struct {
	Value string `json:"value"`
	// Share is of the figure that rows are sorted by, of all that passes the filters; null: of nothing, of values, of rates.
	Share *float64 `json:"share"`
	FilteredTopCounts
}

// FilteredTop answers as [Reader.Top] does, of what passes filters, always from raw events: see [Reader.FilteredStats]. Without filters it
// answers of all events, also by dimensions that have no breakdown.
func (r *Reader) FilteredTop(ctx context.Context, p FilteredTopParams) (FilteredTopAnswer, error) {
	return ask(ctx, r, p, answerFilteredTop, "top values of %q", p.Dimension)
}

func answerFilteredTop(ctx context.Context, t *sitetable.Store, p FilteredTopParams) (a FilteredTopAnswer, err error) {
	limit, err := p.rows()
	if err != nil {
		return a, err
	}
	p.Exact = true
	q, days, known, err := newFilteredHours(ctx, t, FilteredUniquesParams{p.Site, p.From, p.To, p.Zone, p.Consistent, p.FilterParams},
		(*FilterParams).CheckAny)
	if err != nil {
		return a, err
	}
	q.Rows = []passing.Dimension{passing.DimensionOf(p.Dimension)}
	a = FilteredTopAnswer{Site: p.Site, Known: Known{SiteKnown: known}, Dimension: p.Dimension, Zone: days.Loc.String(),
		From: days.Instant(q.Span.From),
		To:   days.Instant(q.Span.To), Filter: q.Report(FromEvents), Sort: p.Sort, MinCount: p.MinCount, Goals: []string{},
		Rows: []FilteredTopRow{}}
	total, values, missed := passing.NewSums(), passing.Values{}, make(passing.Missed)
	q.Bound = func() error { return passing.TooMany(p.Dimension, values, missed) }
	q.Missed = func(row []string) {
		total.Missed++
		if !q.Rows[0].OfEvents() {
			missed[row[0]]++
		}
	}
	if q.Scope == ScopeSessions && known {
		if q.Goals, err = passing.NewGoalScan(ctx, q.Table, q.Span); err != nil {
			return a, err
		}
	}
	if known {
		into := func(_ int64, row []string) []*passing.Sums { return []*passing.Sums{values.Of(row[0]), total} }
		if q.Rows[0].OfWhole() {
			into = func(int64, []string) []*passing.Sums { return []*passing.Sums{total} }
			q.Whole = func(_ int, value string) *passing.Sums { return values.Of(value) }
		}
		if a.Filter, err = q.ReadEvents(ctx, into); err != nil || p.EstimateOnly {
			return a, err
		}
	}
	missed.AddTo(values)
	a.sumUp(values, total, limit, q.Goals)
	return a, nil
}

// sumUp adds the rows, at most limit, what has no value, and the totals.
func (a *FilteredTopAnswer) sumUp(values passing.Values, total *passing.Sums, limit int, goals *passing.GoalScan) {
	a.Goals = goals.Chosen()
	scope := a.Filter.Scope
	if (Condition{Dimension: a.Dimension}).OfEvents() {
		scope = ScopeEvents
	}
	if none := values[""]; none != nil {
		a.None = new(countsOfSums(none, scope, goals))
		delete(values, "")
	}
	a.Totals = new(countsOfSums(total, a.Filter.Scope, goals))
	a.addRows(values, total, scope, goals)
	a.Values = len(a.Rows)
	a.Rows = a.Rows[:min(limit, len(a.Rows))]
}

// rows checks what is asked of rows, and returns how many are wanted.
func (p *FilteredTopParams) rows() (limit int, err error) {
	names := append(filters.Dimensions(), TypeDimension, EntryDimension, ExitDimension)
	if property, ok := strings.CutPrefix(p.Dimension, PropertyPrefix); !slices.Contains(names, p.Dimension) && (!ok || property == "") {
		return 0, &ParamError{Param: "dimension", Value: readable.Shortened(p.Dimension),
			Remedy: near.Hint(p.Dimension, names) + "choose " + strings.Join(names, ", ") +
				", or " + PropertyPrefix + "KEY"}
	}
	of := ScopeOf(append(slices.Clone(p.Where), Condition{Dimension: p.Dimension}))
	if p.Sort == "" {
		switch p.Sort = "uniqueVisitors"; {
		case p.Dimension == sketch.Page.String():
			p.Sort = "pageViews"
		case passing.DimensionOf(p.Dimension).OfPages() && of == ScopeSessions:
			p.Sort = "sessions"
		}
	}
	if !slices.Contains(FilteredTopFigures, p.Sort) {
		return 0, &ParamError{Param: "sort", Value: readable.Shortened(p.Sort),
			Remedy: near.Hint(p.Sort, FilteredTopFigures) + "with filters choose " + strings.Join(FilteredTopFigures, ", ")}
	}
	if passing.OfSessions(p.Sort) && of == ScopeEvents {
		return 0, &ParamError{Param: "sort", Value: p.Sort,
			Remedy: "unknown, because the dimension or a filter selects events: choose events, pageViews, " +
				"uniqueVisitors or valueSum"}
	}
	if err := breakdowns.CheckMinCount(p.MinCount, p.Sort); err != nil {
		return 0, err
	}
	return Paging{Limit: p.Limit}.Rows()
}
